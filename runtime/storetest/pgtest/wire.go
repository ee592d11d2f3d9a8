package pgtest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrLost is what a connection gives that Wire has lost.
var ErrLost = errors.New("pgtest: the connection was lost on purpose")

// Counts are what went over the wire.
type Counts struct {
	// RoundTrips are the times that the client sent something to be answered while no answer was outstanding.
	RoundTrips int
	// Commits are the command tags COMMIT that the server answered, and the statements that wrote rows outside of a transaction
	// block and so committed by themselves; what writes inside a "with" of a select does not show. Rollbacks are the tags ROLLBACK.
	Commits, Rollbacks int
}

// Wire is what lies between a pool and the server. It reads the protocol in both directions, so its counts are exact.
type Wire struct {
	mu          sync.Mutex
	counts      Counts
	delay       time.Duration
	loseRequest bool
	loseCommit  bool
}

// Watch puts a wire between the pools that are made of cfg and the server. Their connections are not encrypted.
func Watch(cfg *pgxpool.Config) *Wire {
	w := &Wire{}
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.TLSConfig, cfg.ConnConfig.Fallbacks = nil, nil
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &wireConn{Conn: conn, wire: w, requests: frames{startup: true}}, nil
	}
	return w
}

// Reset makes the counts zero.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = Counts{}
}

// Counts gives what was counted since the last Reset.
func (w *Wire) Counts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts
}

// Delay makes each round trip take at least d.
func (w *Wire) Delay(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay = d
}

// LoseNextRequest loses the connection that sends next, before the server hears anything.
func (w *Wire) LoseNextRequest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loseRequest = true
}

// LoseNextCommit loses the connection on which the server commits next, before the client hears of it.
func (w *Wire) LoseNextCommit() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loseCommit = true
}

// Spare takes back what was to be lost and was not yet.
func (w *Wire) Spare() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loseRequest, w.loseCommit = false, false
}

// wireConn is one connection. The client's side and the server's side may be used at once.
type wireConn struct {
	net.Conn
	wire        *Wire
	requests    frames // written by Write alone
	answers     frames // written by Read alone
	outstanding int    // answers that are due; guarded by wire.mu, like all below
	due         time.Time
	lost        bool
	wrote       bool // rows, since the last commit, rollback or error
}

func (c *wireConn) Write(b []byte) (int, error) {
	if c.losesRequest() {
		_ = c.Close()
		return len(b), nil // as after a cable was cut: the sender does not notice
	}
	c.requests.feed(b, func(kind byte, _ []byte) {
		if kind == 'S' || kind == 'Q' { // Sync, Query: answered by ReadyForQuery
			c.asked()
		}
	})
	return c.Conn.Write(b)
}

func (c *wireConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.answers.feed(b[:n], c.answered)
	due, lost := c.state()
	if lost {
		_ = c.Close()
		return 0, ErrLost
	}
	if n > 0 {
		time.Sleep(time.Until(due))
	}
	return n, err
}

func (c *wireConn) losesRequest() bool {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.wire.loseRequest {
		c.wire.loseRequest, c.lost = false, true
	}
	return c.lost
}

func (c *wireConn) asked() {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.outstanding == 0 {
		c.wire.counts.RoundTrips++
		c.due = time.Now().Add(c.wire.delay)
	}
	c.outstanding++
}

func (c *wireConn) answered(kind byte, payload []byte) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	switch kind {
	case 'Z': // ReadyForQuery, with the transaction's state; the first one answers the startup, which nobody counts
		c.outstanding = max(c.outstanding-1, 0)
		if c.wrote && payload[0] == 'I' {
			c.committed()
		}
	case 'E': // ErrorResponse
		c.wrote = false
	case 'C': // CommandComplete: a tag and a zero byte
		switch tag := string(bytes.TrimSuffix(payload, []byte{0})); tag {
		case "COMMIT":
			c.committed()
		case "ROLLBACK":
			c.wire.counts.Rollbacks++
			c.wrote = false
		default:
			c.wrote = c.wrote || wroteRows(tag)
		}
	}
}

// committed counts a commit. The caller holds wire.mu.
func (c *wireConn) committed() {
	c.wrote = false
	c.wire.counts.Commits++
	if c.wire.loseCommit {
		c.wire.loseCommit, c.lost = false, true
	}
}

// wroteRows reads a command tag: its first word is the command, its last one the number of rows.
func wroteRows(tag string) bool {
	words := strings.Fields(tag)
	if len(words) < 2 {
		return false
	}
	switch words[0] {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY":
		return words[len(words)-1] != "0"
	}
	return false
}

func (c *wireConn) state() (due time.Time, lost bool) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.due, c.lost
}
