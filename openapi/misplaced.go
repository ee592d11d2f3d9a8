package openapi

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// misplaced reports annotations that opt nothing in: on objects that cannot carry one, and on operations that this API calls
// instead of serving. It looks at the whole root document, and at what was reached in other files.
func (l *loading) misplaced() {
	m := &misplacedWalk{l: l, seen: map[*yaml.Node]bool{}}
	m.visit(place{s: l.root, node: l.root.root}, documentKind, outgoing{})
}

// outgoing says what kind of request of this API the current object describes; the zero value: none.
type outgoing struct {
	code diag.Code
	hint string
}

type misplacedWalk struct {
	l    *loading
	seen map[*yaml.Node]bool
}

func (m *misplacedWalk) visit(p place, k kind, out outgoing) {
	if k == leafKind || !isObject(p.node) || m.seen[p.node] {
		return
	}
	m.seen[p.node] = true
	if key, _ := entry(p.node, m.l.extension); key != nil {
		m.judge(place{s: p.s, node: key}, p.node, k, out)
	}
	if ref := refOf(p.node); ref != nil {
		if target := m.l.refs.done[ref]; target.node != nil {
			m.visit(target, k, out)
		}
	}
	g := grammars[k]
	for key, value := range entries(p.node) {
		rule, named := g.members[key.Value]
		if !named {
			if strings.HasPrefix(key.Value, "x-") {
				continue
			}
			rule = one(g.rest)
		}
		m.members(place{s: p.s, node: value}, rule, below(k, key.Value, out))
	}
}

// below is what the member name of an object of kind k is part of.
func below(k kind, name string, out outgoing) outgoing {
	switch {
	case k == documentKind && name == "webhooks":
		return outgoing{code: diag.AnnotatedWebhook, hint: "--webhooks"}
	case (k == operationKind || k == componentsKind) && name == "callbacks":
		return outgoing{code: diag.AnnotatedCallback}
	}
	return out
}

func (m *misplacedWalk) members(p place, rule memberRule, out outgoing) {
	switch rule.form {
	case single:
		m.visit(p, rule.kind, out)
	case list:
		for _, n := range items(p.node) {
			m.visit(place{s: p.s, node: n}, rule.kind, out)
		}
	case dict:
		for _, n := range entries(p.node) {
			m.visit(place{s: p.s, node: n}, rule.kind, out)
		}
	}
}

// judge decides about the annotation whose key stands at at, on the object n of kind k.
func (m *misplacedWalk) judge(at place, n *yaml.Node, k kind, out outgoing) {
	carrier := k == operationKind || k == pathItemKind
	name := m.l.extension
	switch {
	case k == documentKind, carrier && m.l.reached[n]:
	case carrier && out.code == diag.AnnotatedWebhook:
		m.l.report(at, out.code, out.hint, "%s stands on a webhook, which describes requests that this API sends", name)
	case carrier && out.code == diag.AnnotatedCallback:
		m.l.report(at, out.code, out.hint, "%s stands on a callback, which describes requests that this API sends", name)
	default:
		m.l.report(at, diag.AnnotationNowhere, "", "%s on %s opts nothing in; it belongs on an operation", name, k.noun())
	}
}
