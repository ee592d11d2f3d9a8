package idem

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/canon"
)

// errScope says that the program could not tell whom a key belongs to. Nothing was claimed: a shared bucket for callers
// without a name would give one caller's answers to another.
var errScope = errors.New("idem: scope not resolved")

// A scope is part of the primary key, whose index holds no more than 2,700 bytes in a row.
const (
	maxScopeValue = 255
	maxScope      = 2000
)

// scopes gives the JSON texts of the scope and of the one that the operation had before; empty where there is none, or where both are
// one. The error wraps errScope, or is a *canon.Refusal when the request lacks a part.
func (p *plan) scopes(ctx context.Context, resolve func(context.Context) ([]string, error), r *canon.Request) (scope, before string, err error) {
	var supplied []string
	if p.dimensions {
		if supplied, err = resolve(ctx); err != nil {
			return "", "", fmt.Errorf("%w: %w", errScope, err)
		}
		if len(supplied) != p.contractDimensions {
			return "", "", fmt.Errorf("%w: the resolver gave %d values for %d dimensions", errScope, len(supplied), p.contractDimensions)
		}
	}
	if scope, err = p.scope(p.op.Scope, supplied, r); err != nil || p.op.Before == nil {
		return scope, "", err
	}
	if before, err = p.scope(p.op.Before, supplied, r); before == scope {
		before = ""
	}
	return scope, before, err
}

func (p *plan) scope(parts []ScopePart, supplied []string, r *canon.Request) (string, error) {
	values := make([]string, len(parts))
	for i := range parts {
		value, err := p.scopeValue(&parts[i], supplied, r)
		if err != nil {
			return "", err
		}
		values[i] = value
	}
	text := ScopeText(values...)
	if len(text) > maxScope {
		return "", fmt.Errorf("%w: the values have %d bytes, more than %d", errScope, len(text), maxScope)
	}
	return text, nil
}

// ScopeText gives scope values as they stand in Claim.Scope: a JSON array of strings, each in the one spelling that RFC 8785 has for
// it. What begins with the same text, up to the bracket, begins with the same values. The values are UTF-8.
func ScopeText(values ...string) string {
	text := []byte{'['}
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = canon.AppendJSONString(text, value)
	}
	return string(append(text, ']'))
}

func (p *plan) scopeValue(part *ScopePart, supplied []string, r *canon.Request) (string, error) {
	if part.Dimension >= 0 {
		value := supplied[part.Dimension]
		if value == "" {
			return "", fmt.Errorf("%w: dimension %d is empty", errScope, part.Dimension)
		}
		if !utf8.ValidString(value) {
			return "", fmt.Errorf("%w: dimension %d is not UTF-8", errScope, part.Dimension)
		}
		if len(value) > maxScopeValue {
			return "", fmt.Errorf("%w: dimension %d has %d bytes, more than %d", errScope, part.Dimension, len(value), maxScopeValue)
		}
		return value, nil
	}
	if part.From.In == 0 {
		return part.Literal, nil
	}
	value, err := part.From.find(r)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(value) || len(value) > maxScopeValue {
		return "", &canon.Refusal{Place: "scope", Offset: -1, Reason: "the value that says whom the key belongs to is not UTF-8 or has more than 255 bytes"}
	}
	return value, nil
}
