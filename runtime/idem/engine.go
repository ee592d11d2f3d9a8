package idem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Engine runs handlers at most once for each key. It is safe for concurrent use.
type Engine[Tx any] struct {
	store    Store[Tx]
	resolve  func(context.Context) ([]string, error)
	options  Options
	plans    map[*Operation]*plan
	router   *router
	seals    seals
	running  *running
	answerer answerer

	// leases, heart and recoveries belong to leased operations; without one they are nil or empty.
	leases     LeaseStore[Tx]
	heart      *heart[Tx]
	recoveries recoveries[Tx]
	runner     *runner
	made       time.Time
	// backoffStart is what it says; tests shorten it.
	backoffStart time.Duration

	// patience is endPatience, and doubt doubtPatience; tests shorten them.
	patience, doubt time.Duration
}

// NewEngine checks the contract and ties it to a store. Generated packages wrap it in a NewEngine of their own.
// scope gives the values of contract.Dimensions for the authenticated caller of ctx. The error names everything that is wrong
// and what to give instead.
func NewEngine[Tx any](store Store[Tx], contract Contract, scope func(ctx context.Context) ([]string, error), opts Options) (*Engine[Tx], error) {
	var errs []error
	if store == nil {
		errs = append(errs, errors.New("the store is nil: pass memstore.New() or pgstore.New(pool)"))
	}
	if scope == nil {
		errs = append(errs, errors.New("the scope resolver is nil: pass a function that gives the authenticated caller's scope"))
	}
	opts, err := opts.checked(contract.BasePath)
	errs = append(errs, err)
	plans, err := newPlans(&contract, opts.Keys)
	errs = append(errs, err)
	errs = append(errs, checkSealer(contract, opts))
	shortest, err := checkLeases(store, contract)
	errs = append(errs, err)
	router, err := routesOf(contract, opts.BasePath, plans)
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("idem: new engine: %w", err)
	}
	e := &Engine[Tx]{
		store: store, resolve: scope, options: opts, plans: plans, router: router, running: newRunning(),
		answerer: answerer{opts.Problem, opts.Error}, patience: endPatience, doubt: doubtPatience,
		runner: newRunner(), made: time.Now(), backoffStart: backoffStart,
		seals: seals{opts.Sealer},
	}
	if shortest > 0 {
		e.options.Recover = opts.recoverEvery(shortest)
		e.leases = store.(LeaseStore[Tx]) // checkLeases
		e.heart = newHeart(e.leases, shortest/3, func(ctx context.Context, leases int, err error) {
			e.options.Observer.Observe(ctx, Event{Kind: EventNotExtended, Count: leases, Err: err})
		})
	}
	return e, nil
}

// checkSealer demands one where a command with sensitive fields is stored, as it came, for a recovery.
func checkSealer(contract Contract, opts Options) error {
	if opts.Sealer != nil {
		return nil
	}
	var errs []error
	for _, op := range contract.Operations {
		if op == nil || op.Execution != Leased || op.Takeover != Recover {
			continue
		}
		if slices.ContainsFunc(op.Versions, func(v Version) bool { return len(v.Sensitive) > 0 }) {
			errs = append(errs, fmt.Errorf("operation %q: its requests have sensitive fields and are stored until they have an outcome, for a recovery: give Options.Sealer, so that nobody reads them in the database", op.Name))
		}
	}
	return errors.Join(errs...)
}

// checkLeases gives the shortest lease of the contract's operations; 0 when none is leased.
func checkLeases[Tx any](store Store[Tx], contract Contract) (shortest time.Duration, err error) {
	for _, op := range contract.Operations {
		if op == nil || op.Execution != Leased || op.Lease <= 0 {
			continue // reported by newPlans
		}
		if shortest == 0 || op.Lease < shortest {
			shortest = op.Lease
		}
	}
	if shortest == 0 || store == nil {
		return shortest, nil
	}
	if _, ok := store.(LeaseStore[Tx]); !ok {
		return 0, fmt.Errorf("the contract has leased operations, and a %T keeps no leases: pass memstore.New() or pgstore.New(pool)", store)
	}
	if c, ok := store.(LeaseChecker); ok {
		return shortest, c.CheckLeases()
	}
	return shortest, nil
}

func newPlans(contract *Contract, keys *KeyRing) (map[*Operation]*plan, error) {
	var errs []error
	if len(contract.Operations) == 0 {
		errs = append(errs, errors.New("the contract has no operations"))
	}
	plans := make(map[*Operation]*plan, len(contract.Operations))
	names := map[string]bool{}
	for i, op := range contract.Operations {
		if op == nil || op.Name == "" {
			errs = append(errs, fmt.Errorf("the contract's Operations[%d] is nil or has no Name", i))
			continue
		}
		if names[op.Name] {
			errs = append(errs, fmt.Errorf("operation %q stands there twice: names are unique in a contract", op.Name))
		}
		names[op.Name] = true
		p, err := newPlan(op, contract, keys)
		errs = append(errs, err)
		plans[op] = p
	}
	return plans, errors.Join(errs...)
}

// routesOf builds the matcher of the whole API; annotated operations and the others side by side.
func routesOf(contract Contract, base string, plans map[*Operation]*plan) (*router, error) {
	var errs []error
	r := newRouter(base)
	seen := map[Route]bool{}
	for _, op := range contract.Operations {
		p := plans[op]
		if p == nil || op.webhook() {
			continue // reported by newPlans, or served by its handler alone
		}
		at := Route{op.Method, op.Path}
		if seen[at] {
			errs = append(errs, fmt.Errorf("operation %q: %s %s belongs to another operation", op.Name, op.Method, op.Path))
		}
		seen[at] = true
		r.add(op.Method, p.template, p)
	}
	for _, other := range contract.Others {
		t, err := parseTemplate(other.Path)
		if err != nil || seen[other] {
			errs = append(errs, fmt.Errorf("the contract's Others has %s %q, which is malformed or an annotated operation", other.Method, other.Path))
			continue
		}
		r.add(other.Method, t, nil)
	}
	return r, errors.Join(errs...)
}
