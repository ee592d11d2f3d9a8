package idem_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestRecord(t *testing.T) {
	got, err := idem.Record(func(w http.ResponseWriter) error {
		w.Header().Set("Location", "/payments/1")
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("Too-Late", "1")
		_, err := io.WriteString(w, "{}")
		return err
	})
	require.NoError(t, err)
	assert.Equal(t, idem.Response{Status: 201, Header: http.Header{"Location": {"/payments/1"}}, Body: []byte("{}")}, got)

	got, err = idem.Record(func(http.ResponseWriter) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 200, got.Status, "nothing written, as net/http has it")

	failed := errors.New("no JSON")
	got, err = idem.Record(func(w http.ResponseWriter) error { w.WriteHeader(http.StatusCreated); return failed })
	assert.ErrorIs(t, err, failed)
	assert.Equal(t, idem.Response{}, got)
}
