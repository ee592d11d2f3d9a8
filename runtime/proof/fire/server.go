package fire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// applicationName tells the servers' sessions from the harness's.
const applicationName = "idemgen_fire"

// serve is a server process: it goes on until it is killed.
func serve(s settings) error {
	pool, err := openPool(s)
	if err != nil {
		return err
	}
	j, err := openJournal(s.Journal)
	if err != nil {
		return err
	}
	engine, err := idem.NewEngine(s.Scenario.Store.open(pool), shop.Contract(s.Scenario.operations()...), shop.Scope, idem.Options{
		Deadline: s.Scenario.deadline(),
		Error:    answerFailure,
		Sweep:    sweepEvery,
		Recover:  recoverEvery,
		Observer: observer{j},
	})
	if err != nil {
		return fmt.Errorf("fire: %w", err)
	}
	mux := http.NewServeMux()
	for _, op := range s.Scenario.operations() {
		mux.Handle("POST "+op.Path, s.handler(engine, op))
	}
	go func() { _ = engine.Run(context.Background()) }() // until the process is killed
	return listen(s.Servers[0], mux)
}

func (s settings) handler(engine *idem.Engine[pgx.Tx], op *idem.Operation) http.Handler {
	pays := payment{op, s.Provider, s.Start.Add(s.Scenario.Duration)}
	switch {
	case op.Execution != idem.Leased:
		return idem.Handle(engine, op, shop.Decode, transactional(op))
	case op.Takeover == idem.Recover:
		return idem.HandleLeased(engine, op, shop.Decode, pays.handle, pays.restore)
	}
	return idem.HandleLeased(engine, op, shop.Decode, pays.handle, nil)
}

func openPool(s settings) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(s.Database)
	if err != nil {
		return nil, fmt.Errorf("fire: read the database's address: %w", err)
	}
	cfg.MaxConns = 12
	cfg.ConnConfig.ConnectTimeout = time.Second
	cfg.ConnConfig.RuntimeParams["application_name"] = applicationName
	if s.Scenario.Forgetful {
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, fmt.Errorf("fire: open a pool: %w", err)
	}
	return pool, nil
}

// answerFailure tells a client that nothing is left of its request, where that is so: a transactional handler failed.
func answerFailure(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	if errors.Is(err, errByChance) {
		status = http.StatusFailedDependency
	}
	http.Error(w, "failed", status)
}

// observer writes into the journal what does not happen in every request.
type observer struct{ journal journal }

var observed = []idem.EventKind{
	idem.EventNotSettled, idem.EventTookOver, idem.EventLostLease, idem.EventRecovered, idem.EventGaveUp, idem.EventNotExtended,
	idem.EventStoreFailed, idem.EventRunFailed, idem.EventNotBound, idem.EventContractUnknown,
}

// Observe is told of everything.
func (o observer) Observe(_ context.Context, e idem.Event) {
	if slices.Contains(observed, e.Kind) {
		_ = o.journal.write(entry{Event: e.Kind.String()}) // a server cannot do more
	}
}

// listen serves at an address that the process before may just have left.
func listen(address string, h http.Handler) error {
	for {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		server := http.Server{Handler: h, ReadHeaderTimeout: longest, ErrorLog: log.New(io.Discard, "", 0)}
		return server.Serve(l)
	}
}
