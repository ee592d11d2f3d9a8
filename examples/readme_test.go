package examples_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// block is one fenced block of the README.
type block struct{ language, text string }

func (b block) has(text string) bool { return strings.Contains(b.text, text) }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

func readme(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(text), "\n"), 200, "the README stays short")
	var blocks []block
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	return blocks
}

// only gives the one block of a language that holds a text.
func only(t *testing.T, blocks []block, language, text string) block {
	t.Helper()
	var found []block
	for _, b := range blocks {
		if b.language == language && b.has(text) {
			found = append(found, b)
		}
	}
	require.Len(t, found, 1, "one %s block with %q", language, text)
	return found[0]
}

func repository(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs("..")
	require.NoError(t, err)
	return top
}

// shell runs commands as a reader would paste them.
func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", commands)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", commands, output)
	return string(output)
}

// start runs a server command until the test ends and waits until addr answers.
func start(t *testing.T, dir, command, addr string, env ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "exec "+strings.TrimSpace(command))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // `go run` has a child of its own
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", addr)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 2*time.Minute, 100*time.Millisecond)
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func TestReadmeMakeTargets(t *testing.T) {
	blocks := readme(t)
	output := shell(t, "..", only(t, blocks, "sh", "make demo").text)
	assert.Contains(t, output, "Every step was as expected.")
	assert.Equal(t, 8, strings.Count(output, "\nok   "), output)
	// `make test` is what runs this test: only that it is there can be shown here.
	shell(t, "..", strings.Replace(only(t, blocks, "sh", "make test").text, "make", "make -n", 1))
}

func TestReadmeQuickstart(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl, which the README uses here, is not installed")
	}
	blocks := readme(t)
	addr := freeAddr(t)
	here := strings.NewReplacer("127.0.0.1:8080", addr)
	start(t, "..", here.Replace(only(t, blocks, "sh", "go run ./examples/quickstart").text), addr)
	output := shell(t, "..", here.Replace(only(t, blocks, "sh", "curl -si").text))
	answers := strings.Split(output, "HTTP/1.1 ")
	require.Len(t, answers, 3, output)
	body := func(answer string) string { return answer[strings.LastIndex(answer, "\n"):] }
	for _, a := range answers[1:] {
		assert.True(t, strings.HasPrefix(a, "201 "), a)
	}
	assert.NotContains(t, answers[1], "Idempotent-Replayed")
	assert.Contains(t, answers[2], "Idempotent-Replayed: true")
	assert.Equal(t, body(answers[1]), body(answers[2]))
}

// The tutorial's files and commands make a working program in a module of their own. The unpublished modules come from this tree.
func TestReadmeTutorial(t *testing.T) {
	blocks := readme(t)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	addr := freeAddr(t)
	write("payments.yaml", only(t, blocks, "yaml", "x-idempotency").text)
	write("main.go", strings.ReplaceAll(only(t, blocks, "go", "package main").text, "127.0.0.1:8081", addr))
	top := repository(t)
	write("go.mod", "module example.com/payments\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen/runtime v0.1.0\n\nrequire github.com/jackc/pgx/v5 v5.13.0\n")
	write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+top+"\n\t"+top+"/runtime\n)\n\nreplace github.com/idemgen/idemgen v0.1.0 => "+top+
		"\n\nreplace github.com/idemgen/idemgen/runtime v0.1.0 => "+top+"/runtime\n")
	generate := only(t, blocks, "sh", "generate payments.yaml").text
	shell(t, dir, strings.Replace(generate, "@v0.1.0", "", 1))
	assert.FileExists(t, filepath.Join(dir, "payments.idempotency.lock.yaml"))

	database := pgtest.SchemaURL(t)
	start(t, dir, "go run .", addr, "DATABASE_URL="+database)
	for _, want := range []struct {
		body     string
		status   int
		replayed string
	}{
		{`{"accountId":"acc_1","amount":"10.00"}`, 201, ""},
		{`{"amount":"10","accountId":"acc_1","note":"again"}`, 201, "true"},
		{`{"amount":"11","accountId":"acc_1"}`, 422, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/payments", strings.NewReader(want.body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "k1")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		first, _ := bufio.NewReader(resp.Body).ReadString('\n') // for the message below
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want.status, resp.StatusCode, first)
		assert.Equal(t, want.replayed, resp.Header.Get("Idempotent-Replayed"))
	}
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var effects int
	require.NoError(t, conn.QueryRow(t.Context(), "select count(*) from payments").Scan(&effects))
	assert.Equal(t, 1, effects)
}
