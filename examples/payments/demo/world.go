package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/examples/payments/provider"
)

// world is a provider, a database, and the payments program, which can be killed.
type world struct {
	database string
	dir      string // holds the program
	provider *provider.Server
	bank     *httptest.Server
	program  *exec.Cmd
	url      string // of the program
}

// newWorld builds the program and starts the provider.
func newWorld(ctx context.Context, database string) (*world, error) {
	dir, err := os.MkdirTemp("", "payments")
	if err != nil {
		return nil, err
	}
	p := provider.NewServer()
	w := &world{database: database, dir: dir, provider: p, bank: httptest.NewServer(p)}
	build := exec.CommandContext(ctx, "go", "build", "-o", w.binary(), "github.com/idemgen/idemgen/examples/payments")
	if output, err := build.CombinedOutput(); err != nil {
		w.close()
		return nil, fmt.Errorf("build: %w\n%s", err, output)
	}
	return w, nil
}

func (w *world) binary() string { return filepath.Join(w.dir, "payments") }

// start starts the program and waits until it is ready.
func (w *world) start(ctx context.Context) error {
	w.program = exec.CommandContext(ctx, w.binary(), "-addr", "127.0.0.1:0", "-database", w.database, "-provider", w.bank.URL)
	w.program.Stderr = os.Stderr
	stdout, err := w.program.StdoutPipe()
	if err != nil {
		return err
	}
	if err := w.program.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		w.kill()
		return fmt.Errorf("the program did not come up: %q %w", line, err)
	}
	w.url = "http://" + addr
	return nil
}

// kill ends the program as a power cut would.
func (w *world) kill() {
	if w.program == nil {
		return
	}
	_ = w.program.Process.Kill() // it may have ended already
	_ = w.program.Wait()
	w.program = nil
}

func (w *world) close() {
	w.kill()
	w.bank.CloseClientConnections()
	w.bank.Close()
	_ = os.RemoveAll(w.dir)
}

// answer is what a client gets.
type answer struct {
	status   int
	replayed bool
	body     string
	err      error
}

func (a answer) String() string {
	if a.err != nil {
		return "no answer"
	}
	replay := ""
	if a.replayed {
		replay = ", replayed"
	}
	return fmt.Sprintf("%d%s %s", a.status, replay, strings.TrimSpace(a.body))
}

// member is a text of the answer's JSON.
func (a answer) member(name string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(a.body), &members) // then it has none
	text, _ := members[name].(string)
	return text
}

// send sends a request of alice's.
func (w *world) send(ctx context.Context, method, path, key, body string) answer {
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	r.Header.Set("Authorization", "Bearer alice")
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{err: err}
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	return answer{response.StatusCode, response.Header.Get("Idempotent-Replayed") == "true", string(text), err}
}
