package business

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

type tenantKey struct{}

// WithTenant says who calls.
func WithTenant(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Scope gives the engine whom a key belongs to.
func Scope(ctx context.Context) (paymentsidem.Scope, error) {
	tenant, ok := ctx.Value(tenantKey{}).(string)
	if !ok {
		return paymentsidem.Scope{}, ErrUnauthorized
	}
	return paymentsidem.Scope{Tenant: tenant}, nil
}

// tenantOf is the caller; of an attempt that Engine.Run recovers, which has none, the one that its record belongs to.
func tenantOf[Tx any](ctx context.Context, lease *idem.Lease[Tx]) string {
	if tenant, ok := ctx.Value(tenantKey{}).(string); ok {
		return tenant
	}
	if lease != nil {
		return lease.Scope()[0]
	}
	return ""
}

// Authenticate gives the context of the caller with this Authorization header.
func (a *API[Tx]) Authenticate(ctx context.Context, authorization string) (context.Context, error) {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		return nil, ErrUnauthorized
	}
	tenant, ok := a.Tenant(token)
	if !ok {
		return nil, ErrUnauthorized
	}
	return WithTenant(ctx, tenant), nil
}

// Authenticated is the layer for servers that are net/http handlers. It stands inside of the engine's middleware.
func (a *API[Tx]) Authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := a.Authenticate(r.Context(), r.Header.Get("Authorization"))
		if err != nil {
			a.WriteError(w, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// WriteError renders what business code returned.
func (a *API[Tx]) WriteError(w http.ResponseWriter, err error) {
	status := a.Status(err)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"status":%d,"title":%q}`, status, http.StatusText(status)) // the client has gone: nobody is left to tell
}

// Status is the one that an error is rendered with.
func (a *API[Tx]) Status(err error) int {
	if a.Failed != nil {
		a.Failed(err)
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, ErrUnauthorized):
		return http.StatusUnauthorized
	}
	return http.StatusInternalServerError
}
