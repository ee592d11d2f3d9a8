package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// databaseURL gives a connection URL to an empty schema.
func databaseURL(t *testing.T) string { return pgtest.SchemaURL(t) }

// program builds the quickstart as a user would start it.
func program(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "quickstart")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return binary
}

func TestProgramSaysWhenItIsReadyAndStopsOnSIGTERM(t *testing.T) {
	cmd := exec.Command(program(t), "-addr", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, ok, line)
	s := &server{t: t, url: "http://" + addr}
	assert.Equal(t, 201, s.send("alice", "k1", "/payments", tenEuros).status)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, cmd.Wait(), "a clean stop is exit code 0")
}

func TestProgramRefusesWhatItCannotServe(t *testing.T) {
	binary := program(t)
	for name, args := range map[string][]string{
		"address":  {"-addr", "256.0.0.1:1"},
		"store":    {"-addr", "127.0.0.1:0", "-store", "postgres://127.0.0.1:1/none?connect_timeout=2"},
		"argument": {"serve"},
		"flag":     {"-nope"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(binary, args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Signal(os.Kill) })
			defer timer.Stop()
			assert.Error(t, cmd.Run())
			assert.NotEmpty(t, stderr.String())
		})
	}
}

// A server that is killed in the middle of a handler leaves the key free: the transaction went with its connection.
func TestKilledInTheMiddleLeavesTheKeyFree(t *testing.T) {
	store := databaseURL(t)
	cmd := exec.Command(program(t), "-addr", "127.0.0.1:0", "-store", store, "-delay", "30s")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	base := "http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	go func() { // answered by nobody: the server dies
		req, _ := http.NewRequest(http.MethodPost, base+"/payments", strings.NewReader(tenEuros))
		req.Header.Set("Authorization", "Bearer alice")
		req.Header.Set("Idempotency-Key", "k1")
		req.Header.Set("Content-Type", "application/json")
		req.GetBody = nil // net/http resends a request with a key by itself; this one must not reach the next server
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	time.Sleep(500 * time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	s := serve(t, config{store: store, tokens: []string{"alice"}})
	require.Eventually(t, func() bool {
		a := s.send("alice", "k1", "/payments", tenEuros)
		return a.status == 201 && !a.replayed()
	}, 10*time.Second, 100*time.Millisecond)
	assert.Len(t, s.effects("alice"), 1)
}
