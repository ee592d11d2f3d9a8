package canon

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

// Whatever character Unicode folds into another, in this or another version, is refused beside it.
func TestFoldsToCoversUnicode(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		for folded := unicode.SimpleFold(r); folded != r; folded = unicode.SimpleFold(folded) {
			if !foldsTo([]byte("a"+string(folded)+"Z"), "A"+string(r)+"z") {
				t.Fatalf("%U folds into %U", folded, r)
			}
		}
	}
}

func TestFoldsTo(t *testing.T) {
	tests := []struct {
		name, declared string
		want           bool
	}{
		{"größe", "Größe", true},
		{"GRÖẞE", "größe", true},
		{"grüße", "größe", true},
		{"grosse", "größe", false},
		{"grö", "größe", false},
		{"größen", "größe", false},
		{"gröse", "größe", false},
		{"o", "ö", false},
		{"ö", "o", false},
		{"\u017f", "ö", false},
		{"ö", "\u017f", false},
		{"S", "\u017f", true},
		{"\u017f", "s", true},
		{"\u212a", "k", true},
		{"\u212a", "\u017f", false},
		{"😂", "é", true},
		{"", "é", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, foldsTo([]byte(tt.name), tt.declared), "%s %s", tt.name, tt.declared)
	}
}

// What encoding/json takes for the member is refused.
func TestDecoderTakesNoOtherMember(t *testing.T) {
	for _, name := range []string{"GRÖßE", "GRÖẞE", "größe", "gröẞe"} {
		var command struct {
			Size string `json:"größe"`
		}
		assert.NoError(t, json.Unmarshal([]byte(`{"`+name+`":"x"}`), &command))
		assert.Equal(t, "x", command.Size)
		assert.True(t, foldsTo([]byte(name), "größe"))
	}
}
