package contract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// partStyle is what a multipart body has beside names and contents: nothing of it counts. Vectors have as little as possible.
type partStyle struct{ boundary, filename, fileType, jsonType string }

var (
	usualParts = partStyle{boundary: "part"}
	otherParts = partStyle{"another", "a file.png", "image/png", "application/json"}
)

func (p partStyle) contentType() string { return "multipart/form-data; boundary=" + p.boundary }

// body writes an object as a multipart body. It fails where parts cannot say what JSON says, or could not be told from what is between them.
func (p partStyle) body(text string, listed []canon.Part) (string, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return "", false
	}
	w := partWriter{partStyle: p}
	for dec.More() {
		var value json.RawMessage
		name, err := dec.Token()
		if err != nil || dec.Decode(&value) != nil || w.member(name, value, listed) != nil {
			return "", false
		}
	}
	body := w.text.String() + "--" + p.boundary + "--\r\n"
	return body, strings.Count(body, "--"+p.boundary) == w.parts+1
}

// partWriter writes the parts of a body.
type partWriter struct {
	partStyle
	text  strings.Builder
	parts int
}

// member writes the parts of one member.
func (w *partWriter) member(token json.Token, value json.RawMessage, listed []canon.Part) error {
	name, _ := token.(string)
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F || r == '[' || r == ']' }) {
		return errNoForm
	}
	kind := canon.TextPart
	if i := slices.IndexFunc(listed, func(l canon.Part) bool { return l.Name == name }); i >= 0 {
		kind = listed[i].Kind
	}
	if kind == canon.JSONPart {
		w.part(name, "", w.jsonType, string(value))
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(string(value)))
	dec.UseNumber()
	pairs, err := formPairs(dec, name, 1)
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		switch {
		case kind == canon.TextPart:
			w.part(pair.name, "", "", pair.value)
		case value[0] != '"' && value[0] != '[' || pair.name != name:
			return errNoForm // no file, and no list of files
		default:
			w.part(name, w.filename, w.fileType, pair.value)
		}
	}
	return nil
}

func (w *partWriter) part(name, filename, contentType, content string) {
	w.parts++
	w.text.WriteString("--" + w.boundary + "\r\nContent-Disposition: form-data; name=\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`)
	if filename != "" {
		w.text.WriteString(`; filename="` + filename + `"`)
	}
	if contentType != "" {
		w.text.WriteString("\r\nContent-Type: " + contentType)
	}
	w.text.WriteString("\r\n\r\n" + content + "\r\n")
}

// partsOtherwise sends the typical request with another boundary, and without an end.
func (m *vectorMaker) partsOtherwise(text string) {
	body, ok := otherParts.body(text, m.contract.Parts)
	if !ok {
		return
	}
	m.addSent(rankWhole, vector.Vector{Name: "another boundary, with types of parts", Like: typicalName, Request: vector.Request{Body: body, Type: otherParts.contentType()}})
	if open := strings.TrimSuffix(body, "--"+otherParts.boundary+"--\r\n"); open != "" {
		m.addSent(rankWhole, vector.Vector{Name: "without the last boundary", Refused: typicalName, Request: vector.Request{Body: open, Type: otherParts.contentType()}})
	}
}
