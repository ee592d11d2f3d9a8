package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

const (
	processes = 3
	customers = 8
	// keyEvery is how often a new key of each operation comes into use, and keyWindow how many are in use at a time.
	keyEvery  = 1500 * time.Millisecond
	keyWindow = 2
	// stormy is how long there is trouble.
	stormy = 20 * time.Second
	// quiet is how long a key may take to be settled after that: recoveries that failed wait for minutes.
	quiet = 2 * time.Hour
)

// counts are what engines told of, by name.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

// Observe counts an event.
func (c *counts) Observe(_ context.Context, e idem.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[e.Kind.String()]++
}

// Control makes a mistake in a store; nil makes none.
type Control func(idem.LeaseStore[*memstore.Tx]) idem.LeaseStore[*memstore.Tx]

// world is everything that there is.
type world struct {
	seed     uint64
	store    idem.LeaseStore[*memstore.Tx]
	memory   *memstore.Store // beneath it
	books    *books
	start    time.Time
	calm     time.Time
	counts   *counts
	recorder history.Recorder

	mu      sync.Mutex
	all     []*process
	running sync.WaitGroup // Engine.Run of all processes
}

// process is a server process; it is replaced when it crashes.
type process struct {
	wire   *wire
	client shop.Client
	stop   context.CancelFunc
}

// live lets a world be, and gives what is wrong with it. It must run inside a bubble of simulated time.
func live(ctx context.Context, seed uint64, control Control, c *counts) []string {
	store := memstore.New()
	w := &world{seed: seed, store: store, memory: store, start: time.Now(), calm: time.Now().Add(stormy), counts: c,
		books: &books{charges: map[charge]int{}}}
	if control != nil {
		w.store = control(store)
	}
	for i := range processes {
		if err := w.startProcess(ctx, i); err != nil {
			return []string{err.Error()}
		}
	}
	w.storm(ctx)
	for _, p := range w.all {
		p.wire.calm()
	}
	time.Sleep(5 * lease) // what is under way comes to its end
	violations := w.settle(ctx)
	for _, p := range w.all {
		p.stop()
	}
	w.running.Wait()
	time.Sleep(5 * lease)
	return append(violations, w.check()...)
}

// startProcess puts a new process in place i. The caller has the lock, or is alone.
func (w *world) startProcess(ctx context.Context, i int) error {
	dice := rand.New(rand.NewPCG(w.seed, uint64(len(w.all)*processes+i)))
	t := trouble{slow: dice.IntN(40), lost: dice.IntN(40), crash: dice.IntN(6)}
	if time.Now().After(w.calm) {
		t = trouble{}
	}
	wire := newWire(w.store, w.memory, dice.Uint64(), t)
	engine, err := idem.NewEngine[*memstore.Tx](wire, shop.Contract(operations...), shop.Scope, idem.Options{
		Deadline: 10 * lease, Sweep: lease, Recover: lease / 2, Error: answerFailure, Observer: w.counts,
	})
	if err != nil {
		return fmt.Errorf("simulation: %w", err)
	}
	b := business{w.books, w.memory, wire, w.calm}
	mux := http.NewServeMux()
	for _, op := range operations {
		mux.Handle("POST "+op.Path, b.mount(engine, op))
	}
	ctx, stop := context.WithCancel(ctx)
	p := &process{wire, shop.Local(mux), stop}
	w.running.Go(func() { _ = engine.Run(ctx) })
	w.running.Go(func() {
		select {
		case <-wire.crashed:
			stop()
		case <-ctx.Done():
		}
	})
	if len(w.all) <= i {
		w.all = append(w.all, p)
	} else {
		w.all[i] = p
	}
	return nil
}

func (b business) mount(engine *idem.Engine[*memstore.Tx], op *idem.Operation) http.Handler {
	switch {
	case op.Execution != idem.Leased:
		return idem.Handle(engine, op, shop.Decode, b.order(op))
	case op.Takeover == idem.Recover:
		return idem.HandleLeased(engine, op, shop.Decode, b.pay(op), b.restore(op))
	}
	return idem.HandleLeased(engine, op, shop.Decode, b.pay(op), nil)
}

func answerFailure(w http.ResponseWriter, _ *http.Request, _ error) {
	http.Error(w, "failed", http.StatusInternalServerError)
}

