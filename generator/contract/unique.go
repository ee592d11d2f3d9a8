package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// uniqueScheme is the way in which business keys are made. It stands where a contract id has Scheme.
const uniqueScheme = "idempotency-business-key/1"

// Unique is an operation's business key: the values of a request that name the thing that it makes.
type Unique struct {
	// Paths are the field paths as the annotation writes them, sorted.
	Paths []string
	// Version is the contract of these values alone. All of them are demanded and none is null, so that a request which lacks one is refused
	// and has no business key; the rest of the request is ignored. No field has a number.
	Version Version
}

// DigestName stands in a business key's digest where a fingerprint has the contract's name. No contract's name has a tab, so the
// two are never equal.
func (u *Unique) DigestName(contract string) string { return contract + "\tunique" }

// readUnique makes the business key; nil where the operation has none, or one with faults.
func (o *operation) readUnique() *Unique {
	paths := o.src.Annotation.Unique.Value
	if len(paths) == 0 {
		return nil
	}
	of := o.businessKey()
	u := &Unique{}
	for _, path := range paths {
		if text, ok := of.demand(path, o); ok {
			u.Paths = append(u.Paths, text)
		}
	}
	slices.Sort(u.Paths)
	if len(u.Paths) == len(paths) {
		u.Version = of.version()
		u.Version.Ignored = nil
	}
	o.found.Append(of.found) // what was found about the fingerprint too is told once
	o.unsupported.Append(of.unsupported)
	o.misfitted.Append(of.misfitted)
	if of.found.HasErrors() || of.unsupported.HasErrors() {
		return nil
	}
	return u
}

// businessKey is o with nothing decided upon but that everything is ignored.
func (o *operation) businessKey() *operation {
	of := newOperation(o.src, o.name)
	of.extension, of.merger, of.carriers, of.spec, of.tree, of.params = o.extension, o.merger, o.carriers, o.spec, o.tree, o.params
	of.bodyUnsupported, of.wanted = o.bodyUnsupported, map[*place]bool{}
	of.choice.key = o.choice.key
	of.choice.decided[bodyText] = decided{decision: ignored}
	return of
}

// demand takes the value at path into the business key. What is one value for the fingerprint is one here.
func (o *operation) demand(path openapi.FieldPath, fingerprint *operation) (string, bool) {
	at, ok := o.locate(path)
	if !ok {
		return "", false
	}
	for _, one := range at {
		if !o.singleTarget(one, path) || !o.canCount(one, path) || !o.canName(one, path, fingerprint) {
			return "", false
		}
	}
	text := at[0].decides
	asked := fingerprint.choice.asked[text]
	asked.nullAbsent, asked.sensitive = false, false
	o.choice.asked[text] = asked
	o.choice.decided[text] = decided{selected, path.Pos}
	for _, one := range at {
		o.want(one.place)
		for p := one.place; p != nil; p = p.parent {
			o.choice.toward[p.plain], o.wanted[p] = true, true
		}
	}
	return text, true
}

// want marks every kind of value that p may be.
func (o *operation) want(p *place) {
	if p == nil {
		return
	}
	o.wanted[p] = true
	if p.kind() == unionKind {
		for _, b := range o.tree.branches(p) {
			o.want(b)
		}
	}
}

// singleTarget refuses what is no plain value.
func (o *operation) singleTarget(at located, path openapi.FieldPath) bool {
	p := at.param
	switch {
	case p != nil && (p.array || p.unsupported != ""):
		o.valueMisfit(path, "is no single value")
	case p == nil && (at.place.file || at.place.kind() != scalarKind && (at.place.kind() != unionKind || structured(at.place.merged))):
		o.valueMisfit(path, "is "+at.exact.describe()+", no single value")
	default:
		return true
	}
	return false
}

// canName refuses values that cannot name a thing: those that nobody may guess, and those that do not count.
func (o *operation) canName(at located, path openapi.FieldPath, fingerprint *operation) bool {
	d := diag.Diagnostic{Pos: path.Pos, Code: diag.UniqueMisfit, Hint: "take the entry away"}
	sensitive, ignoredBy := fingerprint.choice.about(at)
	switch {
	case sensitive != nil:
		d.Message = path.String() + " is sensitive: a business key is found by a digest without a secret, and its values could be guessed from that"
		d.Related = []diag.Related{{Pos: sensitive.pos, Message: "said here"}}
	case ignoredBy != nil:
		d.Message = path.String() + " is ignored: a request that names another thing would be the same command, and get the answer about the first"
		d.Related = []diag.Related{{Pos: ignoredBy.pos, Message: "ignored here"}}
	default:
		return true
	}
	o.found.Add(d)
	return false
}

// about gives what the fingerprint says of a part, or of what it stands in: the line that makes it sensitive, and the decision to
// ignore it.
func (c *choice) about(at located) (sensitive *asked, ignoredBy *decided) {
	texts := []string{at.exact.text}
	for p := at.place; p != nil; p = p.parent {
		texts = append(texts, p.plain)
	}
	closest := true
	for _, text := range texts {
		if a := c.asked[text]; a.sensitive && sensitive == nil {
			sensitive = &a
		}
		if d := c.decided[text]; d.decision != undecided && closest {
			closest = false
			if d.decision == ignored {
				ignoredBy = &d
			}
		}
	}
	return sensitive, ignoredBy
}

// demands reports whether every part has to be there: so it is in a business key's contract.
func (o *operation) demands() bool { return o.wanted != nil }

// presenceOf says whether p has to be there.
func (o *operation) presenceOf(p *place) presence {
	if p.presence == optionalMember && o.demands() && !o.choice.asked[p.plain].materialise {
		return requiredMember
	}
	return p.presence
}
