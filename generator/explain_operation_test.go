package generator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	waits "github.com/idemgen/idemgen/golden/pipeline/duplicates-wait/openapiidem"
	inbody "github.com/idemgen/idemgen/golden/pipeline/key-in-body/openapiidem"
	limits "github.com/idemgen/idemgen/golden/pipeline/key-limits/openapiidem"
	leased "github.com/idemgen/idemgen/golden/pipeline/leased-charges/openapiidem"
	nested "github.com/idemgen/idemgen/golden/pipeline/nested-key/openapiidem"
	changes "github.com/idemgen/idemgen/golden/pipeline/scope-changes/openapiidem"
	scoped "github.com/idemgen/idemgen/golden/pipeline/scope-from-body/openapiidem"
	sensitive "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	unique "github.com/idemgen/idemgen/golden/pipeline/unique-reference/openapiidem"
	vendor "github.com/idemgen/idemgen/golden/pipeline/vendor-header/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// What explain tells the runtime of an operation is what the generated package tells it, functions apart.
func TestOperationsAreExplainedAsTheyAreGenerated(t *testing.T) {
	for name, generated := range map[string][]*idem.Operation{
		"duplicates-wait":  {&waits.CreateBookingOperation, &waits.CancelBookingOperation},
		"key-in-body":      {&inbody.PostCardsOperation},
		"key-limits":       {&limits.SendTransactionOperation, &limits.CreateAccountOperation, &limits.RequestFaucetOperation},
		"leased-charges":   {&leased.CreateChargeOperation, &leased.CreateImportOperation, &leased.SendLetterOperation, &leased.ChargeSettledOperation},
		"nested-key":       {&nested.CreateBatchOperation, &nested.TriggerTaskV1Operation},
		"scope-changes":    {&changes.CreateOrderOperation, &changes.CreateShopOrderOperation},
		"scope-from-body":  {&scoped.PostPaymentsOperation, &scoped.PostPaymentsPaymentReferenceCancelsOperation},
		"sensitive-fields": {&sensitive.StoreCardOperation},
		"unique-reference": {&unique.CreatePaymentOperation, &unique.ConfirmOrderOperation},
		"vendor-header":    {&vendor.AuthorizationsCaptureOperation, &vendor.CapturesRefundOperation},
	} {
		opts := Options{Webhooks: true}
		if name == "vendor-header" {
			opts.Overlays = []string{"../golden/pipeline/vendor-header/overlay.yaml"}
		}
		u, err := compile("../golden/pipeline/"+name+"/openapi.yaml", opts)
		require.NoError(t, err)
		require.NotNil(t, u.api, "%s: %v", name, u.findings.All())
		for _, want := range generated {
			c, err := findContract(u.api, want.Name)
			require.NoError(t, err)
			assert.Equal(t, withoutFunctions(want), withoutFunctions(runtimeOperation(c)), name)
		}
	}
}

// withoutFunctions is what can be compared of an operation. Empty lists are nil.
func withoutFunctions(op *idem.Operation) idem.Operation {
	out := *op
	out.Versions = nil
	for _, v := range op.Versions {
		v.Fingerprint = nil
		if len(v.Fields) == 0 {
			v.Fields = nil
		}
		out.Versions = append(out.Versions, v)
	}
	if op.Unique != nil {
		out.Unique = &idem.BusinessKey{Fields: op.Unique.Fields}
	}
	if len(out.KeepExcept) == 0 {
		out.KeepExcept = nil
	}
	if len(out.ReplayHeaders) == 0 {
		out.ReplayHeaders = nil
	}
	return out
}
