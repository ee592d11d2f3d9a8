package vector

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Expand gives the whole request of every vector.
func Expand(vectors []Vector) ([]Request, error) {
	out := make([]Request, len(vectors))
	index := map[string]int{}
	for i := range vectors {
		v := &vectors[i]
		base, err := baseOf(v, vectors, index)
		if err != nil {
			return nil, fmt.Errorf("vector: expand %q: %w", v.Name, err)
		}
		var from Request
		if base >= 0 {
			from = out[base]
		}
		if out[i], err = Apply(from, v); err != nil {
			return nil, fmt.Errorf("vector: expand %q: %w", v.Name, err)
		}
		index[v.Name] = i
	}
	return out, nil
}

// baseOf finds the vector that v changes, -1 when its request is whole, and refuses what cannot be a vector. index has the earlier ones.
func baseOf(v *Vector, vectors []Vector, index map[string]int) (int, error) {
	relations := 0
	for _, name := range []string{v.Like, v.Unlike, v.Refused} {
		if name != "" {
			relations++
		}
	}
	base, known := index[v.Base()]
	_, taken := index[v.Name]
	switch {
	case v.Name == "":
		return 0, errors.New("it has no name")
	case taken:
		return 0, errors.New("an earlier vector has the name")
	case relations > 1:
		return 0, errors.New("it is more than one of like, unlike and refused")
	case v.Request.Body != "" && v.Request.View != "":
		return 0, errors.New("it has a body and what a view made of one")
	case relations == 0 && (v.SHA256 == "" || v.Canonical == ""):
		return 0, errors.New("a whole request needs its canonical text and its digest")
	case relations == 0 && len(v.Set)+len(v.Remove) > 0:
		return 0, errors.New("a whole request has nothing to set or remove")
	case v.Refused != "" && v.Canonical+v.SHA256 != "":
		return 0, errors.New("a refused request has neither canonical text nor digest")
	case relations == 0:
		return -1, nil
	case !known:
		return 0, fmt.Errorf("no earlier vector is called %q", v.Base())
	case vectors[base].Refused != "":
		return 0, fmt.Errorf("%q is refused, nothing compares with it", v.Base())
	}
	return base, nil
}

// Apply gives what a vector makes of its base's request, which stays as it is.
func Apply(base Request, v *Vector) (Request, error) {
	r := Request{Body: base.Body, View: base.View, Type: base.Type, Query: base.Query, Path: slices.Clone(base.Path), Header: slices.Clone(base.Header)}
	replace(&r.Body, v.Request.Body)
	replace(&r.View, v.Request.View)
	replace(&r.Type, v.Request.Type)
	replace(&r.Query, v.Request.Query)
	r.Path = merge(r.Path, v.Request.Path)
	r.Header = merge(r.Header, v.Request.Header)
	for _, c := range v.Set {
		root, steps, err := parsePath(c.Path)
		switch {
		case err != nil:
			return Request{}, err
		case root != "body":
			return Request{}, fmt.Errorf("set %s: only the body can be set", c.Path)
		}
		if r.Body, err = edit(r.Body, steps, &c.JSON); err != nil {
			return Request{}, fmt.Errorf("set %s: %w", c.Path, err)
		}
	}
	for _, path := range v.Remove {
		if err := r.remove(path); err != nil {
			return Request{}, fmt.Errorf("remove %s: %w", path, err)
		}
	}
	return r, nil
}

func replace(old *string, text string) {
	if text != "" {
		*old = text
	}
}

// merge replaces values by name.
func merge(old, values []Value) []Value {
	for _, v := range values {
		if i := slices.IndexFunc(old, func(o Value) bool { return o.Name == v.Name }); i >= 0 {
			old[i] = v
			continue
		}
		old = append(old, v)
	}
	return old
}

func (r *Request) remove(path string) error {
	root, steps, err := parsePath(path)
	if err != nil {
		return err
	}
	switch {
	case root == "body" && len(steps) == 0:
		r.Body, r.View, r.Type = "", "", ""
	case root == "body":
		r.Body, err = edit(r.Body, steps, nil)
	case len(steps) != 1 || steps[0].element:
		return errors.New("one name must follow")
	case root == "query":
		r.Query, err = withoutName(r.Query, steps[0].name)
	case root == "header":
		before := len(r.Header)
		if r.Header = slices.DeleteFunc(r.Header, func(v Value) bool { return v.Name == steps[0].name }); len(r.Header) == before {
			return errMissing
		}
	default:
		return errors.New("a path value cannot be missing")
	}
	return err
}

var errMissing = errors.New("it is not there")

// withoutName leaves out the pairs of a query that have a name.
func withoutName(query, name string) (string, error) {
	pieces := strings.Split(query, "&")
	kept := slices.DeleteFunc(slices.Clone(pieces), func(piece string) bool {
		raw, _, _ := strings.Cut(piece, "=")
		text, err := url.QueryUnescape(raw)
		return err == nil && text == name
	})
	if len(kept) == len(pieces) {
		return "", errMissing
	}
	return strings.Join(kept, "&"), nil
}
