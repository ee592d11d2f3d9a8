package openapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/openapi/diag"
)

// schemas has kin-openapi read the chosen operations and gives them with their schemas.
// Operations that it refuses are reported and left out; the others share their schemas.
func (l *loading) schemas(chosen []*parts) []*Operation {
	if len(chosen) == 0 {
		return nil
	}
	u := newUnions(l.version, l.refs, l.ds)
	r := newReducer(l.version, l.refs, u, l.ds)
	doc, err := l.kin(r.reduce(chosen))
	if err != nil {
		if chosen = l.readable(chosen, u); len(chosen) == 0 {
			return nil
		}
		r = newReducer(l.version, l.refs, u, l.ds)
		if doc, err = l.kin(r.reduce(chosen)); err != nil {
			l.report(place{s: l.root, node: l.root.root}, diag.Unreadable, "", "the annotated operations cannot be read together: %s", err)
			return nil
		}
	}
	return newConverter(l, r, doc).operations(chosen)
}

// readable tries the operations one by one, and reports those that cannot be read.
func (l *loading) readable(chosen []*parts, u *unions) (good []*parts) {
	for _, p := range chosen {
		r := newReducer(l.version, l.refs, u, &diag.List{})
		if _, err := l.kin(r.reduce([]*parts{p})); err != nil {
			l.report(p.at, diag.Unreadable, "", "%s %s%s cannot be read: %s", p.op.Method, p.op.Path, p.op.Webhook, err)
			continue
		}
		good = append(good, p)
	}
	return good
}

// readReduced has kin-openapi load text. It reaches neither files nor the network: text has no references to either.
func readReduced(text []byte) (*openapi3.T, error) {
	loader := &openapi3.Loader{
		Context: context.Background(),
		ReadFromURIFunc: func(*openapi3.Loader, *url.URL) ([]byte, error) {
			return nil, errors.New("a reduced document refers to nothing outside of it")
		},
	}
	return guarded(func() (*openapi3.T, error) { return loader.LoadFromData(text) })
}

// guarded turns a panic of the library into an error: one operation's schema must not take the whole run down.
func guarded(load func() (*openapi3.T, error)) (doc *openapi3.T, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("openapi: load reduced document: panic: %v", r)
		}
	}()
	if doc, err = load(); err != nil {
		return nil, fmt.Errorf("openapi: load reduced document: %w", err)
	}
	return doc, nil
}
