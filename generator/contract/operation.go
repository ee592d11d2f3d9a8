package contract

import (
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// operation builds the contract of one operation.
type operation struct {
	src  *openapi.Operation
	name string
	// extension is the annotation's name, for hints.
	extension string
	found     diag.List
	merger    *merger
	text      *openapi.Schema // of a value that is any text
	carriers  []carrier       // the media types that are taken, the first one decides
	spec      canon.BodySpec
	tree      *tree // nil without a body that is read
	params    []*param
	choice    choice
	key       Key
	keyPos    diag.Pos
	// keyInside are the generic places that the key stands in.
	keyInside       []*place
	bodyUnsupported bool
	// unsupported are the findings for which a later version is needed; misfitted are those about single members of forms.
	unsupported, misfitted diag.List

	// wanted are, in the contract of a business key, the places that it names and those above and among them. Nil: a fingerprint's contract.
	wanted map[*place]bool

	policy   canon.UnknownPolicy // 0 while nobody has chosen
	open     []*place            // objects that follow the policy
	nodes    map[*place]*Node    // of the places above the one that is being made, mostly
	defaults []defaulted
	lines    []line
	ignored  []string
	deciding []string // ignored members that would count if they were not declared
	overflow bool
	// forgotten are the changes after which earlier requests are not known any more.
	forgotten []forgets
}

func newOperation(src *openapi.Operation, name string) *operation {
	return &operation{
		src: src, name: name, extension: "x-idempotency", merger: newMerger(), text: &openapi.Schema{Types: []string{"string"}}, nodes: map[*place]*Node{},
		choice: choice{decided: map[string]decided{}, asked: map[string]asked{}, toward: map[string]bool{}, above: map[string]bool{}},
	}
}

// build makes the contract. It goes on after a finding as long as the next one does not follow from it.
func (o *operation) build() *Contract {
	a := &o.src.Annotation
	c := &Contract{
		Pos: a.Pos, Name: o.name, Method: o.src.Method, Path: o.src.Path, Webhook: o.src.Webhook, Summary: o.src.Summary,
		Keyspace: orDefault(a.Keyspace, o.name),
	}
	o.checkSupport()
	o.checkView()
	o.chooseMedia()
	o.collectParams()
	o.readKey()
	c.Key = o.key
	c.Scope, c.Before = o.readScope()
	o.readExecution(c)
	o.readTerms(c)
	c.Compare = !a.Fingerprint.Set || a.Fingerprint.Value.Mode != openapi.FingerprintNone
	if c.Compare {
		o.choose()
		o.reportUndecided()
		c.Version = o.version()
	} else {
		o.found.Add(diag.Diagnostic{Pos: a.Fingerprint.Pos, Code: diag.FingerprintOff,
			Message: "requests are not compared: another request with the same key gets the first one's answer"})
	}
	c.Unique = o.readUnique()
	o.checkOtherMedia(c)
	o.unsupported.Append(o.misfitted)
	o.makeTypes(c)
	o.checkLease(c)
	return c
}

// version makes what decides the hash.
func (o *operation) version() Version {
	o.policy = o.chosenPolicy()
	v := Version{}
	if o.tree != nil {
		if v.Body = o.growBody(); v.Body != nil { // else the body is taken as it comes
			v.Spec, v.View = o.spec, o.view()
			v.Spec.Required = v.Spec.Required || o.demands()
		}
		o.reportEndless(v.Body)
	}
	v.Params = o.growParams()
	if o.policy == 0 && len(o.open) > 0 {
		o.found.Add(diag.Diagnostic{
			Pos: o.fieldsPos(), Code: diag.UnknownUndecided, Message: "it is not said what an undeclared body member means",
			Hint:    "unknown: reject   # or include: it counts; or ignore: it does not",
			Related: []diag.Related{{Pos: o.open[0].pos, Message: o.open[0].plain + " allows members that it does not declare"}},
		})
	}
	v.Fields = o.finishLines()
	for i, f := range v.Fields {
		if f.Sensitive {
			v.Sensitive = append(v.Sensitive, i)
		}
	}
	v.Ignored, v.Unknown = o.ignored, o.policy
	v.ID = contractID(o.scheme(), &v, o.deciding)
	return v
}

func (o *operation) chosenPolicy() canon.UnknownPolicy {
	chosen := o.src.Annotation.Fingerprint.Value.Unknown
	if chosen.Set {
		for _, p := range []canon.UnknownPolicy{canon.RejectUnknown, canon.IgnoreUnknown, canon.IncludeUnknown} {
			if p.String() == chosen.Value {
				return p
			}
		}
	}
	if o.choice.all {
		return canon.IncludeUnknown
	}
	return 0
}

// fieldsPos is where findings about the choice of fields belong.
func (o *operation) fieldsPos() diag.Pos {
	fp := o.src.Annotation.Fingerprint
	if fp.Set && fp.Pos.IsValid() {
		return fp.Pos
	}
	return o.src.Annotation.Pos
}

func orDefault[T any](v openapi.Val[T], otherwise T) T {
	if v.Set {
		return v.Value
	}
	return otherwise
}
