package batchidem

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
)

const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

func TestListAsBody(t *testing.T) {
	ft.Accepts(t, &CreateBatchOperation, ft.JSON(`[{"id":"`+id+`","x":true},{"id":"`+id+`"}]`),
		`{"body":[{"id":"`+id+`","x":true},{"id":"`+id+`"}]}`)
	ft.Accepts(t, &CreateBatchOperation, ft.JSON(`[]`), `{"body":[]}`)
	ft.Refuses(t, &CreateBatchOperation, ft.JSON(`{}`), "body")
	ft.Refuses(t, &CreateBatchOperation, ft.JSON(`[{"id":"`+id+`"},{}]`), "body/1/id")
	ft.Refuses(t, &CreateBatchOperation, ft.JSON(`[] []`), "body")
}

func TestLeafAsBody(t *testing.T) {
	ft.Accepts(t, &SetLimitOperation, ft.JSON(` -0 `), `{"body":"0"}`)
	ft.Accepts(t, &SetLimitOperation, ft.JSON(`null`), `{"body":null}`)
	ft.Refuses(t, &SetLimitOperation, ft.JSON(`1.0`), "body")
	ft.Refuses(t, &SetLimitOperation, ft.JSON(``), "body")
}

func TestAnythingAsBody(t *testing.T) {
	ft.Accepts(t, &StoreDocumentOperation, ft.JSON(`{"b":[1,"1"],"a":null}`), `{"body":{"object":{"a":null,"b":[{"number":"1"},"1"]}}}`)
	ft.Accepts(t, &StoreDocumentOperation, ft.JSON(`null`), `{"body":null}`)
	ft.Accepts(t, &StoreDocumentOperation, &canon.Request{}, `{}`)
}

func TestCommands(t *testing.T) {
	list, err := decodeCreateBatch(ft.JSON(`[{"id":"a"}]`))
	require.NoError(t, err)
	assert.Equal(t, []CreateBatchBodyItem{{ID: "a"}}, list.Body)

	limit, err := decodeSetLimit(ft.JSON(`7`))
	require.NoError(t, err)
	assert.Equal(t, int64(7), limit.Body.Value)
	limit, err = decodeSetLimit(ft.JSON(`null`))
	require.NoError(t, err)
	assert.True(t, limit.Body.Null)

	document, err := decodeStoreDocument(ft.JSON(`null`))
	require.NoError(t, err)
	assert.Equal(t, json.RawMessage(`null`), *document.Body)
	document, err = decodeStoreDocument(&canon.Request{})
	require.NoError(t, err)
	assert.Nil(t, document.Body)
}
