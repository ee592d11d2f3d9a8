package generator

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

func TestCheckNamesEveryKindOfDrift(t *testing.T) {
	dir := t.TempDir()
	plan := &Plan{
		Files: []File{
			{Path: put(t, dir, "same", "1\n2\n"), Content: []byte("1\n2\n")},
			{Path: put(t, dir, "crlf", "1\r\n2\r\n"), Content: []byte("1\n2\n")},
			{Path: put(t, dir, "differs", "1\nx\n3\n"), Content: []byte("1\n2\n3\n"), Document: "api.yaml"},
			{Path: filepath.Join(dir, "missing"), Content: []byte("1\n"), Document: "api.yaml"},
		},
		Stale: []string{put(t, dir, "stale", own)},
	}
	drift, err := plan.Check()
	require.NoError(t, err)
	require.Len(t, drift, 3)
	assert.Equal(t, diag.DriftDiffers, drift[0].Diagnostic.Code)
	assert.Equal(t, 2, drift[0].Diagnostic.Pos.Line)
	assert.Contains(t, drift[0].Diff, "\n-x\n+2\n")
	assert.Equal(t, diag.DriftMissing, drift[1].Diagnostic.Code)
	assert.Equal(t, diag.DriftLeftOver, drift[2].Diagnostic.Code)
	assert.Equal(t, []string{"crlf", "differs", "same", "stale"}, names(t, dir), "check writes nothing")
}

func TestCheckShowsWhatFollowsFromTheLockOnce(t *testing.T) {
	dir := t.TempDir()
	plan := &Plan{Files: []File{
		{Path: put(t, dir, "a.lock", "1\n"), Content: []byte("2\n"), Lock: true, Document: "a.yaml"},
		{Path: put(t, dir, "a.go", "1\n"), Content: []byte("2\n"), Document: "a.yaml"},
		{Path: put(t, dir, "b.lock", "2\n"), Content: []byte("2\n"), Lock: true, Document: "b.yaml"},
		{Path: put(t, dir, "b.go", "1\n"), Content: []byte("2\n"), Document: "b.yaml"},
	}}
	drift, err := plan.Check()
	require.NoError(t, err)
	require.Len(t, drift, 3)
	assert.NotEmpty(t, drift[0].Diff)
	assert.Empty(t, drift[1].Diff)
	assert.NotEmpty(t, drift[2].Diff)
}

func TestCheckFailsOnWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "folder/child", "")
	_, err := (&Plan{Files: []File{{Path: filepath.Join(dir, "folder")}}}).Check()
	assert.ErrorContains(t, err, "generator: check")
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		name, disk, made string
		want             int
	}{
		{"first line", "x\n", "y\n", 1},
		{"third line", "1\n2\nx\n", "1\n2\n3\n", 3},
		{"disk ends early", "1\n2\n", "1\n2\n3\n", 2},
		{"disk goes on", "1\n2\n3\n", "1\n2\n", 3},
		{"empty on disk", "", "1\n", 1},
		{"no last line end", "1\n2", "1\n2\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, firstDifference([]byte(c.disk), []byte(c.made)))
		})
	}
}
