package generator

import (
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/propose"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// operationKey tells the operations of one document apart.
type operationKey struct{ method, path, webhook string }

func keyOfCandidate(c openapi.Candidate) operationKey {
	if c.Webhook != "" {
		return operationKey{webhook: c.Webhook, method: c.Method}
	}
	return operationKey{method: c.Method, path: c.Path}
}

// supposition is what became of candidates that were read as if annotations stood at them.
type supposition struct {
	operations map[operationKey]*openapi.Operation
	refused    map[operationKey]string // why one cannot be read
}

func newSupposition() supposition {
	return supposition{operations: map[operationKey]*openapi.Operation{}, refused: map[operationKey]string{}}
}

// suppose reads the document with some candidates, and halves them where they cannot be read together: few documents have more than a few
// operations that make them unreadable.
func (p *proposing) suppose(some []openapi.Candidate) error {
	if len(some) == 0 {
		return nil
	}
	wanted := map[operationKey]bool{}
	for _, c := range some {
		wanted[keyOfCandidate(c)] = true
	}
	opts := p.opts.load()
	opts.Suppose = func(c openapi.Candidate) bool { return wanted[keyOfCandidate(c)] }
	doc, found, err := openapi.Load(p.document, opts)
	if err != nil {
		return err
	}
	if !found.HasErrors() {
		p.supposed.take(doc, wanted)
		return nil
	}
	if len(some) == 1 {
		p.supposed.refused[keyOfCandidate(some[0])] = said(firstError(found), propose.Title(some[0]))
		return nil
	}
	half := len(some) / 2
	if err := p.suppose(some[:half]); err != nil {
		return err
	}
	return p.suppose(some[half:])
}

func firstError(list diag.List) diag.Diagnostic {
	all := list.All()
	return all[slices.IndexFunc(all, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })]
}

// take keeps the operations that were wanted. They come in the order in which they stand among all of their document.
func (s supposition) take(doc *openapi.Document, wanted map[operationKey]bool) {
	at := map[diag.Pos][]operationKey{}
	for _, c := range doc.Candidates {
		if k := keyOfCandidate(c); wanted[k] {
			at[c.Pos] = append(at[c.Pos], k)
		}
	}
	for _, op := range doc.Operations {
		if keys := at[op.Pos]; len(keys) > 0 {
			s.operations[keys[0]] = op
			at[op.Pos] = keys[1:]
		}
	}
}

// draft makes the first draft of a candidate.
func (p *proposing) draft(c openapi.Candidate) *propose.Draft {
	if reason := p.unreachable(c); reason != "" {
		return propose.LeftOut(c, reason)
	}
	if reason := p.supposed.refused[keyOfCandidate(c)]; reason != "" {
		return propose.LeftOut(c, reason)
	}
	op := p.supposed.operations[keyOfCandidate(c)]
	if op == nil { // not read for a reason that would have been reported
		return propose.LeftOut(c, "it could not be read")
	}
	needsScope := !op.Annotation.Scope.Set
	if needsScope {
		op.Annotation.Scope = openapi.Val[openapi.Scope]{Set: true, Pos: op.Pos,
			Value: openapi.Scope{Now: []openapi.ScopeTerm{{Dimension: "tenant", Pos: op.Pos}}}}
	}
	bare := *op // what is inherited for the fingerprint is the document's, and what everything would be is asked
	bare.Annotation.Fingerprint = openapi.Val[openapi.Fingerprint]{Pos: op.Pos}
	bare.Annotation.Unique = openapi.Val[[]openapi.FieldPath]{Pos: op.Pos}
	shape, _ := p.contractOf(&bare)
	if shape == nil {
		return propose.LeftOut(c, "what it inherits could not be read")
	}
	d := propose.New(c, op, shape)
	d.NeedsScope = needsScope && !d.Exempt()
	return d
}

// unreachable says why the annotation of c cannot be written where the proposal goes.
func (p *proposing) unreachable(c openapi.Candidate) string {
	switch {
	case c.Twin.IsValid():
		return fmt.Sprintf("it is the operation of the path in line %d too: an annotation would hold for both", c.Twin.Line)
	case p.how.InPlace && c.Insert.Refused != "":
		return c.Insert.Refused + "; an overlay can annotate it"
	case !p.how.InPlace && c.Target == "" && c.ID == "":
		return "it stands in another file and has no operationId, so no overlay reaches it; --in-place does"
	}
	return ""
}

// contractOf builds the contract of one operation by itself, so that every finding is about it.
func (p *proposing) contractOf(op *openapi.Operation) (*contract.Contract, diag.List) {
	alone := &openapi.Document{File: p.doc.File, BasePath: p.doc.BasePath, Operations: []*openapi.Operation{op}}
	api, found := contract.Build(alone, contract.Options{
		Base: stem(p.document), Package: p.opts.Package, Extension: p.opts.Extension,
	})
	if len(api.Contracts) == 0 {
		return nil, found
	}
	return api.Contracts[0], found
}
