package scenarios_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watched is the engine's request body, and counts what a server takes of it.
type watched struct {
	io.ReadCloser
	value interface{ ValidatedValue() any }

	reads, values *atomic.Int32
}

func (b watched) Read(p []byte) (int, error) {
	b.reads.Add(1)
	return b.ReadCloser.Read(p)
}

func (b watched) ValidatedValue() any {
	b.values.Add(1)
	return b.value.ValidatedValue()
}

// A strict server binds from the value that the engine's body offers, and does not decode the bytes again. Where there is none, it reads
// them, and the engine answers.
func TestStrictServerBindsFromTheEnginesValue(t *testing.T) {
	var reads, values atomic.Int32
	w := layered(t, func(e *engine, a *api) []layer {
		watch := func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				value, ok := r.Body.(interface{ ValidatedValue() any })
				require.True(t, ok)
				r.Body = watched{r.Body, value, &reads, &values}
				h.ServeHTTP(w, r)
			})
		}
		return []layer{e.Middleware, a.Authenticated, watch}
	})
	first := w.send(create("10.50"))
	require.Equal(t, http.StatusCreated, first.status, first.body)
	assert.Contains(t, first.body, `"amount":"10.50"`)
	assert.Equal(t, []int32{0, 1}, []int32{reads.Load(), values.Load()})

	assert.Equal(t, http.StatusBadRequest, w.send(create("").with("key-2").says(`{"accountId": `)).status)
	assert.Positive(t, reads.Load())
}
