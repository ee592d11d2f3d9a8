package generator

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

const own = ownLine + " from api.yaml; DO NOT EDIT.\n\npackage apiidem\n"

// put writes a file below folder and gives its path.
func put(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// names are the files below folder, dot files included.
func names(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(folder, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	}))
	return out
}

func TestWriteKeepsWhatIsCurrent(t *testing.T) {
	dir := t.TempDir()
	current := put(t, dir, "a.gen.go", own)
	crlf := put(t, dir, "b.gen.go", "x\r\ny\r\n")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(current, old, old))
	require.NoError(t, os.Chtimes(crlf, old, old))

	plan := &Plan{Files: []File{
		{Path: current, Content: []byte(own)},
		{Path: crlf, Content: []byte("x\ny\n")},
		{Path: filepath.Join(dir, "new", "c.gen.go"), Content: []byte(own)},
	}}
	changes, err := plan.Write()
	require.NoError(t, err)
	assert.Equal(t, []Action{Unchanged, Unchanged, Written}, actions(changes))
	for _, path := range []string{current, crlf} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.True(t, info.ModTime().Equal(old), "%s was touched", path)
	}
	assert.Equal(t, []string{"a.gen.go", "b.gen.go", "new/c.gen.go"}, names(t, dir))
}

func TestWriteKeepsTheModeOfWhatItReplaces(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a.gen.go", "old")
	require.NoError(t, os.Chmod(path, 0o440))
	_, err := (&Plan{Files: []File{{Path: path, Content: []byte(own)}}}).Write()
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o440), info.Mode().Perm())
}

// The second file cannot be staged: the first, staged before it, must not appear.
func TestWriteStagesAllOrChangesNothing(t *testing.T) {
	dir := t.TempDir()
	first := put(t, dir, "out/a.gen.go", "old")
	put(t, dir, "file", "in the way")
	stale := put(t, dir, "out/gone.gen.go", own)
	plan := &Plan{
		Files: []File{
			{Path: first, Content: []byte(own)},
			{Path: filepath.Join(dir, "deep", "er", "b.gen.go"), Content: []byte(own)},
			{Path: filepath.Join(dir, "file", "c.gen.go"), Content: []byte(own)},
		},
		Stale: []string{stale},
	}
	changes, err := plan.Write()
	assert.Empty(t, changes)
	code(t, err, diag.Unwritable)
	assert.Equal(t, []string{"file", "out/a.gen.go", "out/gone.gen.go"}, names(t, dir))
	assert.NoDirExists(t, filepath.Join(dir, "deep"))
	content, err := os.ReadFile(first)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))
}

// The second rename fails: the first file is complete and new, the third is old, nothing temporary is left, nothing was deleted.
func TestWriteFailingMidwayLeavesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	a, c := put(t, dir, "a.gen.go", "old a"), put(t, dir, "c.gen.go", "old c")
	put(t, dir, "b.gen.go/child", "a directory in the way")
	stale := put(t, dir, "gone.gen.go", own)
	plan := &Plan{
		Files: []File{
			{Path: a, Content: []byte(own)},
			{Path: filepath.Join(dir, "b.gen.go"), Content: []byte(own)},
			{Path: c, Content: []byte(own)},
		},
		Stale: []string{stale},
	}
	changes, err := plan.Write()
	assert.Equal(t, []Action{Written}, actions(changes))
	code(t, err, diag.Unwritable)
	assert.Equal(t, []string{"a.gen.go", "b.gen.go/child", "c.gen.go", "gone.gen.go"}, names(t, dir))
	for path, want := range map[string]string{a: own, c: "old c"} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(content))
	}
}

func TestWriteDeletesWhatIsStale(t *testing.T) {
	dir := t.TempDir()
	stale := put(t, dir, "gone.gen.go", own)
	changes, err := (&Plan{Stale: []string{stale, filepath.Join(dir, "gone already")}}).Write()
	require.NoError(t, err)
	assert.Equal(t, []Action{Deleted, Deleted}, actions(changes))
	assert.Empty(t, names(t, dir))
}

func actions(changes []Change) (out []Action) {
	for _, c := range changes {
		out = append(out, c.Action)
	}
	return out
}

// code asserts that err is a BlockedError whose first diagnostic has the code.
func code(t *testing.T, err error, want diag.Code) diag.Diagnostic {
	t.Helper()
	var b *BlockedError
	require.ErrorAs(t, err, &b)
	all := b.Diagnostics.All()
	require.NotEmpty(t, all)
	assert.Equal(t, want, all[0].Code)
	return all[0]
}
