package idem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// glass is a store through which a test sees what is stored and changes what is found.
type glass struct {
	idem.Store[*memstore.Tx]
	stored idem.Completion
	claim  idem.Claim
	change func(*idem.Prior)
}

func (s *glass) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	held, prior, err := s.Store.Claim(ctx, c)
	if held != nil {
		s.claim = c
		return &glassHeld{held, s}, prior, err
	}
	if s.change != nil {
		s.change(&prior)
	}
	return nil, prior, err
}

type glassHeld struct {
	idem.Held[*memstore.Tx]
	store *glass
}

func (h *glassHeld) Complete(ctx context.Context, c idem.Completion) error {
	h.store.stored = c
	return h.Held.Complete(ctx, c)
}

func sealer(t *testing.T) idem.Sealer {
	t.Helper()
	s, err := idem.NewAESSealer(7, map[uint32][]byte{7: bytes.Repeat([]byte("k"), 32)})
	require.NoError(t, err)
	return s
}

func secretly(status int) paymentHandler {
	return func(ctx, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{Status: status, Header: http.Header{"Location": {"/secret/1"}, "X-List": {"a", "caf\xe9"}}, Body: []byte("secret \x00\xff")}, nil
	}
}

func TestSealedResponsesAreReplayedAndReadByNobodyElse(t *testing.T) {
	for _, status := range []int{201, 204, 402, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			store := &glass{Store: memstore.New()}
			f := newFixture(t, func(f *fixture, o *idem.Options) { f.store, o.Sealer = store, sealer(t) })
			h := f.handler(secretly(status))
			first := send(h, call{})
			require.Equal(t, status, first.status)
			assert.NotContains(t, fmt.Sprint(store.stored.Response.Header, string(store.stored.Response.Body)), "secret")
			again := send(h, call{})
			assert.True(t, again.replayed())
			assert.Equal(t, first.body, again.body)
			assert.Equal(t, []string{"a", "caf\xe9"}, again.header["X-List"])
			assert.Equal(t, "/secret/1", again.header.Get("Location"))
			assert.NotContains(t, fmt.Sprint(again.header), "sealed")
			assert.Equal(t, []string{"body.amount"}, fields(send(h, call{body: `{"amount":"11","currency":"EUR"}`})), "fingerprints stay readable")
		})
	}
}

// fields gives the fields of a mismatch.
func fields(a answer) []string {
	var p struct{ Fields []string }
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		return []string{"no problem: " + a.body}
	}
	return p.Fields
}

func TestResponsesFromBeforeTheSealerAreReplayed(t *testing.T) {
	f := newFixture(t)
	require.Equal(t, 201, send(f.handler(secretly(201)), call{}).status)
	f.engine = newEngine(t, f, idem.Options{Sealer: sealer(t)})
	again := send(f.handler(secretly(201)), call{})
	assert.True(t, again.replayed())
	assert.Equal(t, "secret \x00\xff", again.body)
}

func TestSealedResponseThatCannotBeOpened(t *testing.T) {
	for name, change := range map[string]func(*idem.Prior){
		"moved from another record": func(p *idem.Prior) { p.RecordID = idem.NewUUID() },
		"another status":            func(p *idem.Prior) { p.Response.Status = 200 },
		"body in clear":             func(p *idem.Prior) { p.Response.Body = []byte("forged") },
		"no body":                   func(p *idem.Prior) { p.Response.Body = nil },
		"mark twice":                func(p *idem.Prior) { p.Response.Header[":sealed"] = []string{"a", "b"} },
		"mark that is no text":      func(p *idem.Prior) { p.Response.Header[":sealed"] = []string{"\xff"} },
		"header in clear":           func(p *idem.Prior) { p.Response.Header[":sealed"] = []string{"aGVhZGVy"} },
	} {
		t.Run(name, func(t *testing.T) {
			store := &glass{Store: memstore.New()}
			f := newFixture(t, func(f *fixture, o *idem.Options) { f.store, o.Sealer = store, sealer(t) })
			runs := 0
			h := f.handler(f.pay(&runs))
			require.Equal(t, 201, send(h, call{}).status)
			store.change = change
			a := send(h, call{})
			assert.Equal(t, 503, a.status)
			assert.Equal(t, idem.CodeContractUnknown, a.code())
			assert.NotEmpty(t, a.header.Get("Retry-After"))
			assert.Equal(t, idem.EventContractUnknown, f.events.last().Kind)
			require.Error(t, f.events.last().Err)
			store.change = nil
			assert.True(t, send(h, call{}).replayed())
			assert.Equal(t, 1, runs, "never a second run")
		})
	}
}

func TestSealedResponseWithoutASealer(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Sealer = sealer(t) })
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
	f.engine = newEngine(t, f, idem.Options{})
	a := send(f.handler(f.pay(&runs)), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeContractUnknown, a.code())
	assert.Equal(t, 1, runs)
}

// broken is a key service that does not answer.
type broken struct{ idem.Sealer }

var errKeyService = errors.New("key service is down")

func (broken) Seal(context.Context, []byte, []byte) ([]byte, error) { return nil, errKeyService }

func TestOutcomeThatCannotBeSealedIsNone(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Sealer = broken{} })
	runs := 0
	a := send(f.handler(f.pay(&runs)), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeTryAgain, a.code())
	assert.Equal(t, idem.EventNotSettled, f.events.last().Kind)
	require.ErrorIs(t, f.events.last().Err, errKeyService)
	assert.Empty(t, f.ledger.all(), "rolled back")

	f.engine = newEngine(t, f, idem.Options{Sealer: sealer(t)})
	assert.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status, "the key is free")
	assert.Equal(t, 2, runs)
}
