package textgen

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// exampleHost stands for a server: a document's servers are whatever their authors try things out on.
const exampleHost = "https://api.example.com"

const (
	exampleKey = "0b8f5a52-6c1d-4e0e-9d5a-3c7b1f9e2d84"
	lineBreak  = " \\\n  "
)

// curl is a command line that sends a request as c takes it.
func curl(api *contract.API, c *contract.Contract, op *openapi.Operation) string {
	key := keyOfLength(&c.Key)
	body := bodyWords(c, op, key)
	words := []string{"curl -i " + methodWord(c, len(body) > 0) + address(api, c, op, key)}
	if c.Key.In == "header" {
		words = append(words, "-H "+shell(c.Key.Name+": "+key))
	}
	for _, p := range c.HeaderParams {
		if p.Required && !strings.EqualFold(p.Name, c.Key.Name) {
			words = append(words, "-H "+shell(p.Name+": "+paramText(&p, paramSchema(op, openapi.InHeader, p.Name))))
		}
	}
	return strings.Join(append(words, body...), lineBreak)
}

// methodWord names the method where curl would not choose it by itself: POST with a body, else GET. Webhooks are posted.
func methodWord(c *contract.Contract, body bool) string {
	method := c.Method
	if method == "" {
		method = http.MethodPost
	}
	if method == http.MethodGet && !body || method == http.MethodPost && body {
		return ""
	}
	return "-X " + method + " "
}

// keyOfLength is a key that the operation takes.
func keyOfLength(k *contract.Key) string {
	key := exampleKey
	for len(key) < k.MinLength {
		key += "-" + exampleKey
	}
	if len(key) > k.MaxLength && k.MaxLength > 0 {
		key = key[:k.MaxLength]
	}
	return key
}

// address is the URL with the path's values, and the query parameters that must be there.
func address(api *contract.API, c *contract.Contract, op *openapi.Operation, key string) string {
	if c.Webhook != "" {
		return shell("https://receiver.example.com/")
	}
	var b strings.Builder
	rest, index := c.Path, 0
	for {
		literal, after, found := strings.Cut(rest, "{")
		b.WriteString(escapePath(literal))
		name, tail, closed := strings.Cut(after, "}")
		if !found || !closed {
			break
		}
		b.WriteString(url.PathEscape(pathText(c, op, name, index, key)))
		rest, index = tail, index+1
	}
	query := url.Values{}
	for _, p := range c.QueryParams {
		if p.Required {
			query.Set(p.Name, paramText(&p, paramSchema(op, openapi.InQuery, p.Name)))
		}
	}
	if c.Key.In == "query" {
		query.Set(c.Key.Name, key)
	}
	target := exampleHost + escapePath(api.BasePath) + b.String()
	if len(query) > 0 {
		target += "?" + query.Encode() // sorted by name
	}
	return shell(target)
}

func pathText(c *contract.Contract, op *openapi.Operation, name string, index int, key string) string {
	if c.Key.In == "path" && c.Key.Index == index {
		return key
	}
	for i := range c.PathParams {
		if p := &c.PathParams[i]; p.Index == index {
			return paramText(p, paramSchema(op, openapi.InPath, p.Name))
		}
	}
	return name
}

// paramText is a value of a parameter, as it stands in a request.
func paramText(p *contract.CommandParam, d declared) string {
	kind := p.Type.Kind
	if kind == contract.TypeList {
		kind, d = p.Type.Elem.Kind, d.inside()
	}
	return unquote(d.fit(scalar(kind)))
}

// escapePath leaves what a path may hold as it is, and encodes the rest.
func escapePath(path string) string {
	const free = "/-._~!$&()*+,;=:@%"
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(free, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		}
	}
	return b.String()
}

// bodyWords are the words of the command line that make the body. Nil: there is none.
func bodyWords(c *contract.Contract, op *openapi.Operation, key string) []string {
	if len(c.Spec.Accepts) == 0 {
		return nil
	}
	s := &sampler{of: op, keyIs: key}
	if c.Key.In == "body" {
		s.key = c.Key.From
	}
	media := c.Spec.Accepts[0]
	for _, m := range c.Spec.Accepts {
		if m == canon.JSON {
			media = m
		}
	}
	switch media {
	case canon.JSON:
		return []string{"-H 'Content-Type: application/json'", "-d " + shell(s.body(c))}
	case canon.Form:
		return formWords(c, s, "--data-urlencode ")
	case canon.Multipart:
		return formWords(c, s, "-F ")
	case canon.Text, canon.Octets, canon.NoBody:
	}
	contentType := "text/plain"
	if len(c.Spec.Types) > 0 && !strings.Contains(c.Spec.Types[0], "*") {
		contentType = c.Spec.Types[0]
	} else if media == canon.Octets {
		contentType = "application/octet-stream"
	}
	return []string{"-H " + shell("Content-Type: "+contentType), "--data-binary @body"}
}

// formWords are one word for each member of a form.
func formWords(c *contract.Contract, s *sampler, flag string) []string {
	if c.BodyType == nil || c.BodyType.Kind != contract.TypeStruct {
		return []string{flag + shell("name=string")}
	}
	s.budget = mostValues
	var out []string
	for i := range c.BodyType.Fields {
		f := &c.BodyType.Fields[i]
		at := memberPath("body", f.Name)
		n, ignored := memberOf(c.Version.Body, f.Name)
		if f.Optional && at != s.key && (ignored || s.budget <= 0) {
			continue
		}
		value := unquote(s.value(f.Type, n, bodySchema(s.of).member(f.Name), at, 1))
		if f.Type.Kind == contract.TypeBytes && flag == "-F " {
			value = "@file"
		}
		out = append(out, flag+shell(f.Name+"="+value))
	}
	return out
}

// unquote gives a JSON string's characters, and other JSON text as it is.
func unquote(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// shell quotes one word for a POSIX shell. What shows nothing is spelled out: an example is for reading.
func shell(word string) string {
	return "'" + strings.ReplaceAll(shown(word), "'", `'\''`) + "'"
}
