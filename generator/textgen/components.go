package textgen

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/idem"
)

// problemName is the schema of problems in an enriched document.
const problemName = "IdempotencyProblem"

// components are what the operations of an enriched document refer to.
type components struct {
	responses map[int]map[idem.Code]answer
	markers   map[string]string // component by header
}

func newComponents() *components {
	return &components{responses: map[int]map[idem.Code]answer{}, markers: map[string]string{}}
}

// response gives the name of the component for a status. It lists the codes of all operations that refer to it.
func (p *components) response(status int, answers []answer) string {
	if p.responses[status] == nil {
		p.responses[status] = map[idem.Code]answer{}
	}
	for _, a := range answers {
		p.responses[status][a.code] = a
	}
	return responseName(status)
}

func responseName(status int) string { return "Idempotency" + strconv.Itoa(status) }

// marker gives the name of the component for a replay's marker.
func (p *components) marker(header string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, header)
	p.markers[header] = name
	return name
}

// add puts the components that are referred to into the document. One whose name is taken stays the author's.
func (p *components) add(root openapi.Spot) {
	var schemas, responses, headers []openapi.Member
	for _, status := range slices.Sorted(maps.Keys(p.responses)) {
		responses = append(responses, openapi.Member{Name: responseName(status), Value: responseValue(p.responses[status])})
	}
	if len(responses) > 0 {
		schemas = append(schemas, openapi.Member{Name: problemName, Value: problemSchema()})
	}
	for _, header := range slices.Sorted(maps.Keys(p.markers)) {
		headers = append(headers, openapi.Member{Name: p.markers[header], Value: headerValue(
			"Present on an answer that was given before: the request was not carried out again.", textSchema(openapi.Member{Name: "enum", Value: openapi.ListValue(openapi.TextValue("true"))}))})
	}
	var missing []openapi.Member
	at := root.Member("components")
	for _, section := range []struct {
		name    string
		members []openapi.Member
	}{{"schemas", schemas}, {"responses", responses}, {"headers", headers}} {
		switch known := at.Member(section.name); {
		case len(section.members) == 0:
		case known.Exists():
			for _, m := range section.members {
				known.Add(m.Name, m.Value)
			}
		default:
			missing = append(missing, openapi.Member{Name: section.name, Value: openapi.ObjectValue(section.members...)})
		}
	}
	if len(missing) > 0 && !at.Exists() {
		root.Add("components", openapi.ObjectValue(missing...))
		return
	}
	for _, m := range missing {
		at.Add(m.Name, m.Value)
	}
}

func responseValue(answers map[idem.Code]answer) openapi.Value {
	var lines []string
	retry := false
	for _, code := range slices.Sorted(maps.Keys(answers)) {
		a := answers[code]
		retry = retry || a.retry > 0
		lines = append(lines, "* `"+string(code)+"`: "+a.when)
	}
	members := []openapi.Member{{Name: "description", Value: openapi.TextValue("About the idempotency key, or what the request needs of it; `code` is one of these:\n\n" + strings.Join(lines, "\n"))}}
	if retry {
		members = append(members, openapi.Member{Name: "headers", Value: openapi.ObjectValue(openapi.Member{Name: "Retry-After", Value: headerValue(
			"In how many seconds the same request may be sent again, with the same key.",
			openapi.ObjectValue(openapi.Member{Name: "type", Value: openapi.TextValue("integer")},
				openapi.Member{Name: "minimum", Value: openapi.WordValue("1")}, openapi.Member{Name: "maximum", Value: openapi.WordValue("60")}))})})
	}
	schema := openapi.Member{Name: "schema", Value: openapi.RefValue("#/components/schemas/" + problemName)}
	content := openapi.Member{Name: "application/problem+json", Value: openapi.ObjectValue(schema)}
	return openapi.ObjectValue(append(members, openapi.Member{Name: "content", Value: openapi.ObjectValue(content)})...)
}

func headerValue(description string, schema openapi.Value) openapi.Value {
	return openapi.ObjectValue(openapi.Member{Name: "description", Value: openapi.TextValue(description)}, openapi.Member{Name: "schema", Value: schema})
}

func textSchema(more ...openapi.Member) openapi.Value {
	return openapi.ObjectValue(append([]openapi.Member{{Name: "type", Value: openapi.TextValue("string")}}, more...)...)
}

// problemSchema is the body of a problem (RFC 9457), as the runtime renders it. The codes are no enum: later versions may have more.
func problemSchema() openapi.Value {
	described := func(text string, schema ...openapi.Member) openapi.Value {
		return openapi.ObjectValue(append(schema, openapi.Member{Name: "description", Value: openapi.TextValue(text)})...)
	}
	text := openapi.Member{Name: "type", Value: openapi.TextValue("string")}
	return openapi.ObjectValue(
		openapi.Member{Name: "type", Value: openapi.TextValue("object")},
		openapi.Member{Name: "description", Value: openapi.TextValue("An answer about an idempotency key (RFC 9457).")},
		openapi.Member{Name: "required", Value: openapi.ListValue(openapi.TextValue("title"), openapi.TextValue("status"), openapi.TextValue("code"))},
		openapi.Member{Name: "properties", Value: openapi.ObjectValue(
			openapi.Member{Name: "type", Value: described("Where to read more.", text)},
			openapi.Member{Name: "title", Value: described("The same for every problem of a code.", text)},
			openapi.Member{Name: "status", Value: described("The HTTP status.", openapi.Member{Name: "type", Value: openapi.TextValue("integer")})},
			openapi.Member{Name: "detail", Value: described("What the client can do.", text)},
			openapi.Member{Name: "code", Value: described("Names the problem for programs, and keeps its meaning.", text)},
			openapi.Member{Name: "fields", Value: described("The parts of the request that differ from the first one, never their values.",
				openapi.Member{Name: "type", Value: openapi.TextValue("array")}, openapi.Member{Name: "items", Value: openapi.ObjectValue(text)})},
			openapi.Member{Name: "pointer", Value: described("Where the body is malformed (RFC 6901).", text)},
			openapi.Member{Name: "parameter", Value: described("Which parameter is malformed.", text)},
		)},
	)
}
