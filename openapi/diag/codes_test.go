package diag_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

func TestCodesAreUniqueSortedAndExplained(t *testing.T) {
	codes := diag.Codes()
	require.NotEmpty(t, codes)
	form := regexp.MustCompile(`^IDG[1-6][0-9]{2}$`)
	titles := map[string]diag.Code{}
	for i, info := range codes {
		assert.Regexp(t, form, string(info.Code))
		assert.NotEmpty(t, info.Title, "%s has a title", info.Code)
		assert.NotContains(t, info.Title, "\n", "%s has a title of one line", info.Code)
		assert.NotEmpty(t, info.Explanation, "%s has an explanation", info.Code)
		assert.Contains(t, []diag.Severity{diag.Error, diag.Warning}, info.Severity, "%s has a severity", info.Code)
		if i > 0 {
			assert.Less(t, codes[i-1].Code, info.Code, "codes are sorted and unique")
		}
		assert.Empty(t, titles[info.Title], "%s and %s share a title", info.Code, titles[info.Title])
		titles[info.Title] = info.Code
	}
}

func TestLookup(t *testing.T) {
	info, ok := diag.Lookup(diag.RefMissing)
	require.True(t, ok)
	assert.Equal(t, diag.RefMissing, info.Code)
	_, ok = diag.Lookup("IDG000")
	assert.False(t, ok)
	assert.Equal(t, diag.Error, diag.Code("IDG000").Severity(), "an unknown code stops the job")
	assert.Equal(t, diag.Warning, diag.AnnotationSpelled.Severity())
}

func TestCodesCannotBeChangedFromOutside(t *testing.T) {
	diag.Codes()[0].Title = "changed"
	assert.False(t, slices.ContainsFunc(diag.Codes(), func(i diag.Info) bool { return i.Title == "changed" }))
}
