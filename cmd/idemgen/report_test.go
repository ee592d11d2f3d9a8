package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColoursOnlyWhereSomebodySeesThem(t *testing.T) {
	terminal, err := os.Open(os.DevNull) // a character device, as a terminal is
	require.NoError(t, err)
	defer terminal.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()

	for _, c := range []struct {
		name, flag, noColor, term string
		w                         io.Writer
		want                      bool
	}{
		{"a terminal", "auto", "", "xterm", terminal, true},
		{"a terminal, NO_COLOR", "auto", "1", "xterm", terminal, false},
		{"a terminal without colours", "auto", "", "dumb", terminal, false},
		{"a terminal, never", "never", "", "xterm", terminal, false},
		{"a file", "auto", "", "xterm", file, false},
		{"a file, always", "always", "1", "xterm", file, true},
		{"no file", "auto", "", "xterm", io.Discard, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NO_COLOR", c.noColor)
			t.Setenv("TERM", c.term)
			r := &report{flags: &documentFlags{color: c.flag}}
			assert.Equal(t, c.want, r.colored(c.w))
		})
	}
}

func TestNarrationMovesNoCursor(t *testing.T) {
	var out strings.Builder
	r := &report{flags: &documentFlags{}, stderr: &out}
	r.narrate("deleted %s", "a\x1b[2J\u202egen.go")
	r.tell("-\told\r\n+\tnew\n")
	assert.Equal(t, "deleted a\uFFFD[2J\uFFFDgen.go\n-\told\uFFFD\n+\tnew\n", out.String())
}
