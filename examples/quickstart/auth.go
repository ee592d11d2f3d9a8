package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

type tenantKey struct{}

// authenticate lets known bearer tokens through and puts the tenant, which is the token here, into the context. It stands outside
// of the idempotency handlers, so a token that was taken off the list gets 401 and never a replay.
func authenticate(tokens []string, next http.Handler) http.Handler {
	known := map[string]bool{}
	for _, t := range tokens {
		known[t] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !known[token] {
			w.Header().Set("WWW-Authenticate", `Bearer realm="quickstart"`)
			http.Error(w, "unknown bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenantKey{}, token)))
	})
}

// tenantOf gives the authenticated tenant.
func tenantOf(ctx context.Context) (string, error) {
	tenant, ok := ctx.Value(tenantKey{}).(string)
	if !ok {
		return "", errors.New("quickstart: the request was not authenticated")
	}
	return tenant, nil
}
