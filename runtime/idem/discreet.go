package idem

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// discreet gives err with a place that names nothing of what stands inside of sensitive parts. Member names there are the client's, and may
// be as telling as values: a refusal goes to clients and logs. What a view's error says was written for clients.
func (p *plan) discreet(err error) error {
	if p == nil {
		return err
	}
	return p.named.discreet(err)
}

// Discreet gives a refusal of v, or an error that wraps one, without what its place would tell of the inside of sensitive parts.
func (v *Version) Discreet(err error) error { return namedBy(v).discreet(err) }

func (n *named) discreet(err error) error {
	var refusal *canon.Refusal
	var view *ViewError
	if n == nil || !errors.As(err, &refusal) || errors.As(err, &view) {
		return err
	}
	place := n.cut(refusal.Place)
	if place == refusal.Place {
		return err
	}
	return &canon.Refusal{Place: place, Offset: refusal.Offset, Reason: refusal.Reason}
}

// discreet is the plan's, for an operation of the engine.
func (e *Engine[Tx]) discreet(op *Operation, err error) error { return e.plans[op].discreet(err) }

// named is a part of a body that the contract lists. The zero one lists nothing below it.
type named struct {
	sensitive bool
	members   map[string]*named
	entry     *named // of a map
	element   *named // of an array
}

// namedBy gives the body's parts by the paths of a version's fields; nil where none in the body is sensitive, so that every place may be named.
func namedBy(v *Version) *named {
	root, some := &named{}, false
	for i, path := range v.Fields {
		rest, ok := strings.CutPrefix(path, "body")
		if !ok {
			continue
		}
		part := root
		for rest != "" && part != nil {
			part, rest = part.below(rest)
		}
		if part != nil && slices.Contains(v.Sensitive, i) {
			part.sensitive, some = true, true
		}
	}
	if !some {
		return nil
	}
	return root
}

// below takes one step of a field path off the front: .name, ["name"], [], .* or the branches of a union, which are no step of a body. A
// step that it does not know ends the path, with nil.
func (n *named) below(path string) (part *named, rest string) {
	step := func(to **named) *named {
		if *to == nil {
			*to = &named{}
		}
		return *to
	}
	switch {
	case strings.HasPrefix(path, "[]"):
		return step(&n.element), path[2:]
	case strings.HasPrefix(path, ".*"):
		return step(&n.entry), path[2:]
	case strings.HasPrefix(path, `["`):
		end := closing(path, ']')
		var name string
		if end < 0 || json.Unmarshal([]byte(path[1:end]), &name) != nil {
			return nil, ""
		}
		return n.member(name), path[end+1:]
	case strings.HasPrefix(path, "{"):
		end := closing(path, '}')
		if end < 0 {
			return nil, ""
		}
		return n, path[end+1:]
	case strings.HasPrefix(path, "."):
		end := strings.IndexAny(path[1:], ".[{") + 1
		if end == 0 {
			end = len(path)
		}
		return n.member(path[1:end]), path[end:]
	}
	return nil, ""
}

func (n *named) member(name string) *named {
	if n.members == nil {
		n.members = map[string]*named{}
	}
	if n.members[name] == nil {
		n.members[name] = &named{}
	}
	return n.members[name]
}

// closing finds a bracket outside of quotes; -1: there is none.
func closing(text string, bracket byte) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == bracket && !quoted:
			return i
		}
	}
	return -1
}

// cut gives the part of a place that may be named: as far as the contract lists what stands there, and one name more below an object. It
// ends with the outermost sensitive part if that has a name of its own, else before it: the names of a map's entries are the client's.
func (n *named) cut(place string) string {
	pointer, ok := strings.CutPrefix(place, "body/")
	if !ok {
		return place
	}
	tokens := strings.Split(pointer, "/")
	kept := n.namable(tokens)
	if kept == 0 {
		return "body"
	}
	return "body/" + strings.Join(tokens[:kept], "/")
}

// namable counts the tokens that cut keeps.
func (n *named) namable(tokens []string) int {
	at := n
	for i, token := range tokens {
		if at.sensitive {
			return i
		}
		next, own := at.step(token)
		switch {
		case next == nil && (len(at.members) > 0 || at.entry != nil):
			return i + 1 // undeclared, ignored, or misspelled
		case next == nil, next.sensitive && !own:
			return i
		}
		at = next
	}
	return len(tokens)
}

// step follows one token of a JSON pointer (RFC 6901). own says that the name is the contract's.
func (n *named) step(token string) (next *named, own bool) {
	if n.element != nil {
		if _, err := strconv.Atoi(token); err == nil {
			return n.element, false
		}
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	if next = n.members[name]; next != nil {
		return next, true
	}
	return n.entry, false
}
