package ordersidem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
)

func TestLinesCountAsASet(t *testing.T) {
	want := `{"body":{"lines":[{"quantity":"1","sku":"b"},{"quantity":"2","sku":"a"}]}}`
	for _, body := range []string{
		`{"lines":[{"sku":"a","quantity":2},{"sku":"b","quantity":1}]}`,
		`{"lines":[{"sku":"b","quantity":1},{"quantity":"2","sku":"a"},{"sku":"b","quantity":1,"note":"undeclared"}]}`,
	} {
		ft.Accepts(t, &CreateOrderOperation, ft.JSON(body), want)
	}
}

func TestCodesGridAndUndeclaredMembers(t *testing.T) {
	ft.Accepts(t, &CreateOrderOperation, ft.JSON(`{"zoo":5,"codes":["B","a","b"],"grid":[[2,1],[],[1]],"lines":[],"about":{"x":"5"},"spare":[]}`),
		`{"body":{"about":{"object":{"x":"5"}},"codes":["a","b","b"],"grid":[["2","1"],[],["1"]],"lines":[],"spare":[],"zoo":{"number":"5"}}}`)
}

func TestRefusedOrders(t *testing.T) {
	for body, place := range map[string]string{
		`{"lines":{}}`:     "body/lines",
		`{"lines":[null]}`: "body/lines/0",
		`{"lines":[{"sku":"a","quantity":1},{"sku":"a"}]}`:       "body/lines/1/quantity",
		`{"lines":[],"spare":[{"sku":1,"quantity":1}]}`:          "body/spare/0/sku",
		`{"lines":[],"grid":[[1],[1.0]]}`:                        "body/grid/1/0",
		`{"lines":[],"Lines":[]}`:                                "body/Lines",
		`{"lines":[{"sku":"a","quantity":1,"note":1,"note":2}]}`: "body/lines/0/note",
	} {
		ft.Refuses(t, &CreateOrderOperation, ft.JSON(body), place)
	}
}

func TestMismatchNamesTheFields(t *testing.T) {
	first := ft.JSON(`{"lines":[{"sku":"a","quantity":1}]}`)
	assert.Equal(t, []string{"body.lines[]", "body.lines[].quantity"},
		ft.Fields(t, &CreateOrderOperation, first, ft.JSON(`{"lines":[{"sku":"a","quantity":2}]}`)))
}

func TestCommand(t *testing.T) {
	cmd, err := decodeCreateOrder(ft.JSON(`{"lines":[{"sku":"a","quantity":1}],"grid":[[1],[]],"codes":[]}`))
	require.NoError(t, err)
	assert.Equal(t, CreateOrderCommand{Body: CreateOrderBody{
		Codes: []string{}, Grid: [][]int64{{1}, {}}, Lines: []CreateOrderBodyLines{{Quantity: 1, SKU: "a"}},
	}}, cmd, "an absent list is nil, an empty one is not")
}
