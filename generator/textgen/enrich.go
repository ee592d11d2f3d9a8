package textgen

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
)

// The paragraph in the description of an operation, or of an answer, stands between these lines. They are comments of Markdown, and never change.
const (
	paragraphBegin = "<!-- idempotency -->"
	paragraphEnd   = "<!-- /idempotency -->"
)

// Enrich adds to a document what clients and their generators have to know of its contracts: the key's parameter, the answers with their
// components, the marker of replays, and a paragraph in each operation's description. What the author has declared stays as it is. left
// are the operations that do not stand in this file.
func Enrich(doc *openapi.Document, api *contract.API, text *openapi.Text) (out []byte, left []string, err error) {
	e := enriching{doc: doc, api: api, root: text.Root(), parts: newComponents()}
	for _, c := range api.Contracts {
		found, err := e.operation(c)
		if err != nil {
			return nil, nil, err
		}
		if !found {
			left = append(left, c.Name)
		}
	}
	e.parts.add(e.root)
	out, err = text.Apply()
	return out, left, err
}

type enriching struct {
	doc   *openapi.Document
	api   *contract.API
	root  openapi.Spot
	parts *components
}

// operation enriches one operation; found is false when it stands in another file.
func (e *enriching) operation(c *contract.Contract) (found bool, err error) {
	item, method := e.root.Member("paths").Member(c.Path), strings.ToLower(c.Method)
	if c.Webhook != "" {
		item, method = e.root.Member("webhooks").Member(c.Webhook), "post"
	}
	at := item.Target().Member(method)
	if !at.IsObject() {
		at = item.Member(method)
	}
	if !at.IsObject() {
		return false, nil
	}
	if err := e.describe(at, c); err != nil {
		return false, err
	}
	e.declareKey(item.Target(), at, c)
	e.respond(at, c)
	return true, nil
}

// paragraph is what the template's holes take, beside an operation's.
type paragraph struct {
	*operation
	Mismatch, InFlight int
}

// describe puts the paragraph into the description: where it stood before, or at the end.
func (e *enriching) describe(at openapi.Spot, c *contract.Contract) error {
	op, err := operationOf(e.doc, e.api, c)
	if err != nil {
		return err
	}
	made, err := execute("description.md.tmpl", paragraph{op, c.Statuses.Mismatch, c.Statuses.InFlight})
	if err != nil {
		return err
	}
	if description := at.Member("description"); description.Exists() {
		rewrite(description, string(made))
		return nil
	}
	at.Add("description", openapi.TextPiece(between(string(made))), "tags", "summary", "operationId")
	return nil
}

// declareKey declares the parameter of the key where the document does not. A key in a body or a path is declared by what it stands in.
func (e *enriching) declareKey(item, at openapi.Spot, c *contract.Contract) {
	if c.Key.In != "header" && c.Key.In != "query" {
		return
	}
	if declares(item.Member("parameters"), &c.Key) || declares(at.Member("parameters"), &c.Key) {
		return
	}
	schema := []openapi.Pair{{Name: "type", Value: openapi.TextPiece("string")}}
	if c.Key.Format != "" {
		schema = append(schema, openapi.Pair{Name: "format", Value: openapi.TextPiece(c.Key.Format)})
	}
	schema = append(schema, openapi.Pair{Name: "minLength", Value: number(c.Key.MinLength)}, openapi.Pair{Name: "maxLength", Value: number(c.Key.MaxLength)})
	parameter := openapi.ObjectPiece(
		openapi.Pair{Name: "name", Value: openapi.TextPiece(c.Key.Name)},
		openapi.Pair{Name: "in", Value: openapi.TextPiece(c.Key.In)},
		openapi.Pair{Name: "required", Value: openapi.WordPiece(strconv.FormatBool(c.Key.Required))},
		openapi.Pair{Name: "description", Value: openapi.TextPiece("The idempotency key: a new one for each command, the same one for each retry of it.")},
		openapi.Pair{Name: "schema", Value: openapi.ObjectPiece(schema...)},
	)
	if list := at.Member("parameters"); list.Exists() {
		list.Append(parameter)
		return
	}
	at.Add("parameters", openapi.ListPiece(parameter), "tags", "summary", "description", "operationId")
}

