package paymentsidem

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

const payment = `{"body":{"amount":"10","currency":"EUR"},"path":{"accountId":"acc_1"}}`

func TestSpellingsOfOnePayment(t *testing.T) {
	for _, body := range []string{
		`{"amount":"10","currency":"EUR"}`,
		`{"currency":"eur","amount":10.0}`,
		" {\n\t\"amount\" : 1e1 , \"currency\" : \"Eur\" , \"metadata\" : {\"a\":[1,null]} } ",
		`{"amo\u0075nt":"10.00","currency":"EUR"}`,
	} {
		ft.Accepts(t, &CreatePaymentOperation, ft.JSON(body, "acc_1"), payment)
	}
}

func TestOtherPayments(t *testing.T) {
	ft.Accepts(t, &CreatePaymentOperation, ft.JSON(`{"merchantReference":"x","currency":"USD","amount":"0.50"}`, "a/b"),
		`{"body":{"amount":"0.5","currency":"USD","merchantReference":"x"},"path":{"accountId":"a/b"}}`)
}

func TestRefusedPayments(t *testing.T) {
	for body, place := range map[string]string{
		`{"currency":"EUR"}`:                                        "body/amount",
		`{"amount":"NaN","currency":"EUR"}`:                         "body/amount",
		`{"amount":1,"currency":null}`:                              "body/currency",
		`{"amount":1,"currency":"EUR","merchantReference":null}`:    "body/merchantReference",
		`{"amount":1,"currency":"EUR","other":1}`:                   "body/other",
		`{"amount":1,"currency":"EUR","Amount":2}`:                  "body/Amount",
		`{"amount":1,"currency":"EUR","amount":1}`:                  "body/amount",
		`{"amount":1,"currency":"EUR","metadata":{"a":1,"a":2}}`:    "body/metadata/a",
		`{"amount":1,"currency":"EUR","metadata":{},"metadata":{}}`: "body/metadata",
		`{"amount":1,"currency":"EUR"} x`:                           "body",
		`[]`:                                                        "body",
		``:                                                          "body",
		"{\"amount\":1,\"currency\":\"EUR\",\"merchantReference\":\"\xff\"}": "body/merchantReference",
	} {
		ft.Refuses(t, &CreatePaymentOperation, ft.JSON(body, "acc_1"), place)
	}
}

func TestMismatchNamesTheFields(t *testing.T) {
	first := ft.JSON(`{"amount":1,"currency":"EUR"}`, "acc_1")
	assert.Equal(t, []string{"body.amount", "body.merchantReference", "path.accountId"},
		ft.Fields(t, &CreatePaymentOperation, first, ft.JSON(`{"amount":2,"currency":"EUR","merchantReference":"x"}`, "acc_2")))
	assert.Empty(t, ft.Fields(t, &CreatePaymentOperation, first, ft.JSON(`{"metadata":{},"currency":"eur","amount":"1.0"}`, "acc_1")))
}

func TestCommand(t *testing.T) {
	cmd, err := decodeCreatePayment(ft.JSON(`{"amount":10.50,"currency":"EUR","metadata":{"a":"b"}}`, "acc_1"))
	require.NoError(t, err)
	assert.Equal(t, CreatePaymentCommand{
		Path: CreatePaymentPath{AccountID: "acc_1"},
		Body: CreatePaymentBody{Amount: "10.50", Currency: "EUR", Metadata: map[string]string{"a": "b"}},
	}, cmd)

	_, err = decodeCreatePayment(&canon.Request{Path: []string{"acc_1"}})
	var refusal *canon.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "body", refusal.Place)
}

// TestFingerprintAllocatesNothing holds the generated code to the runtime's promise: its frames stay on the stack.
func TestFingerprintAllocatesNothing(t *testing.T) {
	s := canon.Acquire()
	defer s.Release()
	r := ft.JSON(`{"merchantReference":"x","currency":"USD","amount":"0.50"}`, "acc_1")
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := FingerprintCreatePayment(s, r); err != nil {
			t.Error(err)
		}
	})
	assert.Zero(t, allocs)
}

// noStore is never reached.
type noStore struct{ idem.Store[int] }

func TestNewEngine(t *testing.T) {
	scope := func(context.Context) (Scope, error) { return Scope{Tenant: "t"}, nil }
	engine, err := NewEngine[int](noStore{}, scope, idem.Options{})
	require.NoError(t, err)
	assert.NotNil(t, HandleCreatePayment(engine, func(context.Context, *idem.Execution[int], CreatePaymentCommand) (idem.Response, error) {
		return idem.Response{Status: 200}, nil
	}))

	engine, err = NewEngine[int](noStore{}, nil, idem.Options{})
	require.Error(t, err, "a missing resolver is refused")
	assert.Nil(t, engine)
}
