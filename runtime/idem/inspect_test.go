package idem_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// inspect says what a call would get from a program with op.
func inspect(t *testing.T, store idem.Store[*memstore.Tx], op *idem.Operation, c call) (idem.Judgement, error) {
	t.Helper()
	i, err := idem.NewInspector(idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}}, op, nil)
	require.NoError(t, err)
	r := canonRequest(t, op, c)
	at, err := i.Locate(context.Background(), r, "", []string{"acme"})
	if err != nil {
		return idem.Judgement{}, err
	}
	prior, err := store.Lookup(context.Background(), at.Scope, at.Keyspace, at.Key)
	require.NoError(t, err)
	if prior.State == idem.StateAbsent {
		return i.Judge(context.Background(), r, nil), nil
	}
	found := idem.DescribeRecord(prior)
	return i.Judge(context.Background(), r, &found), nil
}

func canonRequest(t *testing.T, op *idem.Operation, c call) *canon.Request {
	t.Helper()
	r, err := idem.NewRequest(c.request(), op.Path, 1<<20)
	require.NoError(t, err)
	return r
}

// told is an answer as the inspector tells it.
func told(a answer) (action idem.Action, refused bool) {
	switch {
	case a.replayed():
		return idem.ActReplay, false
	case a.status == 201:
		return idem.ActClaim, false
	case a.code() == idem.CodeMismatch:
		return idem.ActMismatch, false
	case a.code() == idem.CodeContractUnknown:
		return idem.ActIncomparable, false
	}
	return 0, true
}

// What the inspector says is what the engine then does: over all pairs of programs, for requests that are the same, another, and refused by
// one of the versions or by both.
func TestInspectorSaysWhatTheEngineDoes(t *testing.T) {
	deploys := map[string][]idem.Version{"old": {paymentV1}, "new": {paymentV2, paymentV1}, "newest alone": {paymentV2}, "off": nil}
	for first, versions := range deploys {
		for second, others := range deploys {
			for _, body := range []string{tenPayment, `{"currency":"EUR","amount":10}`, `{"amount":"11","currency":"EUR"}`, `{"amount":"10","currency":"USD"}`,
				`{"amount":"10","currency":"EUR","extra":1}`, `{"amount":"11","currency":"EUR","extra":1}`, `{"amount":`} {
				t.Run(first+" then "+second+" "+body, func(t *testing.T) {
					store := memstore.New()
					before, runs := program(t, store, versions...)
					require.Equal(t, 201, send(before.handler(before.pay(runs)), call{}).status)
					after, again := program(t, store, others...)
					for _, c := range []call{{body: body}, {body: body, key: "free"}} {
						j, err := inspect(t, store, after.op, c)
						require.NoError(t, err)
						if second == "off" && body == `{"amount":` {
							continue // only the command's decoder refuses it
						}
						a := send(after.handler(after.pay(again)), c)
						action, refused := told(a)
						assert.Equal(t, refused, j.Refused != nil, a.body)
						if !refused {
							assert.Equal(t, action, j.Action, a.body)
						}
						if j.Problem != nil {
							assert.Equal(t, []any{a.status, a.code()}, []any{j.Problem.Status, j.Problem.Code})
						}
						assert.Equal(t, a.status >= 400, j.Problem != nil)
						if j.Fields != nil {
							assert.Contains(t, a.body, j.Fields[0])
						}
					}
				})
			}
		}
	}
}

func TestInspectorNamesTheVersionThatJudged(t *testing.T) {
	store := memstore.New()
	old, runs := program(t, store, paymentV1)
	require.Equal(t, 201, send(old.handler(old.pay(runs)), call{}).status)
	now, _ := program(t, store, paymentV2, paymentV1)
	j, err := inspect(t, store, now.op, call{})
	require.NoError(t, err)
	assert.Equal(t, idem.Judgement{Action: idem.ActReplay, Version: 1}, j)
	now.op.Name = "refundPayment" // another operation of the keyspace
	j, err = inspect(t, store, now.op, call{})
	require.NoError(t, err)
	assert.Equal(t, idem.CodeMismatch, j.Problem.Code)
	j.Problem = nil
	assert.Equal(t, idem.Judgement{Action: idem.ActMismatch}, j)
}

// Without the program's secret keys nothing can be compared, and it is said which of them it takes.
func TestInspectorWithoutTheKeys(t *testing.T) {
	ring, err := idem.NewKeyRing(7, map[uint32][]byte{7: bytes.Repeat([]byte{1}, 32)})
	require.NoError(t, err)
	f := newFixture(t, func(f *fixture, o *idem.Options) { o.Keys, f.op.Versions[0].Sensitive = ring, []int{0} })
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
	j, err := inspect(t, f.store, f.op, call{})
	require.NoError(t, err)
	j.Problem = nil
	assert.Equal(t, idem.Judgement{Action: idem.ActIncomparable, KeyID: 7}, j)
}

