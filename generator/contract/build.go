package contract

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Options say how contracts are built.
type Options struct {
	Base    string // file name of the document without its extension
	Package string // empty: derived from Base
	// Extension is the annotation's name, for hints. Empty means x-idempotency.
	Extension string
	// SkipUnsupported turns operations that cannot be generated yet into warnings and leaves them out.
	SkipUnsupported bool
	// Lock is what the lock file held; nil when there is none. It pins names and gives version numbers.
	Lock *Lock
	// Released is the lock as it was when the branch left what is released, or an empty one when there was none: a version that stands there
	// may have written records. Nil when nobody knows: then every version of Lock counts as released.
	Released *Lock
	// Accept names changes that forget records and that are accepted nevertheless, for Reason: a contract, or one of its changes
	// (createPayment.scope). Used gets the names that were needed.
	Accept []string
	Reason string
	Used   map[string]bool
	// Comparing leaves changes that forget records, and released versions that are gone, to Differences.
	Comparing bool
	// Partial says that the document could not be read whole: an operation that is missing then is not gone.
	Partial bool
}

// Build makes the contracts of doc. Everything that is wrong is in the list, all at once; with errors in it the API must not be emitted.
func Build(doc *openapi.Document, opts Options) (*API, diag.List) {
	api := &API{Base: opts.Base, Package: opts.Package, BasePath: doc.BasePath}
	var found diag.List
	if api.Package == "" {
		api.Package = packageName(opts.Base)
	}
	if !validPackage(api.Package) {
		found.Add(diag.Diagnostic{Pos: diag.Pos{File: doc.File}, Code: diag.NameInvalid, Message: quoteJSON(api.Package) + " is no package name"})
	}
	named := nameOperations(doc.Operations, opts, &found)
	var live []namedOperation
	whole := !opts.Partial
	for _, n := range named {
		if c := buildOne(n, opts, &found); c != nil {
			api.Contracts = append(api.Contracts, c)
			live = append(live, n)
		}
		whole = whole && !n.src.Annotation.Broken // whose name could not be read
	}
	if whole && len(api.Contracts) > 0 { // else nothing is generated, and that is an error of its own
		api.reportLost(doc, live, opts, &found)
	}
	indexDimensions(api)
	indexViews(api)
	nameAll(api)
	AddVectors(api)
	api.Others = others(api.Contracts, doc.Routes)
	return api, found
}

// buildOne makes the contract of one operation; nil when it gets none.
func buildOne(n namedOperation, opts Options, found *diag.List) *Contract {
	if n.src.Annotation.Broken {
		return nil // reported already, and nothing follows from what was not understood
	}
	o := newOperation(n.src, n.name)
	o.extension = cmp.Or(opts.Extension, o.extension)
	c := o.build()
	var own diag.List
	if o.unsupported.Len() > 0 && opts.SkipUnsupported {
		for _, d := range o.unsupported.All() {
			d.Severity = diag.Warning
			d.Message += "; the operation is left out"
			own.Add(d)
		}
		found.AppendAbout(own, n.name)
		return nil
	}
	o.reportForgotten(c, opts)
	own.Append(o.unsupported)
	own.Append(o.found)
	c.Kept = n.kept
	pinVersions(c, opts, &own)
	holdVectors(c, opts.Lock, &own)
	found.AppendAbout(own, n.name)
	return c
}

// indexDimensions collects the scope's dimensions and points the terms to them.
func indexDimensions(api *API) {
	index := map[string]int{}
	for _, t := range scopeTermsOf(api) {
		if t.Dimension >= 0 {
			index[t.Text] = 0
		}
	}
	for name := range index {
		api.Dimensions = append(api.Dimensions, Dimension{Name: name})
	}
	slices.SortFunc(api.Dimensions, func(a, b Dimension) int { return strings.Compare(a.Name, b.Name) })
	for i, d := range api.Dimensions {
		index[d.Name] = i
	}
	for _, t := range scopeTermsOf(api) {
		if t.Dimension >= 0 {
			t.Dimension = index[t.Text]
		}
	}
}

