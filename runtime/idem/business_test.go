package idem_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The business key of the tests is a payment's metadata, which its contract does not count.

var referenceShape = canon.Shape{
	Members: []canon.Member{{Name: "metadata", Key: `"metadata":`, Required: true}},
	Unknown: canon.IgnoreUnknown,
}

func digestReference(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [1]canon.Span
		o := s.Object(&referenceShape, spans[:])
		for s.Next(&o) {
			if string(s.Name()) == "metadata" {
				s.Member(&o, 0)
				s.Exact(0)
			} else {
				s.Unknown(&o)
			}
		}
	}
	return s.Finish("createPayment\tbusiness", "0000000000000000")
}

// unique gives the operation a business key, and lets keys be left out.
func unique(f *fixture, _ *idem.Options) {
	f.op.Key.Required = false
	f.op.Unique = &idem.BusinessKey{Fields: []string{"body.metadata"}, Digest: digestReference}
}

// purchase is a payment with a reference. An empty key is none.
func purchase(key, reference, amount string) call {
	body := fmt.Sprintf(`{"amount":%q,"currency":"EUR","metadata":%q}`, amount, reference)
	if reference == "" {
		body = fmt.Sprintf(`{"amount":%q,"currency":"EUR"}`, amount)
	}
	return call{key: key, noKey: key == "", body: body}
}

func TestBusinessKeyFindsDuplicates(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		cases := []struct {
			name          string
			first, second call
			code          idem.Code // of the second; empty: the first one's answer, replayed
			again         bool      // the second runs
		}{
			{"another key", purchase("a", "order-1", "10"), purchase("b", "order-1", "10"), "", false},
			{"spelled otherwise", purchase("a", "order-1", "10"), purchase("b", "order-1", "10.00"), "", false},
			{"no key after a key", purchase("a", "order-1", "10"), purchase("", "order-1", "10"), "", false},
			{"key after no key", purchase("", "order-1", "10"), purchase("b", "order-1", "10"), "", false},
			{"no key twice", purchase("", "order-1", "10"), purchase("", "order-1", "10"), "", false},
			{"another amount under another key", purchase("a", "order-1", "10"), purchase("b", "order-1", "11"), idem.CodeDuplicateDiffers, false},
			{"another amount without a key", purchase("a", "order-1", "10"), purchase("", "order-1", "11"), idem.CodeDuplicateDiffers, false},
			{"another amount, no keys at all", purchase("", "order-1", "10"), purchase("", "order-1", "11"), idem.CodeDuplicateDiffers, false},
			{"same key, another order", purchase("a", "order-1", "10"), purchase("a", "order-2", "11"), idem.CodeMismatch, false},
			{"another order", purchase("a", "order-1", "10"), purchase("b", "order-2", "10"), "", true},
			{"another order without keys", purchase("", "order-1", "10"), purchase("", "order-2", "10"), "", true},
			{"no reference", purchase("a", "", "10"), purchase("b", "", "10"), "", true},
			{"neither key nor reference", purchase("", "", "10"), purchase("", "", "10"), "", true},
			{"another tenant", purchase("a", "order-1", "10"), func() call { c := purchase("b", "order-1", "10"); c.tenant = "initech"; return c }(), "", true},
		}
		for _, c := range cases {
			t.Run(fmt.Sprint(c.name, " ", sealed), func(t *testing.T) {
				f := newFixture(t, unique, func(_ *fixture, o *idem.Options) {
					if sealed {
						o.Sealer = sealer(t)
					}
				})
				runs := 0
				h := f.handler(f.pay(&runs))
				require.Equal(t, 201, send(h, c.first).status)
				for range 2 {
					second := send(h, c.second)
					if c.code != "" {
						assert.Equal(t, 422, second.status)
						assert.Equal(t, c.code, second.code())
						assert.Equal(t, []string{"body.amount"}, fields(second))
						assert.Equal(t, idem.EventMismatch, f.events.last().Kind)
						assert.Equal(t, c.code, f.events.last().Code)
						continue
					}
					require.Equal(t, 201, second.status)
					if !c.again {
						assert.True(t, second.replayed())
						assert.Equal(t, `{"run": 1}`, second.body)
						assert.Equal(t, "/payments/1", second.header.Get("Location"))
						continue
					}
					assert.False(t, second.replayed())
					assert.Equal(t, 2, runs)
					break
				}
			})
		}
	}
}

func TestStatusOfADuplicateThatDiffersIsTheOperations(t *testing.T) {
	f := newFixture(t, unique, func(f *fixture, _ *idem.Options) { f.op.Statuses.Mismatch = 409 })
	h := f.handler(f.pay(new(int)))
	send(h, purchase("a", "order-1", "10"))
	assert.Equal(t, 409, send(h, purchase("b", "order-1", "11")).status)
	f = newFixture(t, unique, func(f *fixture, _ *idem.Options) { f.op.Statuses.Mismatch = 0 })
	h = f.handler(f.pay(new(int)))
	send(h, purchase("a", "order-1", "10"))
	assert.Equal(t, 422, send(h, purchase("b", "order-1", "11")).status)
}

