package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// version is the version of OpenAPI that a document is written in.
type version struct {
	text  string // as written
	minor int    // of 3
}

// siblings are the keywords of a schema that change what a reference beside them allows. Those that only tell people
// something are not among them: a described reference is still the schema that it leads to.
var siblings = []string{
	"type", "format", "contentEncoding", "contentMediaType", "pattern", "minLength", "maxLength", "nullable", "readOnly", "writeOnly", "required",
	"properties", "additionalProperties", "unevaluatedProperties", "patternProperties", "items", "allOf", "oneOf", "anyOf",
	"enum", "const", "default", "discriminator",
}

// saysMore reports whether n is a reference that adds something to what it leads to.
func (v version) saysMore(n *yaml.Node) bool {
	if refOf(n) == nil {
		return false
	}
	for key, value := range entries(n) {
		switch key.Value {
		case "readOnly", "writeOnly", "nullable":
			if isTrue(value) && v.counts(key.Value) {
				return true
			}
		default:
			if v.counts(key.Value) && slices.Contains(siblings, key.Value) {
				return true
			}
		}
	}
	return false
}

// counts reports whether a keyword beside a $ref has a meaning. Before 3.1 none has by the letter; readOnly and writeOnly
// are obeyed all the same, because whoever writes them there means the property, and tools do so.
func (v version) counts(keyword string) bool {
	return v.minor >= 1 || keyword == "readOnly" || keyword == "writeOnly"
}

// member gives a keyword of the schema at p, unless a $ref beside it takes its meaning away.
func (v version) member(p place, keyword string) place {
	if refOf(p.node) != nil && !v.counts(keyword) {
		return place{s: p.s}
	}
	return p.in(keyword)
}

// canonical is the version that kin-openapi knows the document's by; patch numbers change nothing that is read here.
func (v version) canonical() string { return []string{"3.0.3", "3.1.0", "3.2.0"}[v.minor] }

// knownVersion takes what people write: with a patch number or without, a release candidate of 3.0 included.
var knownVersion = regexp.MustCompile(`^3\.([012])(\.[0-9]+)?(-[0-9A-Za-z.]+)?$`)

// readVersion says which version the document is written in, or reports why it cannot be read.
func readVersion(s *source, ds *diag.List) (version, bool) {
	n := child(s.root, "openapi")
	if n == nil {
		ds.Add(notOpenAPI(s))
		return version{}, false
	}
	text := scalar(n)
	match := knownVersion.FindStringSubmatch(text)
	if match == nil {
		ds.Add(diag.Diagnostic{Pos: s.pos(n), Code: diag.UnknownVersion,
			Message: fmt.Sprintf("OpenAPI %s is not known; 3.0, 3.1 and 3.2 are read", versionText(n))})
		return version{}, false
	}
	minor, err := strconv.Atoi(match[1])
	return version{text: text, minor: minor}, err == nil
}

func versionText(n *yaml.Node) string {
	if text := scalar(n); text != "" {
		return quoteText(text)
	}
	return kindName(n)
}

// notOpenAPI says what the document is instead, as far as that can be told.
func notOpenAPI(s *source) diag.Diagnostic {
	d := diag.Diagnostic{Pos: s.pos(s.root), Code: diag.NotOpenAPI}
	if !isObject(s.root) {
		d.Message = "the document is " + kindName(s.root) + ", not an OpenAPI document"
		return d
	}
	others := []struct{ member, message, hint string }{
		{"overlay", "the file is an overlay, not an OpenAPI document", "--overlay " + s.file},
		{"asyncapi", "the file is an AsyncAPI document, not an OpenAPI document", ""},
		{"arazzo", "the file is an Arazzo document, not an OpenAPI document", ""},
	}
	for _, o := range others {
		if key, _ := entry(s.root, o.member); key != nil {
			d.Pos, d.Message, d.Hint = s.pos(key), o.message, o.hint
			return d
		}
	}
	if n := child(s.root, "swagger"); n != nil {
		d.Pos, d.Code = s.pos(n), diag.Swagger2
		d.Message = fmt.Sprintf("this is a Swagger %s document; convert it to OpenAPI 3 first", versionText(n))
		return d
	}
	d.Message = "the document has no member openapi"
	if near, ok := diag.Nearest("openapi", names(s.root)); ok {
		key, _ := entry(s.root, near)
		d.Pos, d.Hint = s.pos(key), "openapi"
		return d
	}
	d.Hint = "openapi: 3.1.0"
	return d
}
