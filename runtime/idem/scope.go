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

// scope gives the scope's JSON text. The error wraps errScope, or is a *canon.Refusal when the request lacks a part.
func (p *plan) scope(ctx context.Context, resolve func(context.Context) ([]string, error), r *canon.Request) (string, error) {
	var supplied []string
	if p.dimensions {
		var err error
		if supplied, err = resolve(ctx); err != nil {
			return "", fmt.Errorf("%w: %w", errScope, err)
		}
		if len(supplied) != p.contractDimensions {
			return "", fmt.Errorf("%w: the resolver gave %d values for %d dimensions", errScope, len(supplied), p.contractDimensions)
		}
	}
	text := []byte{'['}
	for i := range p.op.Scope {
		value, err := p.scopeValue(&p.op.Scope[i], supplied, r)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = canon.AppendJSONString(text, value)
	}
	return string(append(text, ']')), nil
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
		return value, nil
	}
	if part.From.In == 0 {
		return part.Literal, nil
	}
	value, err := part.From.find(r)
	if err == nil && !utf8.ValidString(value) {
		return "", &canon.Refusal{Place: "scope", Offset: -1, Reason: "the value that says whom the key belongs to is not UTF-8"}
	}
	return value, err
}
