package gogen

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	runtime "github.com/idemgen/idemgen/runtime/canon"
)

// checker finds what could not be spelled as Go, or would mean something else there. It runs before anything is emitted, so that
// the builders need no error paths. What it finds is a fault of the contract's builder, never of the document.
type checker struct {
	errs     []error
	declared map[string]string         // identifier of the package → what declares it
	files    map[string]string         // file name → contract
	nodes    map[*contract.Node]string // contract that declares the node
	types    map[*contract.Type]string
	where    string // prefix of every finding
}

// check gives everything that is wrong with api as one error.
func check(api *contract.API) error {
	k := &checker{
		declared: map[string]string{}, files: map[string]string{"contract": "the package"},
		nodes: map[*contract.Node]string{}, types: map[*contract.Type]string{},
	}
	k.where = "package"
	if !token.IsIdentifier(api.Package) || api.Package == "_" || api.Package == "main" || strings.HasSuffix(api.Package, "_test") {
		k.fail("package name %q cannot be imported", api.Package)
	}
	// Imports share the scope of a file with the package's declarations.
	for _, name := range []string{"idem", "canon", "context", "http", "json", "errors", "strings", "time", "testing", "idemtest", "init", "main"} {
		k.declared[name] = "generated code"
	}
	for _, name := range []string{scopeName, viewsName, newEngineName, contractName, vectorsTestName} {
		k.declared[name] = "the package"
	}
	k.views(api)
	fields := map[string]bool{}
	for _, d := range api.Dimensions {
		k.field(fields, "Scope", d.GoName)
	}
	for _, op := range api.Contracts {
		k.where = "contract " + op.Name
		k.contract(api, op)
	}
	return errors.Join(k.errs...)
}

func (k *checker) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf(k.where+": "+format, args...))
}

// declare takes a name of the package.
func (k *checker) declare(name string) {
	switch other, taken := k.declared[name]; {
	case !token.IsIdentifier(name) || name == "_":
		k.fail("%q is no Go identifier", name)
	case taken:
		k.fail("%s is declared by %s already", name, other)
	}
	k.declared[name] = k.where
}

// export takes a name of the package that its users call.
func (k *checker) export(name string) {
	if k.declare(name); token.IsIdentifier(name) && !token.IsExported(name) {
		k.fail("%s is not exported", name)
	}
}

// field takes a name of a struct.
func (k *checker) field(taken map[string]bool, owner, name string) {
	switch {
	case !token.IsIdentifier(name) || !token.IsExported(name):
		k.fail("%s: field %q is no exported Go identifier", owner, name)
	case taken[name]:
		k.fail("%s: field %s stands there twice", owner, name)
	}
	taken[name] = true
}

func (k *checker) contract(api *contract.API, op *contract.Contract) {
	k.fileName(op)
	k.export(op.Names.Operation)
	k.export(op.Names.Handle)
	k.export(op.Names.Command)
	k.declare(op.Names.Decode)
	for _, p := range partsOf(op) {
		k.export(p.goName)
		k.params(p)
	}
	k.descriptor(api, op)
	if op.BodyType != nil {
		k.bodyType(op.BodyType)
		k.spec(op)
	}
	if op.Compare {
		for _, v := range op.Versions() {
			k.version(api, op, v)
		}
	}
	if op.Unique != nil {
		k.business(op)
	}
}

// fileName accepts what can never be a build constraint or a test file, on any file system.
func (k *checker) fileName(op *contract.Contract) {
	for _, r := range op.FileName {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			k.fail("file name %q: only a to z and digits", op.FileName)
			break
		}
	}
	if other, taken := k.files[op.FileName]; taken || op.FileName == "" {
		k.fail("file name %q is taken by %s", op.FileName, other)
	}
	k.files[op.FileName] = k.where
}

func (k *checker) descriptor(api *contract.API, op *contract.Contract) {
	if _, ok := executions[op.Execution]; !ok {
		k.fail("execution %q cannot be generated", op.Execution)
	}
	if _, ok := places[op.Key.In]; !ok {
		k.fail("key place %q is unknown", op.Key.In)
	}
	if _, ok := keyFormats[op.Key.Format]; !ok {
		k.fail("key format %q is unknown", op.Key.Format)
	}
	k.lease(op)
	if op.Wait < 0 {
		k.fail("wait %v is negative", op.Wait)
	}
	for _, t := range slices.Concat(op.Scope, op.Before) {
		if t.Dimension >= len(api.Dimensions) {
			k.fail("scope %s: there is no dimension %d", t.Text, t.Dimension)
		}
		if _, ok := places[t.In]; !ok && t.Dimension < 0 && t.Literal == "" {
			k.fail("scope %s: place %q is unknown", t.Text, t.In)
		}
		if t.As != 0 && normalisers[t.As] == "" {
			k.fail("scope %s: normaliser %d is unknown", t.Text, t.As)
		}
	}
}

// params checks one group of command parameters.
func (k *checker) params(p part) {
	fields := map[string]bool{}
	for _, c := range p.params {
		k.field(fields, p.goName, c.GoName)
		if c.Type == nil || c.Type.Kind == contract.TypeList && c.Type.Elem == nil {
			k.fail("%s.%s has no type", p.goName, c.GoName)
		}
	}
}

func (k *checker) version(api *contract.API, op *contract.Contract, v *contract.Version) {
	if v == &op.Version {
		k.export(v.Names.Fingerprint)
	} else {
		k.declare(v.Names.Fingerprint)
		if v.Body != nil && !jsonOnly(v.Spec) {
			k.declare(v.Names.Body)
		}
	}
	k.declare(v.Names.Fields)
	if len(v.Vectors) > 0 {
		k.declare(v.Names.Vectors)
	}
	if len(v.Params) > 0 {
		k.declare(v.Names.Params)
	}
	for _, p := range v.Params {
		k.param(p, len(v.Fields))
	}
	for _, f := range v.Sensitive {
		if f < 0 || f >= len(v.Fields) {
			k.fail("sensitive: there is no field %d", f)
		}
	}
	if v.Body == nil {
		if v.View != "" {
			k.fail("a view has no body to read")
		}
		return
	}
	if op.BodyType == nil && v == &op.Version {
		k.fail("a body that counts has no type")
	}
	if v.Body.Null == contract.NullAbsent {
		k.fail("body: a null body cannot count as absent")
	}
	k.node(v.Body, "body", len(v.Fields), 0)
	k.view(api, v)
}

func (k *checker) param(p runtime.Param, fields int) {
	if sources[p.In] == "" || normalisers[p.As] == "" || p.As == runtime.ContentDigest || p.Array != 0 && arrays[p.Array] == "" {
		k.fail("parameter %q: place %d, normaliser %d or array kind %d is unknown", p.Name, p.In, p.As, p.Array)
	}
	if p.Field < -1 || p.Field >= fields {
		k.fail("parameter %q: there is no field %d", p.Name, p.Field)
	}
}
