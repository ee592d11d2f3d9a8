package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
)

func refund(op *openapi.Operation) { op.ID, op.Path = "createRefund", "/refunds" }

// A contract ends in many ways, and none of them is silent.
func TestContractsThatAreGone(t *testing.T) {
	first, found := Build(document(payment(), payment(refund)), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	released, found := ParseLock(EncodeLock(first), "lock")
	require.Empty(t, found.All())
	message := "createRefund: the contract is that of POST /refunds in the lock and gone now: " + runsAgain

	skipped := payment(refund)
	skipped.Body.Media[0].Type = "multipart/mixed"
	broken := payment(refund)
	broken.ID, broken.Path, broken.Annotation.Broken = "other", "/other", true
	exempt := document(payment())
	exempt.Exempt = []*openapi.Operation{{Pos: at(70), Method: "POST", Path: "/refunds"}}
	candidate := document(payment())
	candidate.Candidates = []openapi.Candidate{{Pos: at(71), Method: "POST", Path: "/refunds"}}
	for _, c := range []struct {
		name string
		doc  *openapi.Document
		opts Options
		line int // of the finding; 0: there is none
	}{
		{"left out of the document", document(payment()), Options{}, released.Contracts["createRefund"].Pos.Line},
		{"exempt", exempt, Options{}, 70},
		{"not annotated", candidate, Options{}, 71},
		{"another name and path", document(payment(), payment(refund, func(op *openapi.Operation) { op.ID, op.Path = "giveBack", "/money-back" })), Options{}, released.Contracts["createRefund"].Pos.Line},
		{"not supported", document(payment(), skipped), Options{SkipUnsupported: true}, released.Contracts["createRefund"].Pos.Line},
		{"another name", document(payment(), payment(refund, func(op *openapi.Operation) { op.ID = "giveBack" })), Options{}, 0},
		{"another path", document(payment(), payment(refund, func(op *openapi.Operation) { op.Path = "/money-back" })), Options{}, 0},
		{"an annotation that cannot be read", document(payment(), broken), Options{}, 0},
		{"a document that cannot be read", document(payment()), Options{Partial: true}, 0},
		{"never released", document(payment()), Options{Released: &Lock{}}, 0},
		{"for a comparison", document(payment()), Options{Comparing: true}, 0},
	} {
		for _, known := range []*Lock{nil, released} {
			opts := c.opts
			opts.Base, opts.Lock = "payments", released
			if opts.Released == nil {
				opts.Released = known
			}
			_, found := Build(c.doc, opts)
			if c.line == 0 {
				assert.Empty(t, errorsOf(found), c.name)
				continue
			}
			require.Len(t, errorsOf(found), 1, c.name)
			for _, d := range found.All() {
				if d.Message == message {
					assert.Equal(t, c.line, d.Pos.Line, c.name)
					assert.Equal(t, "createRefund", d.About, c.name)
				}
			}
			assert.Contains(t, errorsOf(found)[0], message, c.name)
		}
	}
}

// What somebody has answered for stays in the lock until the contract is there again.
func TestAcceptedEndsStayInTheLock(t *testing.T) {
	build := func(lock, released *Lock, accept string, ops ...*openapi.Operation) (*Lock, []string) {
		opts := Options{Base: "payments", Lock: lock, Released: released, Used: map[string]bool{}}
		if accept != "" {
			opts.Accept, opts.Reason = []string{accept}, "no client calls it: it's over"
		}
		api, found := Build(document(ops...), opts)
		text := EncodeLock(api)
		out, parsed := ParseLock(text, "lock")
		require.Empty(t, parsed.All())
		assert.Equal(t, api.Gone, out.Gone)
		return out, errorsOf(found)
	}
	both, errors := build(nil, nil, "", payment(), payment(refund))
	require.Empty(t, errors)
	want := []Gone{{"createRefund", "POST /refunds", "no client calls it: it's over"}}
	for _, name := range []string{"createRefund", "createRefund.gone"} {
		ended, errors := build(both, both, name, payment())
		require.Empty(t, errors, name)
		assert.Equal(t, want, ended.Gone)
		again, errors := build(ended, both, "", payment())
		require.Empty(t, errors, "the lock remembers, though what is released is still the same")
		assert.Equal(t, ended, again)
		assert.Equal(t, want, MergeLocks(ended, both, both).Gone)
		assert.Equal(t, want, MergeLocks(both, ended, both).Gone)
		require.NotEmpty(t, Differences(both, ended))
		for _, d := range Differences(both, ended) {
			assert.Equal(t, want[0].Reason, d.Accepted)
		}

		back, errors := build(ended, both, "", payment(), payment(refund))
		require.Empty(t, errors)
		assert.Empty(t, back.Gone)
		_, errors = build(back, both, "", payment())
		assert.Len(t, errors, 1, "its next end is another one")
	}
	_, errors = build(both, both, "createRefund.scope", payment())
	assert.Len(t, errors, 1)
}

// An accepted name is accepted for a reviewer too.
func TestAcceptedNameInAComparison(t *testing.T) {
	_, before, _ := rebuilt(t, payment(), payment())
	rename := func(op *openapi.Operation) { op.Annotation.Name = set("pay") }
	api, found := Build(document(payment(rename)), Options{Base: "payments", Lock: before, Accept: []string{"pay"}, Reason: "why not", Used: map[string]bool{}})
	require.Empty(t, errorsOf(found))
	after, _ := ParseLock(EncodeLock(api), "lock")
	var judged []string
	for _, d := range Differences(before, after) {
		if d.Verdict == VerdictDangerous {
			judged = append(judged, d.What+" "+d.Accepted)
		}
	}
	assert.Equal(t, []string{"name why not"}, judged)
}
