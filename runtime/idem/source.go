package idem

import (
	"net/url"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// key finds the request's key and checks it. The error is ErrKeyMissing, a *KeyError, or a *canon.Refusal when the place
// itself cannot be read.
func (p *plan) key(r *canon.Request) (string, error) {
	text, err := p.keyText(r)
	if err != nil {
		return "", err
	}
	return p.op.Key.checkKey(text)
}

func (p *plan) keyText(r *canon.Request) (string, error) {
	k := &p.op.Key
	switch k.In {
	case KeyInQuery:
		values, err := queryValues(r.Query, k.Name)
		if err != nil {
			return "", err
		}
		if len(values) > 1 {
			return "", malformedKey("the query parameter stands there more than once")
		}
		if len(values) == 0 {
			return "", ErrKeyMissing
		}
		return visibleKey(values[0])
	case KeyInBody:
		return k.inBody(r)
	case KeyInPath:
		return visibleKey(r.Path[p.keyIndex])
	case KeyInHeader:
	}
	return ParseKeyHeader(r.Header[k.Name]) // newPlan knows no other place
}

// inBody takes a string as it is, and a number, where the document declares one, as the text that was sent.
func (k *KeySource) inBody(r *canon.Request) (string, error) {
	text, found, err := canon.LookupBody(r, k.Path)
	if err != nil {
		return "", err
	}
	switch found {
	case canon.NotFound, canon.FoundNull:
		return "", ErrKeyMissing
	case canon.FoundText:
		return visibleKey(text)
	case canon.FoundToken:
		if k.Numbers && text != "true" && text != "false" {
			return visibleKey(text)
		}
	case canon.FoundOther:
	}
	if k.Numbers {
		return "", malformedKey("it is neither a string nor a number")
	}
	return "", malformedKey("it is not a string")
}

// queryValues gives the values of one query parameter. It decodes as a form does: plus is a blank.
func queryValues(query, name string) ([]string, error) {
	var values []string
	for pair := range strings.SplitSeq(query, "&") {
		n, v, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(n); err != nil || decoded != name || pair == "" {
			continue // another parameter; whether it counts is the scanner's question
		}
		value, err := url.QueryUnescape(v)
		if err != nil {
			return nil, &canon.Refusal{Place: "query." + name, Offset: -1, Reason: "a percent escape is malformed"}
		}
		values = append(values, value)
	}
	return values, nil
}

// find gives a single value of the request for a scope, normalised; it is missing when it is empty.
func (p *RequestPart) find(r *canon.Request) (string, error) {
	text, err := p.text(r)
	if err != nil || p.As == 0 {
		return text, err
	}
	normalised, err := canon.NormaliseText(p.As, text)
	if err != nil {
		return "", &canon.Refusal{Place: "scope", Offset: -1, Reason: "the value that says whom the key belongs to is not what the operation declares"}
	}
	return normalised, nil
}

func (p *RequestPart) text(r *canon.Request) (string, error) {
	switch p.In {
	case KeyInHeader:
		return singleValue(r.Header[p.Name], "header."+strings.ToLower(p.Name))
	case KeyInQuery:
		values, err := queryValues(r.Query, p.Name)
		if err != nil {
			return "", err
		}
		return singleValue(values, "query."+p.Name)
	case KeyInPath:
		return singleValue(r.Path[p.Index:p.Index+1], "path."+p.Name)
	case KeyInBody:
	}
	return p.findInBody(r) // newPlan knows no other place
}

func (p *RequestPart) findInBody(r *canon.Request) (string, error) {
	place := "body/" + strings.Join(p.Path, "/")
	text, found, err := canon.LookupBody(r, p.Path)
	if err != nil {
		return "", err
	}
	switch found {
	case canon.FoundText, canon.FoundToken:
		return singleValue([]string{text}, place)
	case canon.FoundOther:
		return "", &canon.Refusal{Place: place, Offset: -1, Reason: "a single value is needed to find whom the key belongs to"}
	case canon.NotFound, canon.FoundNull:
	}
	return singleValue(nil, place)
}

func singleValue(values []string, place string) (string, error) {
	switch {
	case len(values) > 1:
		return "", &canon.Refusal{Place: place, Offset: -1, Reason: "it stands there more than once"}
	case len(values) == 0 || values[0] == "":
		return "", &canon.Refusal{Place: place, Offset: -1, Reason: "it is missing, and says whom the key belongs to"}
	}
	return values[0], nil
}