// scopeTermsOf lists the terms of all scopes, those that operations had before too: a dimension is asked for as long as one of them has it.
func scopeTermsOf(api *API) []*ScopeTerm {
	var out []*ScopeTerm
	for _, c := range api.Contracts {
		for _, scope := range [][]ScopeTerm{c.Scope, c.Before} {
			for i := range scope {
				out = append(out, &scope[i])
			}
		}
	}
	return out
}

// namedOperation is an operation with its contract's name.
type namedOperation struct {
	src  *openapi.Operation
	name string
	pos  diag.Pos
	kept string // as Contract.Kept
}

// nameOperations gives the operations their contract names, sorted by them. Two with one name are both in the result, once reported.
func nameOperations(ops []*openapi.Operation, opts Options, found *diag.List) []namedOperation {
	var out []namedOperation
	for _, op := range ops {
		out = append(out, contractName(op, opts.Lock))
	}
	slices.SortStableFunc(out, func(a, b namedOperation) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(operationText(a.src), operationText(b.src)))
	})
	for i := 1; i < len(out); i++ {
		if a, b := out[i-1], out[i]; a.name == b.name {
			found.Add(diag.Diagnostic{Pos: b.pos, Code: diag.NameClash,
				Message: operationText(b.src) + " and " + operationText(a.src) + " both have the contract name " + b.name,
				Hint:    nameHint(b.src, opts), Related: []diag.Related{{Pos: a.pos, Message: "the other operation"}}})
		}
	}
	return out
}

// nameHint gives an operation the name that no other one is likely to have.
func nameHint(op *openapi.Operation, opts Options) string {
	o := newOperation(op, "")
	o.extension = cmp.Or(opts.Extension, o.extension)
	return o.memberHint(op.Annotation.Name.Set, "name: "+yamlText(derivedName(op.Method, op.Path+op.Webhook), flowText))
}

// contractName is what the annotation says, else what the lock has pinned for the operation, else its operationId, else the webhook's name,
// else one that is derived from method and path.
func contractName(op *openapi.Operation, lock *Lock) namedOperation {
	if n := op.Annotation.Name; n.Set {
		return namedOperation{src: op, name: n.Value, pos: n.Pos}
	}
	out := namedOperation{src: op, name: cleanName(op.ID), pos: op.Annotation.Pos}
	called := "operationId " + out.name
	if out.name == "" {
		out.name, called = cleanName(op.Webhook), "without an operationId"
	}
	if out.name == "" {
		out.name, called = derivedName(op.Method, op.Path), "without an operationId"
	}
	if pinned := lock.pinned(operationText(op), out.name); pinned != "" && pinned != out.name {
		out.name, out.kept = pinned, called
	}
	return out
}

// derivedName makes a name of method and path: postPaymentsPaymentIDCapture.
func derivedName(method, path string) string {
	name := strings.ToLower(method) + strings.TrimPrefix(exported("x "+path), "X")
	if name = cleanName(name); name == "" {
		return "operation"
	}
	return name
}

// maxName is as long as a name that the annotation gives may be, in bytes.
const maxName = 200

// validName reports whether a name can stand in a lock, in records and in logs.
func validName(name string) bool { return name != "" && cleanName(name) == name }

// cleanName replaces what nobody could see. It is what the annotation's reader refuses; the document gives no such promise.
func cleanName(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r < 0x20, r >= 0x7F && r <= 0xA0, r == 0xAD, r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E,
			r >= 0x2060 && r <= 0x206F, r == 0xFEFF, r == 0xFFFD, r >= 0xE0000 && r <= 0xE0FFF:
			return '_'
		}
		return r
	}, name))
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = strings.TrimSpace(name[:len(name)-size])
	}
	return name
}
