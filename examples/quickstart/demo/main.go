// Demo starts the quickstart and plays the scenario that idemgen exists for, one line a step: what was expected and what was seen.
//
// Usage: go run ./examples/quickstart/demo [-store URL]
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	store := flag.String("store", "memory", "`memory` or a PostgreSQL URL, handed to the quickstart")
	flag.Parse()
	if err := run(*store, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(store string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	server, err := start(ctx, store)
	if err != nil {
		return err
	}
	defer server.stop()
	if failed := play(ctx, &client{base: server.url}, out); failed > 0 {
		return fmt.Errorf("%d steps were not as expected", failed)
	}
	fmt.Fprintln(out, "\nEvery step was as expected. Look at the contract: examples/quickstart/openapi.idempotency.lock.yaml")
	return nil
}

// server is a running quickstart.
type server struct {
	url  string
	stop func()
}

// start builds the quickstart into a temporary folder, starts it on a free port and waits until it is ready.
func start(ctx context.Context, store string) (*server, error) {
	dir, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "quickstart")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/idemgen/idemgen/examples/quickstart")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build: %w\n%s", err, output), os.RemoveAll(dir))
	}
	cmd := exec.CommandContext(ctx, binary, "-addr", "127.0.0.1:0", "-delay", "300ms", "-store", store)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		stop()
		return nil, fmt.Errorf("the quickstart did not come up: %q %w", line, err)
	}
	return &server{url: "http://" + addr, stop: stop}, nil
}

// client sends requests to the quickstart.
type client struct{ base string }

// answer is what came back.
type answer struct {
	status   int
	replayed bool
	body     string
	err      error
}

func (c *client) pay(ctx context.Context, tenant, key, body string) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/payments", strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+tenant)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return c.do(req)
}

func (c *client) effects(ctx context.Context, tenant string) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/payments", nil)
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+tenant)
	return c.do(req)
}

func (c *client) do(req *http.Request) answer {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, replayed: resp.Header.Get("Idempotent-Replayed") == "true", body: string(body), err: err}
}
