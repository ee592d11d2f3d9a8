package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
)

const (
	insertSQL = `insert into payment (amount) values ($1) returning id`
	answerSQL = `select body from answer where id = $1`
)

// body is as long as a small JSON response.
var body = bytes.Repeat([]byte(`{"id":"pay_0001"}`), 20)

func newClaim(key string) idem.Claim {
	return idem.Claim{
		Scope: `["acme"]`, Keyspace: "createPayment", Key: key, Operation: "createPayment",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(),
		Fingerprints: bytes.Repeat([]byte{7}, 44), Fields: bytes.Repeat([]byte{7}, 24),
		Retention: 24 * time.Hour, LockTimeout: 50 * time.Millisecond, IdleTimeout: 35 * time.Second,
	}
}

// newRecord is a claim of a new key.
func newRecord() idem.Claim { return newClaim(idem.NewUUID().String()) }

func created() idem.Completion {
	return idem.Completion{State: idem.StateCompleted, Response: idem.Response{
		Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/1"}}, Body: body,
	}}
}

// floor is the bare transaction.
func (s side) floor(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id int64
		return tx.QueryRow(ctx, insertSQL, int64(100)).Scan(&id)
	})
}

// claim takes a new key.
func (s side) claim(ctx context.Context) (idem.Held[pgx.Tx], error) {
	held, prior, err := s.store.Claim(ctx, newRecord())
	if err == nil && held == nil {
		err = fmt.Errorf("a new key was found in state %d", prior.State)
	}
	return held, err
}

// first is a first request.
func (s side) first(ctx context.Context) error {
	held, err := s.claim(ctx)
	if err != nil {
		return err
	}
	var id int64
	if err := held.Tx().QueryRow(ctx, insertSQL, int64(100)).Scan(&id); err != nil {
		return err
	}
	return held.Complete(ctx, created())
}

var errNoQueue = errors.New("the store queues no statements")

// queued is a first request that sends its write with the completion.
func (s side) queued(ctx context.Context) error {
	held, err := s.claim(ctx)
	if err != nil {
		return err
	}
	q, ok := held.(idem.Queuer)
	if !ok {
		return errNoQueue
	}
	q.Queue(insertSQL, int64(100))
	return held.Complete(ctx, created())
}

// leased is a first request of a leased operation whose only phase is its last one.
func (s side) leased(ctx context.Context) error {
	c := newRecord()
	c.Lease = 30 * time.Second
	prior, err := s.store.ClaimLease(ctx, c)
	if err != nil {
		return err
	}
	if prior.State != idem.StateAbsent {
		return fmt.Errorf("a new key was found in state %d", prior.State)
	}
	ref := idem.LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease}
	held, err := s.store.BeginPhase(ctx, ref, idem.BeginOptions{IdleTimeout: c.IdleTimeout})
	if err != nil {
		return err
	}
	var id int64
	if err := held.Tx().QueryRow(ctx, insertSQL, int64(100)).Scan(&id); err != nil {
		return err
	}
	outcome := created()
	outcome.Retention = c.Retention
	return held.Commit(ctx, idem.PhaseRecord{Name: "charge", Result: []byte("{}")}, &outcome)
}

// read is the floor of a replay.
func (s side) read(ctx context.Context) error {
	var b []byte
	return s.pool.QueryRow(ctx, answerSQL, replayedKey).Scan(&b)
}

// lookup reads a record without claiming.
func (s side) lookup(ctx context.Context) error { return s.lookUp(ctx, replayedKey) }

// lookupOther reads one of the records of others.
func (s side) lookupOther(ctx context.Context) error { return s.lookUp(ctx, s.other()) }

func (s side) lookUp(ctx context.Context, key string) error {
	c := newClaim(key)
	prior, err := s.store.Lookup(ctx, c.Scope, c.Keyspace, c.Key)
	return found(prior, err)
}

// replay is a second request that comes to the process of the first one.
func (s side) replay(ctx context.Context) error { return s.find(ctx, replayedKey) }

// replayElsewhere is a second request that comes to another process than the first one.
func (s side) replayElsewhere(ctx context.Context) error { return s.find(ctx, s.other()) }

func (s side) find(ctx context.Context, key string) error {
	held, prior, err := s.store.Claim(ctx, newClaim(key))
	if held != nil {
		return errors.Join(errors.New("the stored answer was not found"), held.Release(ctx))
	}
	return found(prior, err)
}

func found(prior idem.Prior, err error) error {
	if err == nil && prior.State != idem.StateCompleted {
		err = fmt.Errorf("the stored answer was not found: state %d", prior.State)
	}
	return err
}

// other gives the key of one of the records of others.
func (s side) other() string {
	sum := md5.Sum([]byte(strconv.Itoa(rand.IntN(s.records) + 1)))
	return hex.EncodeToString(sum[:])
}
