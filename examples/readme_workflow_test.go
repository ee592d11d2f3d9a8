package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pull is a repository as a workflow's checkout makes it, with one idemgen on the path.
type pull struct {
	t      *testing.T
	folder string
	env    []string
}

// newPull makes an upstream repository with the README's document and its lock released, and checks a branch of it out.
func newPull(t *testing.T, document string) *pull {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	binary := filepath.Join(home, "bin", "idemgen")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/idemgen")
	cmd.Dir = repository(t)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	p := &pull{t: t, folder: filepath.Join(home, "work"), env: append(os.Environ(), "HOME="+home, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GITHUB_STEP_SUMMARY="+filepath.Join(home, "summary.md"))}
	upstream := filepath.Join(home, "upstream")
	require.NoError(t, os.MkdirAll(upstream, 0o755))
	require.NoError(t, os.MkdirAll(p.folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(upstream, "payments.yaml"), []byte(document), 0o600))
	p.must(upstream, "git init -q -b main && idemgen generate -q payments.yaml && git add . && git commit -qm one")
	// As the checkout action does it: no clone, so that nothing says which branch is the default one.
	p.must(p.folder, "git init -q -b topic && git remote add origin file://"+upstream+" && git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' && git reset -q --hard origin/main")
	return p
}

func (p *pull) run(folder, command string) (string, error) {
	cmd := exec.CommandContext(p.t.Context(), "sh", "-eu", "-c", command)
	cmd.Dir, cmd.Env = folder, p.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *pull) must(folder, command string) string {
	p.t.Helper()
	out, err := p.run(folder, command)
	require.NoError(p.t, err, "%s: %s", command, out)
	return out
}

func (p *pull) edit(old, now string) {
	p.t.Helper()
	file := filepath.Join(p.folder, "payments.yaml")
	text, err := os.ReadFile(file)
	require.NoError(p.t, err)
	require.Contains(p.t, string(text), old)
	require.NoError(p.t, os.WriteFile(file, []byte(strings.Replace(string(text), old, now, 1)), 0o600))
}

var workflowStep = regexp.MustCompile(`(?m)^ +- run: (.*)$`)

// The workflow's steps pass where nothing has changed, annotate drift, refuse a change that forgets records, and sum up what a change does.
func TestReadmeWorkflow(t *testing.T) {
	blocks := readme(t)
	workflow := only(t, blocks, "yaml", ".github/workflows/").text
	assert.Contains(t, workflow, "fetch-depth: 0", "a shallow clone has no merge base")
	p := newPull(t, only(t, blocks, "yaml", "x-idempotency").text)
	var steps []string
	for _, m := range workflowStep.FindAllStringSubmatch(workflow, -1) {
		steps = append(steps, strings.ReplaceAll(m[1], "go run github.com/idemgen/idemgen/cmd/idemgen@v0.1.0", "idemgen"))
	}
	require.Len(t, steps, 3)
	summary := func() string {
		text, _ := p.run(p.folder, `cat "$GITHUB_STEP_SUMMARY"; rm -f "$GITHUB_STEP_SUMMARY"`)
		return text
	}
	for _, step := range steps {
		p.must(p.folder, step)
	}
	assert.Contains(t, summary(), "no contract changes")

	p.edit("unknown: reject ", "unknown: include")
	out, err := p.run(p.folder, steps[1])
	require.Error(t, err, "drift")
	assert.Contains(t, out, "::error file=payments.idempotency.lock.yaml,line=")
	p.must(p.folder, "idemgen generate -q payments.yaml")
	p.must(p.folder, steps[1])
	p.must(p.folder, steps[2])
	assert.Contains(t, summary(), "**new version**")

	p.edit("scope: [tenant] ", "scope: [user] ")
	out, err = p.run(p.folder, steps[1])
	require.Error(t, err, "records would be forgotten")
	assert.Contains(t, out, "title=IDG357::")
}

// The hook refuses a commit whose lock is not current; the attributes fold what is generated, and not the lock.
func TestReadmeHookAndAttributes(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	hook := regexp.MustCompile("pre-commit hook: `([^`]+)`").FindSubmatch(text)
	require.NotNil(t, hook)
	line := regexp.MustCompile("In `.gitattributes`: `([^`]+)` and `([^`]+)`").FindSubmatch(text)
	require.NotNil(t, line)
	p := newPull(t, only(t, readme(t), "yaml", "x-idempotency").text)
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, ".git", "hooks", "pre-commit"), []byte("#!/bin/sh\n"+string(hook[1])+"\n"), 0o755))
	p.edit("ignored: [body.note]", "ignored: [body.note] # as it was")
	p.must(p.folder, "git commit -qam 'says the same'")
	p.edit("body.amount: decimal ", "body.amount ")
	out, err := p.run(p.folder, "git commit -qam 'another contract'")
	require.Error(t, err)
	assert.Contains(t, out, "IDG412")
	p.must(p.folder, "idemgen generate -q payments.yaml && git add . && git commit -qm 'another contract'")

	require.NoError(t, os.WriteFile(filepath.Join(p.folder, ".gitattributes"), []byte(string(line[1])+"\n"+string(line[2])+"\n"), 0o600))
	attributes := p.must(p.folder, "git ls-files | git check-attr --stdin linguist-generated")
	for file := range strings.Lines(attributes) {
		name, value, _ := strings.Cut(strings.TrimSpace(file), ": linguist-generated: ")
		assert.Equal(t, strings.HasPrefix(name, "paymentsidem/"), value == "set", file)
	}
}
