package scenarios_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// gin's Stream asks its writer for more than others do. An annotated operation does not stream, and what it writes that way is its response.
func TestGinStreams(t *testing.T) {
	w := newWorldOf(t, func(e *engine, a *api) (http.Handler, error) {
		router := gin.New()
		router.POST("/payments", func(c *gin.Context) {
			ctx, err := a.Authenticate(c.Request.Context(), c.GetHeader("Authorization"))
			if err != nil {
				c.AbortWithStatus(http.StatusUnauthorized)
				return
			}
			ex, err := idem.Begin[pgx.Tx](ctx, ctx, &paymentsidem.CreatePaymentOperation)
			if err != nil {
				return // the middleware answers
			}
			err = idem.ErrNotReturned
			defer ex.End(&err)
			if _, err = a.CreatePayment(ctx, ex, business.NewPayment{AccountID: "a1", Amount: "10", Currency: "EUR"}); err != nil {
				return
			}
			c.Status(http.StatusCreated)
			lines := []string{"one\n", "two\n"}
			c.Stream(func(w io.Writer) bool {
				_, err = io.WriteString(w, lines[0])
				lines = lines[1:]
				return len(lines) > 0
			})
		})
		return e.Middleware(router), nil
	})
	for _, replayed := range []bool{false, true} {
		assert.Equal(t, reply{status: http.StatusCreated, kind: "text/plain; charset=utf-8", body: "one\ntwo\n", replayed: replayed}, w.send(create("10")))
	}
}
