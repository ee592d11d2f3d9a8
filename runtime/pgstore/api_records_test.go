package pgstore_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

func sealer(t *testing.T) idem.Sealer {
	t.Helper()
	s, err := idem.NewAESSealer(1, map[uint32][]byte{1: bytes.Repeat([]byte("k"), 32)})
	require.NoError(t, err)
	return s
}

// Nothing of a sealed response stands in the database, and a row's response serves no other row.
func TestSealedRecords(t *testing.T) {
	b := newBench(t, nil)
	a := newAPI(t, b, func(op *idem.Operation, o *idem.Options) {
		op.ReplayHeaders = []string{"Location"}
		o.Sealer, o.MaxResponse = sealer(t), 50
	})
	runs := 0
	h := a.handler(func(_ ctx, ex *apiExecution) (idem.Response, error) {
		runs++
		body := "secret \x00\xff"
		if ex.Key() == "large" {
			body = strings.Repeat("secret", 10)
		}
		return idem.Response{Status: 201, Header: http.Header{"Location": {"/secret/" + ex.Key()}}, Body: []byte(body)}, nil
	})
	for _, key := range []string{"one", "two", "large"} {
		require.Equal(t, 201, ask(h, key).status)
		again := ask(h, key)
		assert.True(t, again.replayed)
		assert.Equal(t, "/secret/"+key, again.header.Get("Location"))
		if key == "large" {
			assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
			assert.Empty(t, again.body)
		} else {
			assert.Equal(t, "secret \x00\xff", again.body)
		}
	}
	var leaks int
	require.NoError(t, b.pool.QueryRow(b.ctx, `select count(*) from idempotency_records
		where position('secret'::bytea in coalesce(body, '')) > 0 or position('secret'::bytea in headers) > 0`).Scan(&leaks))
	assert.Zero(t, leaks)

	_, err := b.pool.Exec(b.ctx, `update idempotency_records a set headers = b.headers, body = b.body, record_id = b.record_id
		from idempotency_records b where a.key = 'one' and b.key = 'two'`)
	require.NoError(t, err)
	moved := ask(h, "one")
	assert.Equal(t, 503, moved.status)
	assert.Equal(t, idem.CodeContractUnknown, moved.code())
	assert.Equal(t, 3, runs, "never a second run")
}

func TestLargeResponseInPostgres(t *testing.T) {
	b := newBench(t, nil)
	h := newAPI(t, b, nil).handler(func(_ ctx, ex *apiExecution) (idem.Response, error) {
		size := 1 << 20
		if ex.Key() == "large" {
			size++
		}
		return idem.Response{Status: 201, Header: http.Header{"Content-Type": {"text/plain"}}, Body: bytes.Repeat([]byte("x"), size)}, nil
	})
	assert.Len(t, ask(h, "kept").body, 1<<20)
	assert.Len(t, ask(h, "kept").body, 1<<20)
	assert.Len(t, ask(h, "large").body, 1<<20+1)
	again := ask(h, "large")
	assert.Empty(t, again.body)
	assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
	assert.Equal(t, "text/plain", again.header.Get("Content-Type"))
}

// digestReference makes the member "ref" the business key.
func digestReference(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	shape := canon.Shape{Members: []canon.Member{{Name: "ref", Key: `"ref":`, Required: true}}, Unknown: canon.IgnoreUnknown}
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [1]canon.Span
		o := s.Object(&shape, spans[:])
		for s.Next(&o) {
			if string(s.Name()) == "ref" {
				s.Member(&o, 0)
				s.Exact(0)
			} else {
				s.Unknown(&o)
			}
		}
	}
	return s.Finish("pay\tbusiness", "0000000000000000")
}

// Requests for one thing, with many keys and without, in two processes at once: it is made once.
func TestBusinessKeysInPostgres(t *testing.T) {
	b := newBench(t, nil)
	op := payOperation()
	op.Key.Required = false
	op.Wait = 20 * time.Second
	op.Unique = &idem.BusinessKey{Fields: []string{"body.ref"}, Digest: digestReference}
	handlers, _ := programs(t, b, 2, 4, op, func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		if err := effects.Write(ctx, ex.Tx(), "made"); err != nil {
			return idem.Response{}, err
		}
		time.Sleep(5 * time.Millisecond)
		return idem.Response{Status: 201, Body: []byte(ex.RecordID().String())}, nil
	})
	const order = `{"ref":"order-1","amount":10}`
	replies := make([]reply, 48)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			key := []string{"", "same", fmt.Sprint("key-", i)}[i%3]
			replies[i] = ask(handlers[i%2], key, order)
		})
	}
	all.Wait()
	firsts := 0
	for _, r := range replies {
		require.Equal(t, 201, r.status, r.body)
		assert.Equal(t, replies[0].body, r.body)
		if !r.replayed {
			firsts++
		}
	}
	assert.Equal(t, 1, firsts)
	assert.Equal(t, 1, b.count("made"))

	differs := ask(handlers[0], "another", `{"ref":"order-1","amount":11}`)
	assert.Equal(t, 422, differs.status)
	assert.Equal(t, idem.CodeDuplicateDiffers, differs.code())
	assert.Equal(t, 201, ask(handlers[0], "another", `{"ref":"order-2","amount":11}`).status, "that took nothing")
	assert.Equal(t, 2, b.count("made"))
}

// A program from before a change of scope, one of the change and one from after it.
func TestChangeOfScopeInPostgres(t *testing.T) {
	b := newBench(t, nil)
	program := func(change func(*idem.Operation)) http.Handler {
		op := payOperation()
		op.Wait = 20 * time.Second
		change(op)
		contract := idem.Contract{Dimensions: []string{"tenant", "user"}, Operations: []*idem.Operation{op}}
		engine, err := idem.NewEngine(b.store, contract, func(context.Context) ([]string, error) { return []string{"acme", "ann"}, nil },
			idem.Options{Sealer: sealer(t)})
		require.NoError(t, err)
		return serving(engine, op, func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			time.Sleep(time.Millisecond)
			return paying(ctx, ex)
		})
	}
	tenant, user := idem.ScopePart{Dimension: 0}, idem.ScopePart{Dimension: 1}
	old := program(func(op *idem.Operation) { op.Scope = []idem.ScopePart{tenant} })
	both := program(func(op *idem.Operation) {
		op.Scope, op.Before = []idem.ScopePart{tenant, user}, []idem.ScopePart{tenant}
	})
	after := program(func(op *idem.Operation) { op.Scope = []idem.ScopePart{tenant, user} })

	for round := range 10 {
		key := fmt.Sprint("k", round)
		handlers := []http.Handler{old, both, both}
		replies := make([]reply, 12)
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() { replies[i] = ask(handlers[i%3], key) })
		}
		all.Wait()
		for _, r := range replies {
			require.Equal(t, 201, r.status, r.body)
			assert.Equal(t, replies[0].body, r.body)
		}
		assert.Equal(t, 1, b.count(key))
	}
	require.Equal(t, 201, ask(both, "last").status)
	assert.True(t, ask(after, "last").replayed)
	assert.True(t, ask(old, "last").replayed)
	b.requireHealthy()
}