// storm lets customers come and go until the trouble ends.
func (w *world) storm(ctx context.Context) {
	var all sync.WaitGroup
	for c := range customers {
		dice := rand.New(rand.NewPCG(w.seed, uint64(1000+c)))
		all.Go(func() {
			for n := 0; time.Now().Before(w.calm); n++ {
				o := w.choose(dice)
				o.Call = fmt.Sprintf("%d-%d", c, n)
				w.send(ctx, dice.IntN(processes), o)
				time.Sleep(time.Duration(dice.Int64N(int64(lease / 4))))
			}
		})
	}
	all.Wait()
}

// choose takes a key that others are using now, and sometimes another command than theirs.
func (w *world) choose(dice *rand.Rand) shop.Order {
	op := operations[dice.IntN(len(operations))]
	n := w.keysUsed() + dice.IntN(keyWindow)
	o := shop.Order{Path: op.Path, Key: fmt.Sprint(n), Command: shop.Command{Amount: "10"}}
	switch {
	case op.Retention == briefly:
		o.Key = "0"
		return o
	case op.Unique != nil:
		o.Amount = amountOf(n)
		o.Key = []string{"", o.Key + "-a", o.Key + "-b"}[dice.IntN(3)]
		return o
	}
	if dice.IntN(10) == 0 {
		o.Amount = "11"
	}
	return o
}

// amountOf is a business key that stands for a key.
func amountOf(key int) idem.Number { return idem.Number(fmt.Sprint(key + 1)) }

// keysUsed is how many keys are not new any more.
func (w *world) keysUsed() int { return int(time.Since(w.start) / keyEvery) }

// send sends an order to process i, which may crash over it. Then nobody hears its answer, and another process takes its place.
func (w *world) send(ctx context.Context, i int, o shop.Order) history.Answer {
	w.mu.Lock()
	p := w.all[i]
	w.mu.Unlock()
	leases := isLeased(o.Path)
	id := w.recorder.Begin(history.Call{Key: o.Path + " " + shop.Identity(o.Path, o.Key, o.Command), Command: string(o.Amount), ID: o.Call, Leased: leases})
	answers := make(chan history.Answer, 1)
	go func() {
		a, err := p.client.Send(ctx, o)
		answer := history.AnswerOf(a, err)
		if answer.Kind == history.Nothing && leases {
			answer.Kind = history.Lost // an attempt that lost its lease leaves its claim to the next one
		}
		answers <- answer
	}()
	answer := history.Answer{}
	select {
	case answer = <-answers:
	case <-p.wire.crashed:
		time.Sleep(lease / 10)
	}
	if p.wire.isDead() {
		answer = history.Answer{Kind: history.Lost}
		w.replace(ctx, i, p)
	}
	w.recorder.End(id, answer)
	return answer
}

func isLeased(path string) bool {
	return slices.ContainsFunc(operations, func(op *idem.Operation) bool { return op.Path == path && op.Execution == idem.Leased })
}

// replace starts a process where another one has crashed, once: several may have seen it crash, and a process that another one
// replaces would never be stopped.
func (w *world) replace(ctx context.Context, i int, dead *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all[i] == dead {
		_ = w.startProcess(ctx, i) // the same as at the beginning, which went well
	}
}

var errUnsettled = errors.New("stuck")

// settle sends one order after the other until every key has an outcome.
func (w *world) settle(ctx context.Context) (stuck []string) {
	used := int(stormy/keyEvery) + keyWindow
	for _, op := range operations {
		for key := range used {
			o := shop.Order{Path: op.Path, Key: fmt.Sprint(key), Command: shop.Command{Amount: "10"}}
			if op.Unique != nil {
				o.Key, o.Amount = "", amountOf(key)
			}
			if err := w.insist(ctx, o); err != nil {
				stuck = append(stuck, fmt.Sprintf("%v: %s %s has no outcome after %s of quiet", err, o.Path, o.Key, quiet))
			}
		}
	}
	return stuck
}

func (w *world) insist(ctx context.Context, o shop.Order) error {
	end := time.Now().Add(quiet)
	for n := 0; time.Now().Before(end); n++ {
		o.Call = fmt.Sprintf("last %s %s %d", o.Path, shop.Identity(o.Path, o.Key, o.Command), n)
		switch a := w.send(ctx, n%processes, o); a.Kind {
		case history.Ran, history.Replayed:
			return nil
		case history.Mismatch:
			o.Amount = "11"
			continue
		case history.Lost, history.Nothing:
		}
		time.Sleep(lease)
	}
	return errUnsettled
}