func TestInspectorLocates(t *testing.T) {
	f := newFixture(t)
	f.op.Before = []idem.ScopePart{{Dimension: -1, Literal: "all"}}
	i, err := idem.NewInspector(idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{f.op}}, f.op, nil)
	require.NoError(t, err)
	locate := func(c call, key string, supplied ...string) (idem.Address, error) {
		return i.Locate(context.Background(), canonRequest(t, f.op, c), key, supplied)
	}
	at, err := locate(call{}, "", "acme")
	require.NoError(t, err)
	assert.Equal(t, idem.Address{Scope: `["acme"]`, Before: `["all"]`, Keyspace: "createPayment", Key: "key-1"}, at)
	at, err = locate(call{}, "another", "acme")
	require.NoError(t, err)
	assert.Equal(t, "another", at.Key)
	_, err = locate(call{noKey: true}, "", "acme")
	require.ErrorIs(t, err, idem.ErrKeyMissing)
	assert.Equal(t, idem.CodeKeyMissing, i.Refusal(err).Code)
	_, err = locate(call{}, "no key", "acme")
	require.ErrorIs(t, err, idem.ErrKeyMalformed)
	_, err = locate(call{}, "", "")
	require.ErrorContains(t, err, "dimension 0 is empty")
	_, err = i.Locate(context.Background(), &canon.Request{}, "", []string{"acme"})
	require.ErrorIs(t, err, idem.ErrNotBound)

	f.op.Key.Required = false
	f.op.Unique = &idem.BusinessKey{Fields: []string{"body.currency"}, Digest: func(*canon.Scanner, *canon.Request) (canon.Digest, error) { return canon.Digest{1}, nil }}
	at, err = locate(call{noKey: true}, "", "acme")
	require.NoError(t, err)
	assert.NotEmpty(t, at.Key, "a business key stands in the key's place")
	assert.Len(t, at.Business, 32)
}

func TestADescribedRecordHoldsNoAnswer(t *testing.T) {
	p := idem.Prior{
		State: idem.StateCompleted, Operation: "pay", Attempt: 2, Phases: []idem.PhaseRecord{{Name: "reserve", Result: []byte("secret")}},
		Response: idem.Response{Status: 201, Header: http.Header{"Location": {"secret"}, "Etag": {"secret"}}, Body: []byte("secret")},
	}
	assert.Equal(t, idem.StoredRecord{
		State: idem.StateCompleted, Operation: "pay", Attempt: 2, Phases: []string{"reserve"}, Status: 201, Headers: []string{"Etag", "Location"}, BodySize: 6,
	}, idem.DescribeRecord(p))
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Sealer = sealer(t) })
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
	prior, err := f.store.Lookup(context.Background(), `["acme"]`, "createPayment", "key-1")
	require.NoError(t, err)
	r := idem.DescribeRecord(prior)
	assert.True(t, r.Sealed)
	assert.Empty(t, r.Headers)
}

// A leased attempt that is over answers a request that cannot run, unless that request would have to run.
func TestInspectorOfLeasedOperations(t *testing.T) {
	refusing := func(_ *canon.Scanner, r *canon.Request) (canon.Digest, error) {
		if string(r.Body) == "refused" {
			return canon.Digest{}, errors.New("refused")
		}
		return canon.Digest{1}, nil
	}
	recorded := idem.AppendFingerprint(nil, idem.Fingerprint{Contract: [8]byte{0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11}, Value: canon.Digest{1}})
	for _, c := range []struct {
		takeover  idem.TakeoverPolicy
		found     idem.StoredRecord
		body      string
		want      idem.Action
		isRefused bool
	}{
		{idem.Recover, idem.StoredRecord{State: idem.StateInFlight, LeaseOver: true}, "same", idem.ActTakeOver, false},
		{idem.Recover, idem.StoredRecord{State: idem.StateInFlight}, "same", idem.ActInFlight, false},
		{idem.Hold, idem.StoredRecord{State: idem.StateUnknown}, "same", idem.ActUnknown, false},
		{idem.Hold, idem.StoredRecord{State: idem.StateFailedRetryable}, "same", idem.ActNextAttempt, false},
		{idem.Hold, idem.StoredRecord{State: idem.StateCompleted, Expired: true}, "same", idem.ActClaim, false},
		{idem.Hold, idem.StoredRecord{State: idem.StateFailedRetryable}, "refused", idem.ActMismatch, true},
	} {
		op := &idem.Operation{
			Name: "charge", Method: "POST", Path: "/accounts/{accountId}/payments", Key: createPayment().Key, Scope: createPayment().Scope, Keyspace: "charge",
			Retention: time.Hour, Execution: idem.Leased, Lease: time.Minute, Takeover: c.takeover, Attempts: 5, ReplayMarker: "Idempotent-Replayed",
			Versions: []idem.Version{{Number: 1, ID: "1111111111111111", Fingerprint: refusing}},
		}
		i, err := idem.NewInspector(idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}}, op, nil)
		require.NoError(t, err)
		c.found.Operation, c.found.Fingerprints = "charge", recorded
		j := i.Judge(context.Background(), &canon.Request{Path: []string{"a"}, Body: []byte(c.body)}, &c.found)
		assert.Equal(t, c.want, j.Action, "%v", c)
		assert.Equal(t, c.isRefused, j.Refused != nil, "%v", c)
	}
}
