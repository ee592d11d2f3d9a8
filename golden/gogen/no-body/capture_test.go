package capturesidem

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

func request(query string) *canon.Request {
	return &canon.Request{
		Query: query, Path: []string{id, "3"}, Header: map[string][]string{"Stripe-Account": {"acct_1"}, "X-Tags": {"a,b"}},
	}
}

func TestParameters(t *testing.T) {
	start := `{"header":{"stripe-account":"acct_1"},"path":{"part":"3","paymentId":"` + id + `"},"query":`
	for query, want := range map[string]string{
		"key=k":                              `{"dry_run":false}}`,
		"dry_run=true&since=x&other=1":       `{"dry_run":true}}`,
		"expand=b&expand=a&expand=b&ids=2,1": `{"dry_run":false,"expand":["a","b"],"ids":["2","1"]}}`,
	} {
		ft.Accepts(t, &CapturePaymentOperation, request(query), start+want)
	}
}

// TestUndeclaredBodyDoesNotCount: the operation declares no body, so what a client sends there is like an undeclared query parameter.
func TestUndeclaredBodyDoesNotCount(t *testing.T) {
	with := request("")
	with.Body, with.ContentType = []byte(`{}`), "application/json"
	assert.Empty(t, ft.Fields(t, &CapturePaymentOperation, request(""), with))
	ft.Accepts(t, &PingOperation, ft.JSON(`{}`), `{}`)
	ft.Accepts(t, &PingOperation, &canon.Request{}, `{}`)
}

func TestRefusedParameters(t *testing.T) {
	ft.Refuses(t, &CapturePaymentOperation, request("dry_run=yes"), "query.dry_run")
	ft.Refuses(t, &CapturePaymentOperation, request("ids=1,x"), "query.ids")
	none := request("")
	none.Header = nil
	ft.Refuses(t, &CapturePaymentOperation, none, "header.stripe-account")
}

func TestCommand(t *testing.T) {
	cmd, err := decodeCapturePayment(request("dry_run=true&expand=a&expand=b&ids=2,1&since=2024-01-01T00:00:00Z&filter=%7B%7D"))
	require.NoError(t, err)
	dryRun, filter, tags := true, "{}", "a,b"
	assert.Equal(t, CapturePaymentCommand{
		Path: CapturePaymentPath{PaymentID: id, Part: 3},
		Query: CapturePaymentQuery{
			DryRun: &dryRun, Expand: []string{"a", "b"}, IDs: []int64{2, 1}, Filter: &filter,
			Since: idem.Instant{Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		},
		Header: CapturePaymentHeader{StripeAccount: "acct_1", XTags: &tags},
	}, cmd)
}

// TestEveryBadParameterIsReported: also one that the document demands and the fingerprint does not look at.
func TestEveryBadParameterIsReported(t *testing.T) {
	_, err := decodeCapturePayment(&canon.Request{Path: []string{id, "x"}, Query: "dry_run=yes"})
	for _, place := range []string{"path.part", "query.dry_run", "query.since", "header.stripe-account"} {
		require.ErrorContains(t, err, place)
	}
	cmd, err := decodePing(&canon.Request{})
	require.NoError(t, err)
	assert.Equal(t, PingCommand{}, cmd)
}