// A request without a key has a record all the same, under a key that no client can send.
func TestExecutionOfABusinessKeyAlone(t *testing.T) {
	store := &glass{Store: memstore.New()}
	f := newFixture(t, unique, func(f *fixture, _ *idem.Options) { f.store = store })
	h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		assert.Empty(t, ex.Key())
		assert.Equal(t, 1, ex.Attempt())
		assert.False(t, ex.RecordID().IsZero())
		return idem.Response{Status: 201}, nil
	})
	require.Equal(t, 201, send(h, purchase("", "order-1", "10")).status)
	assert.Equal(t, "\x01"+fmt.Sprintf("%x", store.claim.Business), store.claim.Key)
	assert.Len(t, store.claim.Business, 32)
	assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, f.events.kinds())
	assert.Equal(t, 400, send(h, call{key: store.claim.Key}).status)

	require.Equal(t, 201, send(f.handler(f.pay(new(int))), purchase("", "", "10")).status)
	assert.Equal(t, idem.EventUnkeyed, f.events.kinds()[3], "without its values a request is not protected")
}

func TestBusinessKeyIsFreeWithoutAnOutcome(t *testing.T) {
	f := newFixture(t, unique)
	require.Equal(t, 500, send(f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{}, assert.AnError
	}), purchase("a", "order-1", "10")).status)
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), purchase("b", "order-1", "11")).status)
	assert.Equal(t, 1, runs)
}

func TestBusinessKeyExpiresWithItsRecord(t *testing.T) {
	now := newClock()
	f := newFixture(t, unique, func(f *fixture, _ *idem.Options) {
		f.store = memstore.New(memstore.WithClock(now.get))
		f.op.Retention = time.Hour
	})
	runs := 0
	h := f.handler(f.pay(&runs))
	require.Equal(t, 201, send(h, purchase("a", "order-1", "10")).status)
	now.advance(time.Hour)
	second := send(h, purchase("b", "order-1", "11"))
	assert.Equal(t, 201, second.status)
	assert.False(t, second.replayed())
	assert.Equal(t, 2, runs)
}

func TestMalformedRequestWithoutAKeyIsRefused(t *testing.T) {
	f := newFixture(t, unique)
	h := f.handler(f.pay(new(int)))
	assert.Equal(t, idem.CodeRequestMalformed, send(h, call{noKey: true, body: `{"metadata":"order-1","amount":{}}`}).code())
	assert.Equal(t, idem.CodeRequestMalformed, send(h, call{noKey: true, body: `{"metadata":"order-1"`}).code())
	assert.Equal(t, 201, send(h, purchase("", "order-1", "10")).status, "nothing was claimed")
	f.op.Key.Required = true
	assert.Equal(t, idem.CodeKeyMissing, send(h, purchase("", "order-2", "10")).code(), "a business key replaces no key that is demanded")
}

// Whether they come with one key, with many or with none, and to which program: one of them runs.
func TestSimultaneousDuplicatesByBusinessKey(t *testing.T) {
	for round := range 5 {
		store := &counted{Store: memstore.New()}
		f := newFixture(t, unique, func(f *fixture, _ *idem.Options) { f.store = store })
		other := newEngineOn(t, f, f.store)
		var runs atomic.Int32
		pay := func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, "paid")
			time.Sleep(time.Millisecond)
			return idem.Response{Status: 201, Body: fmt.Appendf(nil, "%d", runs.Add(1))}, nil
		}
		handlers := []http.Handler{f.handler(pay), authenticated(idem.Handle(other, f.op, decodePayment, pay))}
		if round == 0 {
			handlers = handlers[:1]
		}
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() {
				key := []string{"", "same", fmt.Sprint("key-", i)}[i%3]
				switch a := send(handlers[i%len(handlers)], purchase(key, "order-1", "10")); a.status {
				case 201:
					assert.Equal(t, "1", a.body)
				case 409:
					assert.Equal(t, idem.CodeInFlight, a.code())
				default:
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, 1, runs.Load())
		assert.Len(t, f.ledger.all(), 1)
	}
}

// A duplicate by its business key is in flight in the process, without asking the store.
func TestBusinessKeyThatRunsIsKnownInTheProcess(t *testing.T) {
	store := &counted{Store: memstore.New()}
	f := newFixture(t, unique, func(f *fixture, _ *idem.Options) { f.store = store })
	s := newStage(f)
	h := f.handler(s.handle)
	for _, c := range [][2]string{{"a", "b"}, {"", "c"}, {"d", ""}} {
		before := store.claims.Load()
		reference := strings.Join(c[:], "-")
		first := follow(h, 1, purchase(c[0], reference, "10"))
		soon(t, s.begun)
		assert.Equal(t, 409, send(h, purchase(c[1], reference, "10")).status)
		assert.EqualValues(t, 1, store.claims.Load()-before)
		s.end <- made
		assert.Equal(t, 201, soon(t, first).status)
		assert.True(t, send(h, purchase(c[1], reference, "10")).replayed())
	}
}

func TestLostCommitOfABusinessKeyAlone(t *testing.T) {
	store := &failing{}
	f := newFixture(t, unique, withStore(store))
	store.complete = func(h idem.Held[*memstore.Tx]) error {
		require.NoError(t, h.Complete(context.Background(), outcome201))
		return errLost
	}
	assert.Equal(t, 201, send(f.handler(f.pay(new(int))), purchase("", "order-1", "10")).status)
}
