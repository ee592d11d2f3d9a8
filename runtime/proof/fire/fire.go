//go:build unix

package fire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const (
	servers = 3
	clients = 2
)

// Run runs a scenario in folder, which must exist, and gives what came of it. The error says that the harness failed, not the
// protocol: see Report.Violations.
func Run(ctx context.Context, s Scenario, folder string) (Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{scenario: s, folder: folder}
	defer r.close()
	if err := r.prepare(ctx); err != nil {
		return Report{}, err
	}
	if err := r.burn(ctx); err != nil {
		return Report{}, err
	}
	stuck, err := r.settle(ctx)
	if err != nil {
		return Report{}, err
	}
	report, err := r.check(ctx)
	report.Violations = append(report.Violations, stuck...)
	return report, err
}

// run is one scenario under way.
type run struct {
	scenario Scenario
	folder   string
	start    time.Time
	database *pgtest.Server
	pool     *pgxpool.Pool // the harness's own
	store    *pgstore.Store
	dealer   *dealer
	provider *provider
	log      *os.File
	closers  []func() error
}

func (r *run) close() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		_ = r.closers[i]() // the run's own errors count
	}
}

// prepare starts everything.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.database, err = pgtest.Start(ctx, pgtest.Options{Durable: true, Restart: true}); err != nil {
		return err
	}
	r.closers = append(r.closers, r.database.Stop)
	if r.pool, err = pgxpool.New(ctx, r.database.URL()); err != nil {
		return fmt.Errorf("fire: open a pool: %w", err)
	}
	r.closers = append(r.closers, func() error { r.pool.Close(); return nil })
	if err := pgstore.Migrate(ctx, r.pool); err != nil {
		return err
	}
	if _, err := r.pool.Exec(ctx, tablesSQL); err != nil {
		return fmt.Errorf("fire: make the tables: %w", err)
	}
	r.store = pgstore.New(r.pool)
	if r.log, err = os.Create(filepath.Join(r.folder, "log")); err != nil {
		return fmt.Errorf("fire: make a log: %w", err)
	}
	r.closers = append(r.closers, r.log.Close)
	r.start = time.Now()
	r.provider = &provider{calm: r.start.Add(r.scenario.Duration), charges: map[charge]int{}}
	return r.startProcesses(ctx)
}

func (r *run) startProcesses(ctx context.Context) error {
	addresses, err := freeAddresses(ctx, servers)
	if err != nil {
		return err
	}
	url, err := r.provider.serve(ctx)
	if err != nil {
		return err
	}
	r.dealer = &dealer{scenario: r.scenario, database: r.database, admin: r.pool, dealt: map[card]int{}}
	for i := range addresses {
		own := append([]string{addresses[i]}, addresses...)
		p, err := r.startProcess(ctx, settings{Role: roleServer, Name: fmt.Sprintf("server%d", i), Servers: own, Provider: url})
		if err != nil {
			return err
		}
		r.dealer.servers = append(r.dealer.servers, p)
	}
	for i := range clients {
		p, err := r.startProcess(ctx, settings{Role: roleClient, Name: fmt.Sprintf("client%d", i), Servers: addresses})
		if err != nil {
			return err
		}
		r.dealer.clients = append(r.dealer.clients, p)
	}
	return nil
}

func (r *run) startProcess(ctx context.Context, s settings) (*process, error) {
	s.Database, s.Journal, s.Scenario, s.Start = r.database.URL(), r.journalPath(), r.scenario, r.start
	p, err := startProcess(ctx, s, r.log)
	if err == nil {
		r.closers = append(r.closers, p.stop)
	}
	return p, err
}

func (r *run) journalPath() string { return filepath.Join(r.folder, "journal") }

// freeAddresses gives loopback addresses that nobody uses. Servers that come back use the same ones.
func freeAddresses(ctx context.Context, n int) ([]string, error) {
	var all []string
	for range n {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("fire: find a free address: %w", err)
		}
		defer func() { _ = l.Close() }() // all at once, so that they differ
		all = append(all, l.Addr().String())
	}
	return all, nil
}

// burn lets it all happen.
func (r *run) burn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.scenario.Duration)
	defer cancel()
	var all sync.WaitGroup
	var failed error
	all.Go(func() { failed = r.dealer.run(ctx) })
	all.Go(func() { r.dealer.disturb(ctx) })
	all.Go(func() { r.sweep(ctx) })
	all.Wait()
	if failed != nil {
		return failed
	}
	for _, p := range r.dealer.clients {
		failed = errors.Join(failed, p.stop())
	}
	return failed
}

// sweep deletes expired records as fast as it can. The database comes and goes meanwhile.
func (r *run) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		_, _ = r.store.Sweep(ctx, 100)
		time.Sleep(10 * time.Millisecond)
	}
}

// tail gives the end of what the processes complained about.
func (r *run) tail() string {
	const most = 4000
	f, err := os.Open(r.log.Name())
	if err != nil {
		return err.Error()
	}
	defer func() { _ = f.Close() }()
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	} else {
		_, _ = f.Seek(0, io.SeekStart)
	}
	text, _ := io.ReadAll(f) // what could be read is better than nothing
	return string(text)
}
