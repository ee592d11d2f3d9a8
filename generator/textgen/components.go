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
		if known, ok := p.responses[status][a.code]; ok && known.leased { // its advice is safe for every operation
			continue
		}
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
	var schemas, responses, headers []openapi.Pair
	for _, status := range slices.Sorted(maps.Keys(p.responses)) {
		responses = append(responses, openapi.Pair{Name: responseName(status), Value: responseValue(p.responses[status])})
	}
	if len(responses) > 0 {
		schemas = append(schemas, openapi.Pair{Name: problemName, Value: problemSchema()})
	}
	for _, header := range slices.Sorted(maps.Keys(p.markers)) {
		headers = append(headers, openapi.Pair{Name: p.markers[header], Value: headerValue(
			"Present on an answer that was given before: the request was not carried out again.", textSchema(openapi.Pair{Name: "enum", Value: openapi.ListPiece(openapi.TextPiece("true"))}))})
	}
	var missing []openapi.Pair
	at := root.Member("components")
	for _, section := range []struct {
		name    string
		members []openapi.Pair
	}{{"schemas", schemas}, {"responses", responses}, {"headers", headers}} {
		switch known := at.Member(section.name); {
		case len(section.members) == 0:
		case known.Exists():
			for _, m := range section.members {
				known.Add(m.Name, m.Value)
			}
		default:
			missing = append(missing, openapi.Pair{Name: section.name, Value: openapi.ObjectPiece(section.members...)})
		}
	}
	if len(missing) > 0 && !at.Exists() {
		root.Add("components", openapi.ObjectPiece(missing...))
		return
	}
	for _, m := range missing {
		at.Add(m.Name, m.Value)
	}
}

func responseValue(answers map[idem.Code]answer) openapi.Piece {
	codes := make([]answer, 0, len(answers))
	for _, code := range slices.Sorted(maps.Keys(answers)) {
		codes = append(codes, answers[code])
	}
	members := []openapi.Pair{{Name: "description", Value: openapi.TextPiece("About the idempotency key, or what the request needs of it; `code` is one of these:\n\n" + codeLines(codes, sharedWords))}}
	if anyRetries(codes) {
		members = append(members, openapi.Pair{Name: "headers", Value: openapi.ObjectPiece(retryAfter())})
	}
	schema := openapi.Pair{Name: "schema", Value: openapi.RefPiece("#/components/schemas/" + problemName)}
	content := openapi.Pair{Name: "application/problem+json", Value: openapi.ObjectPiece(schema)}
	return openapi.ObjectPiece(append(members, openapi.Pair{Name: "content", Value: openapi.ObjectPiece(content)})...)
}

// codeLines are a line for each answer: its code, what has happened, and what to do.
func codeLines(answers []answer, when func(answer) string) string {
	lines := make([]string, len(answers))
	for i, a := range answers {
		lines[i] = "* `" + string(a.code) + "`: " + when(a) + " " + a.then
	}
	return strings.Join(lines, "\n")
}

// sharedWords are true of every operation that refers to a component.
func sharedWords(a answer) string {
	if a.always != "" {
		return a.always
	}
	return a.when
}

func ownWords(a answer) string { return a.when }

func anyRetries(answers []answer) bool {
	return slices.ContainsFunc(answers, func(a answer) bool { return a.retry > 0 })
}

// retryAfter is the header as a member of a response's headers.
func retryAfter() openapi.Pair {
	return openapi.Pair{Name: "Retry-After", Value: headerValue("In how many seconds the same request may be sent again, with the same key.",
		openapi.ObjectPiece(openapi.Pair{Name: "type", Value: openapi.TextPiece("integer")},
			openapi.Pair{Name: "minimum", Value: openapi.WordPiece("1")}, openapi.Pair{Name: "maximum", Value: openapi.WordPiece("60")}))}
}

func headerValue(description string, schema openapi.Piece) openapi.Piece {
	return openapi.ObjectPiece(openapi.Pair{Name: "description", Value: openapi.TextPiece(description)}, openapi.Pair{Name: "schema", Value: schema})
}

func textSchema(more ...openapi.Pair) openapi.Piece {
	return openapi.ObjectPiece(append([]openapi.Pair{{Name: "type", Value: openapi.TextPiece("string")}}, more...)...)
}

// problemSchema is the body of a problem (RFC 9457), as the runtime renders it. The codes are no enum: later versions may have more.
func problemSchema() openapi.Piece {
	described := func(text string, schema ...openapi.Pair) openapi.Piece {
		return openapi.ObjectPiece(append(schema, openapi.Pair{Name: "description", Value: openapi.TextPiece(text)})...)
	}
	text := openapi.Pair{Name: "type", Value: openapi.TextPiece("string")}
	return openapi.ObjectPiece(
		openapi.Pair{Name: "type", Value: openapi.TextPiece("object")},
		openapi.Pair{Name: "description", Value: openapi.TextPiece("An answer about an idempotency key (RFC 9457).")},
		openapi.Pair{Name: "required", Value: openapi.ListPiece(openapi.TextPiece("title"), openapi.TextPiece("status"), openapi.TextPiece("code"))},
		openapi.Pair{Name: "properties", Value: openapi.ObjectPiece(
			openapi.Pair{Name: "type", Value: described("Where to read more.", text)},
			openapi.Pair{Name: "title", Value: described("The same for every problem of a code.", text)},
			openapi.Pair{Name: "status", Value: described("The HTTP status.", openapi.Pair{Name: "type", Value: openapi.TextPiece("integer")})},
			openapi.Pair{Name: "detail", Value: described("What the client can do.", text)},
			openapi.Pair{Name: "code", Value: described("Names the problem for programs, and keeps its meaning.", text)},
			openapi.Pair{Name: "fields", Value: described("The parts of the request that differ from the first one, never their values.",
				openapi.Pair{Name: "type", Value: openapi.TextPiece("array")}, openapi.Pair{Name: "items", Value: openapi.ObjectPiece(text)})},
			openapi.Pair{Name: "pointer", Value: described("Where the body is malformed (RFC 6901).", text)},
			openapi.Pair{Name: "parameter", Value: described("Which parameter is malformed.", text)},
		)},
	)
}
