package fire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// charge is what a leased handler asks of the provider, another system: it charges once for each downstream key, however often it
// is asked.
type charge struct {
	Downstream string
	Path, Key  string
	Record     string
}

// provider is that system. It runs in the harness's process, which nothing happens to.
type provider struct {
	calm    time.Time // when it stops failing
	mu      sync.Mutex
	charges map[charge]int // how often it was asked
}

// serve answers until ctx is done.
func (p *provider) serve(ctx context.Context) (url string, err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("fire: start the provider: %w", err)
	}
	server := http.Server{Handler: p, ReadHeaderTimeout: longest}
	go func() { _ = server.Serve(l) }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + l.Addr().String(), nil
}

// ServeHTTP charges. Sometimes it fails before, and sometimes its answer does not say that it did.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Duration(rand.Int64N(int64(10 * time.Millisecond))))
	var c charge
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || p.fails(50) {
		http.Error(w, "not charged", http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	p.charges[c]++
	p.mu.Unlock()
	if p.fails(20) {
		http.Error(w, "perhaps charged", http.StatusInternalServerError)
	}
}

// fails is so once in n times.
func (p *provider) fails(n int) bool { return rand.IntN(n) == 0 && time.Now().Before(p.calm) }

// all gives what was charged.
func (p *provider) all() []charge {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.charges))
}

// count gives how much was charged, and how often it was asked for.
func (p *provider) count() (charges, calls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.charges {
		calls += n
	}
	return len(p.charges), calls
}

// ask asks the provider at url for the charge.
func (c charge) ask(ctx context.Context, url string) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("fire: write charge: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("fire: ask for charge: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("fire: ask for charge: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection can be used again
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("fire: ask for charge: the provider says %d", response.StatusCode)
	}
	return nil
}