// declares reports whether a list of parameters has the key's. One whose reference leads to another file may be it.
func declares(list openapi.Spot, k *contract.Key) bool {
	for _, p := range list.Elements() {
		t := p.Target()
		if !t.Exists() {
			return true
		}
		name := t.Member("name").String()
		if t.Member("in").String() == k.In && (name == k.Name || k.In == "header" && strings.EqualFold(name, k.Name)) {
			return true
		}
	}
	return false
}

// respond declares the answers that the document does not, and the marker on those that can be replayed. The author's word holds: also a
// range of statuses or a default says what comes.
func (e *enriching) respond(at openapi.Spot, c *contract.Contract) {
	responses := at.Member("responses")
	if !responses.IsObject() {
		return
	}
	codes := map[int][]answer{}
	for _, a := range answersOf(e.api, c) {
		codes[a.status] = append(codes[a.status], a)
	}
	statuses, spots := responses.Members()
	declared := map[string]bool{}
	for i, status := range statuses {
		declared[strings.ToUpper(status)] = true
		number, _ := strconv.Atoi(status)
		e.complete(spots[i], status, c, codes[number])
	}
	if declared["DEFAULT"] {
		return
	}
	for _, status := range slices.Sorted(maps.Keys(codes)) {
		text := strconv.Itoa(status)
		if declared[text] || declared[text[:1]+"XX"] {
			continue
		}
		responses.Add(text, openapi.RefPiece("#/components/responses/"+e.parts.response(status, codes[status])))
	}
}

// complete adds to a response that the author has declared, and that stands in the operation itself, what it does not say: the marker of
// replays, the codes of answers that come in the handler's place, and how long to wait. One in the components may be another operation's, too.
func (e *enriching) complete(response openapi.Spot, status string, c *contract.Contract, answers []answer) {
	if !response.IsObject() || response.Member("$ref").Exists() {
		return
	}
	var headers []openapi.Pair
	if !slices.ContainsFunc(c.KeepExcept, func(excepted int) bool { return status == strconv.Itoa(excepted) }) {
		headers = append(headers, openapi.Pair{Name: c.ReplayMarker, Value: openapi.RefPiece("#/components/headers/" + e.parts.marker(c.ReplayMarker))})
	}
	if anyRetries(answers) {
		headers = append(headers, retryAfter())
	}
	addHeaders(response, headers)
	if description := response.Member("description"); len(answers) > 0 && description.Exists() {
		const begins = "It may also be about the idempotency key, or what the request needs of it, as `application/problem+json`; then `code` is one of these:\n\n"
		rewrite(description, begins+codeLines(answers, ownWords))
	}
}

// addHeaders declares those that a response does not have.
func addHeaders(response openapi.Spot, headers []openapi.Pair) {
	known := response.Member("headers")
	names, _ := known.Members()
	headers = slices.DeleteFunc(headers, func(h openapi.Pair) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, h.Name) })
	})
	switch {
	case len(headers) == 0:
	case known.Exists():
		for _, h := range headers {
			known.Add(h.Name, h.Value)
		}
	default:
		response.Add("headers", openapi.ObjectPiece(headers...), "description")
	}
}

// rewrite puts a paragraph into a text: where it stood before, or at the end.
func rewrite(description openapi.Spot, paragraph string) {
	text := between(paragraph)
	old := description.String()
	now := strings.TrimRight(old, "\n ") + "\n\n" + text
	if before, rest, ok := strings.Cut(old, paragraphBegin); ok {
		if _, after, ok := strings.Cut(rest, paragraphEnd); ok {
			now = before + text + after
		}
	}
	if now = strings.TrimLeft(now, "\n"); now != old {
		description.Rewrite(now)
	}
}

// between puts a paragraph between its lines.
func between(paragraph string) string {
	return paragraphBegin + "\n\n" + strings.TrimSpace(paragraph) + "\n\n" + paragraphEnd
}

func number(n int) openapi.Piece { return openapi.WordPiece(strconv.Itoa(n)) }
