package contract

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

const formType = "application/x-www-form-urlencoded"

// mediaOf chooses the kind of body that vectors have.
func mediaOf(c *canon.Contract) canon.Media {
	if c.Body == nil {
		return canon.NoBody
	}
	for _, media := range []canon.Media{canon.JSON, canon.Form, canon.Multipart, canon.Text, canon.Octets} {
		if slices.Contains(c.Accepts, media) {
			return media
		}
	}
	return canon.NoBody
}

// typeOf is the Content-Type of a kind of body; empty for JSON, which needs none.
func typeOf(c *canon.Contract, media canon.Media) string {
	switch media {
	case canon.Form:
		return formType
	case canon.Multipart:
		return usualParts.contentType()
	case canon.Text:
		if len(c.Types) == 0 || slices.Contains(c.Accepts, canon.Octets) {
			return "text/plain"
		}
	case canon.Octets:
	case canon.NoBody, canon.JSON:
		return ""
	}
	kind, subtype := "", ""
	if len(c.Types) > 0 {
		kind, subtype, _ = strings.Cut(c.Types[0], "/")
	}
	switch {
	case kind == "" || kind == "*":
		return "application/octet-stream"
	case subtype == "*":
		return kind + "/x"
	}
	return c.Types[0]
}

// inMedia makes a vector whose body is no JSON of one that is thought of in JSON: whole is its request, base that of the vector it changes.
// It fails where the media type cannot say what JSON says, or would say the same as the base does.
func (m *vectorMaker) inMedia(v vector.Vector, whole, base vector.Request) (vector.Vector, bool) {
	if whole.Body == base.Body && v.Base() != "" {
		return v, true // parameters alone
	}
	v.Set = nil
	if whole.Body == "" {
		return v, true // the body is taken away
	}
	body, ok := m.bodyIn(m.media, whole.Body)
	if old, _ := m.bodyIn(m.media, base.Body); !ok || old == body {
		return v, false
	}
	v.Remove = slices.DeleteFunc(slices.Clone(v.Remove), func(path string) bool { return strings.HasPrefix(path, bodyText) })
	v.Request.Body = body
	if v.Base() == "" {
		v.Request.Type = typeOf(m.contract, m.media)
	}
	return v, true
}

// inView makes a vector of what a view gave of one that is thought of as a body in JSON.
func (m *vectorMaker) inView(v vector.Vector, whole, base vector.Request) vector.Vector {
	if whole.Body == "" || whole.Body == base.Body && v.Base() != "" {
		return v // the body is taken away, or stays
	}
	v.Set = nil
	v.Request.Body, v.Request.View = "", whole.Body
	if v.Base() == "" {
		v.Request.Type = typeOf(m.contract, m.media)
	}
	return v
}

// bodyIn writes the body that stands for a JSON text in another kind of body.
func (m *vectorMaker) bodyIn(media canon.Media, text string) (string, bool) {
	switch media {
	case canon.Form:
		return formOf(text)
	case canon.Multipart:
		return usualParts.body(text, m.contract.Parts)
	case canon.NoBody, canon.JSON, canon.Text, canon.Octets:
	}
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return "", false
	}
	switch value := value.(type) {
	case string:
		return value, value != ""
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	}
	return "", false // null, objects, arrays
}

// formOf writes an object as a form: deep names for what is in it, repeated ones for lists.
func formOf(text string) (string, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if !strings.HasPrefix(strings.TrimLeft(text, " "), "{") {
		return "", false
	}
	pairs, err := formPairs(dec, "", 0)
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		texts[i] = url.QueryEscape(p.name) + "=" + url.QueryEscape(p.value)
	}
	return strings.Join(texts, "&"), err == nil
}

// formPair is one name of a form with its text.
type formPair struct{ name, value string }

var errNoForm = errors.New("a form cannot say it")

// formPairs writes the value that follows, under a name.
func formPairs(dec *json.Decoder, name string, depth int) ([]formPair, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case string:
		return []formPair{{name, value}}, nil
	case json.Number:
		return []formPair{{name, value.String()}}, nil
	case bool:
		return []formPair{{name, strconv.FormatBool(value)}}, nil
	case json.Delim:
		if value == '[' {
			return formElements(dec, name, depth)
		}
		return formMembers(dec, name, depth)
	}
	return nil, errNoForm // null
}

func formMembers(dec *json.Decoder, name string, depth int) (pairs []formPair, err error) {
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		member, _ := token.(string)
		if strings.ContainsAny(member, "[]") || member == "" {
			return nil, errNoForm
		}
		if depth > 0 {
			member = name + "[" + member + "]"
		}
		more, err := formPairs(dec, member, depth+1)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	return formEnd(dec, pairs)
}

// formElements repeats the name for single values, and counts what is more.
func formElements(dec *json.Decoder, name string, depth int) (pairs []formPair, err error) {
	for i := 0; dec.More(); i++ {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return nil, err
		}
		inside := name
		if element[0] == '{' || element[0] == '[' {
			inside += "[" + strconv.Itoa(i) + "]"
		}
		below := json.NewDecoder(strings.NewReader(string(element)))
		below.UseNumber()
		more, err := formPairs(below, inside, depth+1)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	return formEnd(dec, pairs)
}

// formEnd reads the closing bracket. Nothing at all has no form: it would be absent.
func formEnd(dec *json.Decoder, pairs []formPair) ([]formPair, error) {
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, errNoForm
	}
	return pairs, nil
}
