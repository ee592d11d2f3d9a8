package openapi

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/openapi/diag"
)

func TestNearestGivesAMisspellingsOriginOrNothing(t *testing.T) {
	words := []string{"retention", "execution", "replay", "errors", "inFlight", "required", "key", "keep", "set", "ascii-lower"}
	for word, want := range map[string]string{
		"retentoin": "retention", "Retention": "retention", "exec": "", "reply": "replay", "error": "errors", "in_flight": "inFlight",
		"inflight": "inFlight", "require": "required", "kye": "key", "keys": "key", "ttl": "", "": "", "header": "", "sets": "set",
		"asciilower": "ascii-lower", "ASCII_LOWER": "ascii-lower", strings.Repeat("retention", 50): "", "retentionretention": "",
	} {
		got, ok := diag.Nearest(word, words)
		assert.Equal(t, want, got, word)
		assert.Equal(t, want != "", ok, word)
	}
	got, _ := diag.Nearest("", []string{""})
	assert.Empty(t, got)
}

func TestParseDurationReadsEverySpelling(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "15m": 15 * time.Minute, "24h": 24 * time.Hour, "45d": 45 * day, "007s": 7 * time.Second,
		"P30D": 30 * day, "P2W": 14 * day, "P1W1D": 8 * day, "PT12H": 12 * time.Hour, "P1DT1H1M1S": day + time.Hour + time.Minute + time.Second,
		"PT90M": 90 * time.Minute, "P0DT1S": time.Second, "106751d": 106751 * day,
	} {
		got, err := parseDuration(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// What is recommended instead of a spelling from elsewhere is a duration, and the same one where it is exact.
func TestDurationHintsCanBePasted(t *testing.T) {
	for text, want := range map[string]string{
		"1h30m": "90m", "90": "90s", "24H": "24h", "5min": "5m", "30 days": "30d", "1 hour": "1h", "2w": "14d", "1.5h": "90m",
		"500ms": "", "x": "", "1y": "", "P1Y": "", "-5s": "", "9999999999 weeks": "", "0": "",
	} {
		_, err := parseDuration(text)
		var meant string
		if fault := (*durationError)(nil); assert.ErrorAs(t, err, &fault, text) {
			meant = fault.meant
		}
		assert.Equal(t, want, meant, text)
		if meant != "" {
			_, err := parseDuration(meant)
			assert.NoError(t, err, meant)
		}
	}
}
