package pgtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// ErrNoServer says that the machine has no PostgreSQL server to start, and what to do about it.
var ErrNoServer = errors.New("pgtest: no PostgreSQL server binaries found: install them (apt-get install postgresql, dnf install postgresql-server, " +
	"brew install postgresql) or set IDEMGEN_TEST_POSTGRES to the URL of a server on which tests may create schemas")

// installed are the places where distributions put server binaries that are not on PATH.
var installed = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
}

// findBinaries gives the folder that holds initdb and postgres.
func findBinaries() (string, error) {
	var candidates []string
	candidates = append(candidates, pgConfigDir()...)
	for _, pattern := range installed {
		candidates = append(candidates, newestFirst(pattern)...)
	}
	return firstServerDir(append(candidates, pathDir()...))
}

func firstServerDir(candidates []string) (string, error) {
	for _, dir := range candidates {
		if isServerDir(dir) {
			return dir, nil
		}
	}
	return "", ErrNoServer
}

// pgConfigDir asks pg_config. It may come with the client's headers alone, so the answer is only a candidate.
func pgConfigDir() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output()
	if err != nil {
		return nil
	}
	return []string{strings.TrimSpace(string(out))}
}

func newestFirst(pattern string) []string {
	dirs, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	before, _, _ := strings.Cut(pattern, "*") // may hold digits too
	version := func(dir string) int { return majorVersion(strings.TrimPrefix(dir, before)) }
	sort.SliceStable(dirs, func(i, j int) bool { return version(dirs[i]) > version(dirs[j]) })
	return dirs
}

// majorVersion reads the first number of the end of a path: 15 of "@15/bin". 0 when there is none.
func majorVersion(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, err := strconv.Atoi(digits[0])
	if err != nil {
		return 0
	}
	return n
}

// pathDir follows the link of a postgres on PATH, since initdb looks for its neighbours beside the real file.
func pathDir() []string {
	name, err := exec.LookPath("postgres")
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil
	}
	return []string{filepath.Dir(real), filepath.Dir(name)}
}

func isServerDir(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() {
			return false
		}
	}
	return true
}
