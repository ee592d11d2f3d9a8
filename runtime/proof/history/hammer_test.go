package history_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

const (
	hammerClients  = 16
	hammerRequests = 600 // a client's
	// waveLength is how many requests a client sends before all move on to the next keys.
	waveLength = 6
	patience   = 30 * time.Second
)

// world is a store with a business on it: how a handler writes under a key, and how many of its writes committed.
type world[Tx any] struct {
	store  idem.Store[Tx]
	prefix string // of the names of its writes
	write  func(ctx context.Context, tx Tx, key string) error
	count  func(key string) int
}

// fate is what becomes of a run. It follows from the call, so that a run says the same whoever looks.
type fate int

const (
	succeeds  fate = iota
	declines       // 402, with the effect
	refuses        // 422, without it
	fails          // an error: no outcome
	postpones      // an excepted status: none either
	vanishes       // runtime.Goexit: the client gets nothing
)

// fates are shares of a hundred, one after the other; the rest succeeds.
var fates = []struct {
	fate
	below uint32
}{{fails, 30}, {postpones, 40}, {vanishes, 47}, {refuses, 60}, {declines, 70}}

func fateOf(call string) fate {
	h := fnv.New32a()
	_, _ = h.Write([]byte(call))
	dice := h.Sum32() % 100
	for _, f := range fates {
		if dice < f.below {
			return f.fate
		}
	}
	return succeeds
}

// effects is how many effects an outcome of the call has.
func (f fate) effects() int {
	if f == succeeds || f == declines {
		return 1
	}
	return 0
}

var errFails = errors.New("the handler fails")

// handle writes, sleeps and ends as the call's fate says.
func (w world[Tx]) handle(ctx context.Context, ex *idem.Execution[Tx], cmd shop.Command) (idem.Response, error) {
	if err := w.write(ctx, ex.Tx(), w.prefix+ex.Key()); err != nil {
		return idem.Response{}, err
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	receipt := shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}
	switch fateOf(cmd.Call) {
	case declines:
		ex.KeepWrites()
		return receipt.Response(http.StatusPaymentRequired)
	case refuses:
		return receipt.Response(http.StatusUnprocessableEntity)
	case fails:
		return idem.Response{}, errFails
	case postpones:
		return idem.Response{Status: http.StatusTooManyRequests}, nil
	case vanishes:
		runtime.Goexit()
	case succeeds:
	}
	return receipt.Response(http.StatusCreated)
}

// handleLeased is handle in phases: the first one writes under a name of its own, the last one what handle writes. Both stay, however
// the run ends.
func (w world[Tx]) handleLeased(ctx context.Context, l *idem.Lease[Tx], cmd shop.Command) (idem.Response, error) {
	step := func(run phase[Tx], name, key string) error {
		_, err := run(ctx, l, name, func(tx Tx) (struct{}, error) { return struct{}{}, w.write(ctx, tx, w.prefix+key) })
		return err
	}
	if err := step(idem.Phase[struct{}, Tx], "reserve", l.Key()+" reserved"); err != nil {
		return idem.Response{}, err
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	switch fateOf(cmd.Call) {
	case fails:
		return idem.Response{}, errFails
	case postpones:
		return idem.Response{Status: http.StatusTooManyRequests}, nil
	case vanishes:
		runtime.Goexit()
	case succeeds, declines, refuses:
	}
	if err := step(idem.LastPhase[struct{}, Tx], "final", l.Key()); err != nil {
		return idem.Response{}, err
	}
	return shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}.Response(http.StatusCreated)
}

type phase[Tx any] = func(context.Context, *idem.Lease[Tx], string, func(Tx) (struct{}, error)) (struct{}, error)

// leased is an operation whose attempts the next request goes on with. Nothing takes as long as its lease.
func leased() *idem.Operation {
	return shop.Operation("order", func(op *idem.Operation) {
		op.Execution, op.Takeover, op.Lease, op.Attempts = idem.Leased, idem.Retake, time.Minute, 1000
	})
}

// process is a server process: an engine with its own map of running keys. A failed handler is answered 424, so that a client
// knows that nothing is left of the request.
func (w world[Tx]) process(t *testing.T, op *idem.Operation) shop.Client {
	t.Helper()
	failed := func(w http.ResponseWriter, _ *http.Request, err error) {
		status := http.StatusInternalServerError
		if errors.Is(err, errFails) {
			status = http.StatusFailedDependency
		}
		http.Error(w, "failed", status)
	}
	engine, err := idem.NewEngine(w.store, shop.Contract(op), shop.Scope, idem.Options{Error: failed})
	require.NoError(t, err)
	if op.Execution != idem.Leased {
		return shop.Local(idem.Handle(engine, op, shop.Decode, w.handle))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error)
	go func() { ended <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return shop.Local(idem.HandleLeased(engine, op, shop.Decode, w.handleLeased, nil))
}

// hammer lets clients of two processes send orders of two commands under few keys, and gives what they saw.
func hammer[Tx any](t *testing.T, w world[Tx], op *idem.Operation) []history.Operation {
	t.Helper()
	processes := []shop.Client{w.process(t, op), w.process(t, op)}
	var recorder history.Recorder
	var all sync.WaitGroup
	for client := range hammerClients {
		all.Go(func() {
			for i := range hammerRequests {
				key := i/waveLength*2 + rand.IntN(2)
				call := history.Call{Key: fmt.Sprint(key), Command: "10", ID: fmt.Sprintf("%d-%d", client, i), Leased: op.Execution == idem.Leased}
				if rand.IntN(5) == 0 {
					call.Command = "11"
				}
				send(t, &recorder, processes[(client+i)%2], op.Path, call)
			}
		})
	}
	all.Wait()
	return recorder.Operations()
}

// send runs one request in a goroutine of its own, since the handler may end it.
func send(t *testing.T, recorder *history.Recorder, c shop.Client, path string, call history.Call) {
	id := recorder.Begin(call)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o := shop.Order{Path: path, Key: call.Key, Command: shop.Command{Amount: idem.Number(call.Command), Call: call.ID}}
		a, err := c.Send(context.WithoutCancel(t.Context()), o)
		if !assert.NoError(t, err) {
			return
		}
		answer := history.AnswerOf(a, nil)
		if answer.Kind == history.Nothing && call.Leased && a.Code != idem.CodeInFlight {
			answer.Kind = history.Lost // its claim is there for the next attempt
		}
		recorder.End(id, answer)
	}()
	<-done
}

// requireOneEffect compares the effects under every key with the outcome that it has: the runs that clients were told of.
func requireOneEffect[Tx any](t *testing.T, w world[Tx], all []history.Operation) {
	t.Helper()
	outcomes := map[string]int{}
	for _, o := range all {
		switch {
		case o.Kind != history.Ran && o.Kind != history.Replayed:
		case o.Leased:
			outcomes[o.Key], outcomes[o.Key+" reserved"] = 1, 1
		default:
			outcomes[o.Key] = fateOf(o.Receipt.Call).effects()
		}
	}
	require.NotEmpty(t, outcomes)
	for key, want := range outcomes {
		assert.Equal(t, want, w.count(w.prefix+key), "effects under key %s", key)
	}
}
