package refundsidem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

func TestAbsentAndEmptyDiffer(t *testing.T) {
	ft.Accepts(t, &CreateRefundOperation, &canon.Request{Path: []string{"p"}}, `{"path":{"paymentId":"p"}}`)
	ft.Accepts(t, &CreateRefundOperation, ft.JSON(``, "p"), `{"path":{"paymentId":"p"}}`)
	ft.Accepts(t, &CreateRefundOperation, ft.JSON(`{}`, "p"), `{"body":{},"path":{"paymentId":"p"}}`)
	ft.Accepts(t, &CreateRefundOperation, ft.JSON(`{"amount":1}`, "p"), `{"body":{"amount":"1"},"path":{"paymentId":"p"}}`)
	ft.Refuses(t, &CreateRefundOperation, ft.JSON(`null`, "p"), "body")
	ft.Refuses(t, &CreateRefundOperation, ft.JSON(` `, "p"), "body")
}

func TestCommand(t *testing.T) {
	cmd, err := decodeCreateRefund(&canon.Request{Path: []string{"p"}})
	require.NoError(t, err)
	assert.Nil(t, cmd.Body)

	cmd, err = decodeCreateRefund(ft.JSON(`{}`, "p"))
	require.NoError(t, err)
	assert.Equal(t, &CreateRefundBody{}, cmd.Body)

	cmd, err = decodeCreateRefund(ft.JSON(`{"amount":"1.0"}`, "p"))
	require.NoError(t, err)
	assert.Equal(t, idem.Number("1.0"), *cmd.Body.Amount)
}
