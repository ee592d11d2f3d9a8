package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const brokenFolder = "../../golden/broken"

// brokenRuns are the files golden/broken/run_*.txtar: a folder; run.txt, what happens in it line by line; and want.txt, the exit code of the
// last line and what it finds, in the short format. They show what no document alone can show.
func brokenRuns(t *testing.T) []string {
	t.Helper()
	folder, err := filepath.Abs(brokenFolder)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(folder, "run_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func TestBrokenRuns(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range brokenRuns(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(archive.Files), 3)
			want, script := &archive.Files[len(archive.Files)-1], archive.Files[len(archive.Files)-2]
			require.Equal(t, []string{"run.txt", "want.txt"}, []string{script.Name, want.Name})
			t.Chdir(t.TempDir())
			t.Setenv("GIT_DIR", t.TempDir()) // no repository
			t.Setenv("CI", "")               // nor anybody who expects one
			for _, f := range archive.Files[:len(archive.Files)-2] {
				require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
				require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
			}
			got := play(t, strings.Split(strings.TrimSpace(string(script.Data)), "\n"))
			if *update {
				want.Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, string(want.Data), got)
		})
	}
}

// play runs the lines of a script and gives what the last one says. The others have to succeed.
func play(t *testing.T, lines []string) string {
	t.Helper()
	for i, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "remove":
			require.NoError(t, os.Remove(words[1]))
		case "env":
			t.Setenv(words[1], words[2])
		case "symlink":
			require.NoError(t, os.Symlink(words[2], words[1]))
		case "copy":
			data, err := os.ReadFile(words[1])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(words[2], data, 0o644))
		case "replace":
			data, err := os.ReadFile(words[1])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(words[1], bytes.ReplaceAll(data, []byte(words[2]), []byte(words[3])), 0o644))
		default:
			var out, errs bytes.Buffer
			code := Main(append(words, "--format", "short", "-q"), strings.NewReader(""), &out, &errs)
			if i == len(lines)-1 {
				return fmt.Sprintf("exit %d\n%s", code, errs.String())
			}
			require.Equal(t, 0, code, "%s: %s", line, errs.String())
		}
	}
	t.Fatal("the last line runs no verb")
	return ""
}

var shownCode = regexp.MustCompile(`\[(IDG[0-9]{3})\]`)

// Each code has its broken case, and its rule; tests beside each printer and each room hold the rest of the definition: a code has one
// explanation and one rule of SARIF, and what an explanation shows as bad and good is.
func TestEveryCodeHasABrokenCase(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(brokenFolder, "*.txtar"))
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		last := archive.Files[len(archive.Files)-1]
		found := shownCode.FindAllStringSubmatch(string(last.Data), -1)
		require.NotEmpty(t, found, "%s shows no code", file)
		for _, m := range found {
			_, known := diag.Lookup(diag.Code(m[1]))
			assert.True(t, known, "%s shows %s, which is in no table", filepath.Base(file), m[1])
			shown[m[1]] = true
		}
	}
	shown[string(diag.Unreadable)] = true // refusals that nobody foresaw: only a library that refuses on purpose shows them
	for _, info := range diag.Codes() {
		assert.True(t, shown[string(info.Code)], "%s has no case in golden/broken", info.Code)
	}
}

// Each code is explained by the command, and is one rule of a SARIF log: under the same words, and with the severity that findings have.
func TestEveryCodeIsExplainedAndARule(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte("{}"), 0o600))
	_, text, _ := output("lint", "openapi.yaml", "--format", "sarif")
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID                   string
						Help                 struct{ Text string }
						DefaultConfiguration struct{ Level string }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	rules := log.Runs[0].Tool.Driver.Rules
	require.Len(t, rules, len(diag.Codes()))
	for i, info := range diag.Codes() {
		code, explained, errs := output("explain", string(info.Code))
		require.Equal(t, 0, code, errs)
		assert.True(t, strings.HasPrefix(explained, string(info.Code)+": "+info.Severity.String()+": "), explained)
		assert.Equal(t, string(info.Code), rules[i].ID)
		assert.Equal(t, explained, rules[i].Help.Text)
		assert.Equal(t, info.Severity.String(), rules[i].DefaultConfiguration.Level)
	}
}
