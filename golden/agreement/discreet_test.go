package agreement

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sensitive "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// What a client calls things inside of a sensitive object is told to nobody: neither in the answer nor to the log.
func TestRefusalsNameNothingInsideOfSensitiveParts(t *testing.T) {
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: []byte(strings.Repeat("k", 32))})
	require.NoError(t, err)
	var log bytes.Buffer
	engine, err := sensitive.NewEngine(memstore.New(), func(context.Context) (sensitive.Scope, error) { return sensitive.Scope{Tenant: "t"}, nil },
		idem.Options{Keys: keys, Observer: idem.SlogObserver(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	require.NoError(t, err)
	h := sensitive.HandleStoreCard(engine, func(context.Context, *idem.Execution[*memstore.Tx], sensitive.StoreCardCommand) (idem.Response, error) {
		return idem.Response{Status: 201}, nil
	})
	for body, place := range map[string]string{
		`{"number":"1","holder":{"ssn 123-45":1}}`:             `"pointer":"/holder"`,
		`{"number":"1","holder":{"name":{"ssn 123-45":1}}}`:    `"pointer":"/holder"`,
		`{"number":"1","aliases":["a",{"ssn 123-45":1}]}`:      `"pointer":"/aliases"`,
		`{"number":{"ssn 123-45":1}}`:                          `"pointer":"/number"`,
		`{"number":"1","holder":{"a":1,"a":2,"ssn 123-45":1}}`: `"pointer":"/holder"`,
		`{"number":"1","label":1}`:                             `"pointer":"/label"`,
		`{"number":"1","undeclared":{"x":1}}`:                  `"pointer":"/undeclared"`,
	} {
		log.Reset()
		r := httptest.NewRequest(http.MethodPost, "/cards", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, 400, w.Code, body)
		assert.Contains(t, w.Body.String(), place, body)
		assert.NotContains(t, w.Body.String(), "ssn", body)
		assert.NotContains(t, log.String(), "ssn", body)
		assert.Contains(t, log.String(), "error=", "the observer is told why")
	}
}
