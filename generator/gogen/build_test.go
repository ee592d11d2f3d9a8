package gogen_test

import (
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// newAPI is an API with the dimensions tenant and user.
func newAPI(pkg string, contracts ...*contract.Contract) *contract.API {
	api := &contract.API{
		Base: strings.TrimSuffix(pkg, "idem"), Package: pkg, BasePath: "/v1",
		Dimensions: []contract.Dimension{{Name: "tenant", GoName: "Tenant"}, {Name: "user", GoName: "User"}},
		Contracts:  contracts,
	}
	contract.AddVectors(api)
	return api
}

// newContract is a contract with every default; name is in lower camel case.
func newContract(name, method, path string) *contract.Contract {
	goName := strings.ToUpper(name[:1]) + name[1:]
	c := &contract.Contract{
		Name: name, GoName: goName, FileName: strings.ToLower(name), Method: method, Path: path,
		Names: contract.Names{
			Operation: goName + "Operation", Fingerprint: "Fingerprint" + goName, Handle: "Handle" + goName, Command: goName + "Command",
			Path: goName + "Path", Query: goName + "Query", Header: goName + "Header", Decode: "decode" + goName, Params: name + "Params",
		},
		Key: contract.Key{
			From: "header.Idempotency-Key", In: "header", Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255,
		},
		Scope:    []contract.ScopeTerm{{Text: "tenant", Dimension: 0}},
		Keyspace: name, Retention: 24 * time.Hour, RetentionText: "24h", Execution: "transactional",
		KeepExcept: []int{408, 425, 429, 502, 503, 504}, ReplayHeaders: []string{"Etag", "Location"}, ReplayMarker: "Idempotent-Replayed",
		Statuses: contract.Statuses{Missing: 400, Malformed: 400, Mismatch: 422, InFlight: 409, Unknown: 409, Unavailable: 503},
		Compare:  true,
		Version:  contract.Version{Number: 1, ID: "0123456789abcdef"},
	}
	c.NameVersions()
	return c
}

// withBody gives op a JSON body. fields are the paths by index.
func withBody(op *contract.Contract, required bool, body *contract.Node, t *contract.Type, fields ...string) {
	op.Spec = canon.BodySpec{Required: required, Accepts: []canon.Media{canon.JSON}}
	op.Version.Spec, op.BodyRequired = op.Spec, required
	op.Version.Body, op.BodyType = body, t
	for _, f := range fields {
		op.Version.Fields = append(op.Version.Fields, contract.Field{Path: f, Rule: "exact/1 optional"})
	}
}

func leaf(as canon.Normaliser, field int) *contract.Node {
	return &contract.Node{Kind: contract.LeafNode, As: as, Field: field}
}

func array(kind canon.ArrayKind, field int, elem *contract.Node) *contract.Node {
	return &contract.Node{Kind: contract.ArrayNode, Array: kind, Field: field, Elem: elem}
}

func object(goName string, unknown canon.UnknownPolicy, members ...contract.Member) *contract.Node {
	return &contract.Node{Kind: contract.ObjectNode, GoName: goName, Field: -1, Unknown: unknown, Members: members}
}

func mapOf(goName string, elem *contract.Node, members ...contract.Member) *contract.Node {
	return &contract.Node{Kind: contract.MapNode, GoName: goName, Field: -1, Elem: elem, Members: members}
}

func nullable(rule contract.NullRule, n *contract.Node) *contract.Node {
	n.Null = rule
	return n
}

func optional(name string, n *contract.Node) contract.Member {
	return contract.Member{Name: name, Key: canonicalKey(name), Node: n}
}

func required(name string, n *contract.Node) contract.Member {
	m := optional(name, n)
	m.Required = true
	return m
}

func ignored(name string) contract.Member {
	return contract.Member{Name: name, Key: canonicalKey(name), Ignored: true}
}

func defaulted(name, text string, n *contract.Node) contract.Member {
	m := optional(name, n)
	m.Default = text
	return m
}

// canonicalKey escapes as RFC 8785 does, for the names of these tests.
func canonicalKey(name string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\u0000`)
	return `"` + r.Replace(name) + `":`
}

func plainType(kind contract.TypeKind) *contract.Type { return &contract.Type{Kind: kind} }

func listOf(elem *contract.Type) *contract.Type {
	return &contract.Type{Kind: contract.TypeList, Elem: elem}
}

func structOf(goName string, fields ...contract.TypeField) *contract.Type {
	return &contract.Type{Kind: contract.TypeStruct, GoName: goName, Fields: fields}
}

func field(name, goName string, t *contract.Type) contract.TypeField {
	return contract.TypeField{Name: name, GoName: goName, Type: t}
}

func optionalField(name, goName string, t *contract.Type) contract.TypeField {
	return contract.TypeField{Name: name, GoName: goName, Type: t, Optional: true}
}

func described(f contract.TypeField, text string) contract.TypeField {
	f.Doc = text
	return f
}
