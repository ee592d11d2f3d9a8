package contract

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/openapi"
)

func TestMovedLocks(t *testing.T) {
	// lock has contracts by name and operation, alternating.
	lock := func(pairs ...string) *Lock {
		out := &Lock{Contracts: map[string]*LockedContract{}}
		for i := 0; i < len(pairs); i += 2 {
			out.Contracts[pairs[i]] = &LockedContract{Operation: pairs[i+1]}
		}
		return out
	}
	payments, refunds := lock("createPayment", "POST /payments", "cancel", "POST /cancel"), lock("createRefund", "POST /refunds")
	both := document(payment(), payment(refund))
	for _, c := range []struct {
		name      string
		doc       *openapi.Document
		local     []*Lock
		gone      []*Lock
		elsewhere []string
		want      []string // contracts; nil: no lock is the document's
		lost      bool
	}{
		{"whole, with what is gone", document(payment()), nil, []*Lock{refunds, payments}, nil, []string{"cancel", "createPayment"}, false},
		{"a document that was cut in two", document(payment()), nil, []*Lock{payments}, []string{"cancel"}, []string{"createPayment"}, false},
		{"two documents that became one", both, nil, []*Lock{payments, refunds}, nil, []string{"cancel", "createPayment", "createRefund"}, false},
		{"a copy has it too", document(payment()), nil, []*Lock{payments}, []string{"cancel", "createPayment"}, []string{"createPayment"}, false},
		{"the nearest one", document(payment()), nil, []*Lock{lock("createPayment", "POST /other", "x", "POST /x"), payments}, nil, []string{"cancel", "createPayment"}, false},
		{"the first of two that are as near", document(payment()), nil, []*Lock{lock("createPayment", "POST /payments", "x", "POST /x"), lock("createPayment", "POST /payments")}, nil,
			[]string{"createPayment", "x"}, false},
		{"by the operation", document(payment(func(op *openapi.Operation) { op.ID = "pay" })), nil, []*Lock{payments}, nil, []string{"cancel", "createPayment"}, false},
		{"by the lock that came along", document(payment(refund)), []*Lock{payments}, []*Lock{payments}, nil, []string{"cancel", "createPayment"}, false},
		{"nobody's", document(payment(refund)), nil, []*Lock{payments}, []string{"cancel"}, nil, true},
		{"moved with another document", document(payment(refund)), nil, []*Lock{payments}, []string{"cancel", "createPayment"}, nil, false},
		{"a name that another document's has", document(payment()), nil, []*Lock{lock("createPayment", "POST /other")}, []string{"createPayment"}, nil, false},
	} {
		found, lost := Moved(c.doc, c.local, c.gone, func(name string) bool { return slices.Contains(c.elsewhere, name) })
		assert.Equal(t, c.lost, lost, c.name)
		if found == nil {
			assert.Nil(t, c.want, c.name)
			continue
		}
		assert.Equal(t, c.want, slices.Sorted(maps.Keys(found.Contracts)), c.name)
	}
}
