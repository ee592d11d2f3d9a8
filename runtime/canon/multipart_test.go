package canon_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

const multipartType = "multipart/form-data; boundary=b"

// multipartOf puts parts together; each is its header lines and its content, divided by an empty line. "\n" stands for CR LF in the header.
func multipartOf(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		head, content, _ := strings.Cut(part, "\n\n")
		b.WriteString("--b\r\n" + strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + content + "\r\n")
	}
	return b.String() + "--b--\r\n"
}

// text is a part without a header line but its name.
func text(name, content string) string {
	return `Content-Disposition: form-data; name="` + name + "\"\n\n" + content
}

func file(name, filename, content string) string {
	return `Content-Disposition: form-data; name="` + name + `"; filename="` + filename + "\"\nContent-Type: application/octet-stream\n\n" + content
}

// readUpload reads a multipart body, and holds the reference interpreter to what comes of it.
func readUpload(t testing.TB, contentType, body string) (string, *canon.Refusal) {
	t.Helper()
	text, refusal := readAs(t, contentType, body, scanUpload)
	reference, err := uploadContract().Canonical(&canon.Request{Body: []byte(body), ContentType: contentType})
	assert.Equal(t, refusal == nil, err == nil, "%v: the reference says %v", refusal, err)
	if refusal == nil {
		assert.Equal(t, `{"body":`+text+"}", string(reference))
	}
	return text, refusal
}

// uploadContract is what scanUpload reads, as data.
func uploadContract() *canon.Contract {
	item := objectOf(canon.IncludeUnknown, property("quantity", node(canon.Int)), canon.NodeMember{Name: "sku", Required: true, Node: node(canon.Exact)},
		property("tags", arrayOf(canon.Set, node(canon.Exact))))
	c := referenceOf(objectOf(canon.IgnoreUnknown, property("count", node(canon.Int)), property("file", arrayOf(canon.List, node(canon.ContentDigest))),
		property("items", arrayOf(canon.List, item)), property("labels", mapOf(node(canon.Exact))), property("meta", node(canon.Generic)), property("note", node(canon.Exact))))
	c.Accepts, c.Types, c.Parts, c.BodyRequired = everyBody.Accepts, everyBody.Types, everyBody.Parts, everyBody.Required
	return c
}

func digestOf(content string) string {
	return fmt.Sprintf("%x:%d", sha256.Sum256([]byte(content)), len(content))
}

var uploadShape = canon.Shape{Unknown: canon.IgnoreUnknown, Members: []canon.Member{
	{Name: "count", Key: `"count":`}, {Name: "file", Key: `"file":`}, {Name: "items", Key: `"items":`},
	{Name: "labels", Key: `"labels":`}, {Name: "meta", Key: `"meta":`}, {Name: "note", Key: `"note":`},
}}

// scanUpload has files, JSON, text and what a form nests.
func scanUpload(s *canon.Scanner) {
	var spans [6]canon.Span
	o := s.Object(&uploadShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "count":
			s.Member(&o, 0)
			s.Int(0)
		case "file":
			s.Member(&o, 1)
			aList(contentDigest)(s)
		case "items":
			s.Member(&o, 2)
			aList(scanItem)(s)
		case "labels":
			s.Member(&o, 3)
			aMap(leaf(canon.Exact))(s)
		case "meta":
			s.Member(&o, 4)
			s.Generic(3)
		case "note":
			s.Member(&o, 5)
			s.Exact(4)
		default:
			s.Unknown(&o)
		}
	}
}

func TestMultipart(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  string
	}{
		{"text", []string{text("note", "a \"b\"\n é\r\n")}, `{"note":"a \"b\"\n é\r\n"}`},
		{"empty text", []string{text("note", "")}, `{"note":""}`},
		{"a number", []string{text("count", "-0")}, `{"count":"0"}`},
		{"order across names does not count", []string{text("note", "a"), text("count", "1")}, `{"count":"1","note":"a"}`},
		{"a file is one of many", []string{file("file", "a.png", "\x00\xff")}, `{"file":["` + digestOf("\x00\xff") + `"]}`},
		{"file names and headers do not count", []string{"CONTENT-disposition: Form-Data; filename*=UTF-8''b; name=file;size=2\nX: y\nContent-Transfer-Encoding: BINARY\n\n\x00\xff"},
			`{"file":["` + digestOf("\x00\xff") + `"]}`},
		{"several files, in order", []string{file("file", "", "2"), file("file", "", "1")}, `{"file":["` + digestOf("2") + `","` + digestOf("1") + `"]}`},
		{"files with []", []string{file("file[]", "", "2")}, `{"file":["` + digestOf("2") + `"]}`},
		{"files with indexes", []string{file("file[1]", "", "2"), file("file[0]", "", "1")}, `{"file":["` + digestOf("1") + `","` + digestOf("2") + `"]}`},
		{"an empty file", []string{file("file", "", "")}, `{"file":["` + digestOf("") + `"]}`},
		{"what looks like a boundary in a file", []string{file("file", "", "x--b\n--b\r--b\r\n-b\r\n--\r\n--a")},
			`{"file":["` + digestOf("x--b\n--b\r--b\r\n-b\r\n--\r\n--a") + `"]}`},
		{"JSON", []string{text("meta", ` {"b":1.50,"a":[null,"5"]} `)}, `{"meta":{"object":{"a":[null,"5"],"b":{"number":"1.5"}}}}`},
		{"JSON that says so", []string{"Content-Disposition: form-data; name=meta\nContent-Type: application/json; charset=UTF-8\n\n\"\\u0041\""}, `{"meta":"A"}`},
		{"a JSON null", []string{text("meta", "null")}, `{"meta":null}`},
		{"one JSON part for an array of objects", []string{text("items", `{"sku":"a"}`)}, `{"items":[{"sku":"a"}]}`},
		{"several JSON parts", []string{text("items", `{"sku":"b"}`), text("items", `{"sku":"a"}`)}, `{"items":[{"sku":"b"},{"sku":"a"}]}`},
		{"a JSON part that is the array", []string{text("items", `[{"sku":"b"},{"sku":"a"}]`)}, `{"items":[{"sku":"b"},{"sku":"a"}]}`},
		{"a JSON object with numbers is no array", []string{text("meta", `{"0":"a"}`)}, `{"meta":{"object":{"0":"a"}}}`},
		{"nested names", []string{text("labels[a]", "1"), text("labels[b]", "2")}, `{"labels":{"a":"1","b":"2"}}`},
		{"below a JSON part is text", []string{text("meta[a]", "1")}, `{"meta":{"object":{"a":"1"}}}`},
		{"escapes in a name", []string{text(`labels[a\"b\\c%22]`, "1")}, `{"labels":{"a\"b\\c%22":"1"}}`},
		{"an ignored part", []string{text("x", "1")}, `{}`},
		{"no part", nil, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := readUpload(t, multipartType, multipartOf(tt.parts...))
			require.Nil(t, refusal)
			assert.Equal(t, tt.want, got)
		})
	}
}

// The boundary and how it is written do not count.
func TestBoundaries(t *testing.T) {
	body := multipartOf(text("note", "a"), text("count", "1"))
	want, refusal := readUpload(t, multipartType, body)
	require.Nil(t, refusal)
	long := strings.Repeat("0123456789", 7)
	tests := []struct{ contentType, body string }{
		{`multipart/form-data; boundary="b"`, body},
		{`Multipart/Form-Data ;charset=utf-8; BOUNDARY=b`, body},
		{`multipart/form-data; x="a;\"b"; boundary = b ;`, body},
		{multipartType, "\r\n" + body},
		{multipartType, strings.TrimSuffix(body, "\r\n")},
		{multipartType, strings.Replace(body, "--b\r\n", "--b \t\r\n", 1)},
		{multipartType, strings.TrimSuffix(body, "\r\n") + "  \r\n"},
		{"multipart/form-data; boundary=" + long, strings.ReplaceAll(body, "--b", "--"+long)},
		{`multipart/form-data; boundary="a;b ?=c"`, strings.ReplaceAll(body, "--b", "--a;b ?=c")},
		{`multipart/form-data; boundary="a:b ?=c"`, strings.ReplaceAll(body, "--b", "--a:b ?=c")},
	}
	for _, tt := range tests {
		got, refusal := readUpload(t, tt.contentType, tt.body)
		if strings.Contains(tt.contentType, ";b") {
			require.EqualError(t, refusal, "header.content-type: a multipart body without a boundary of 1 to 70 characters")
			continue
		}
		require.Nil(t, refusal, "%s %q", tt.contentType, tt.body)
		assert.Equal(t, want, got)
	}
	for _, contentType := range []string{
		"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=b; boundary=b",
		"multipart/form-data; boundary=a/b", "multipart/form-data; boundary=\"b ", "multipart/form-data; boundary=\"b \"", "multipart/form-data; boundary=é",
		"multipart/form-data; boundary=" + long + "0", `multipart/form-data; boundary="a\"b"`,
		"multipart/form-data; boundary=b; boundary*=UTF-8''b", "multipart/form-data; boundary*0=b", "multipart/form-data; boundary=b; x", "multipart/form-data; boundary=b; =x",
		"multipart/form-data; boundary=b; é=x", "multipart/form-data;; boundary=b", "multipart/form-data; boundary=b;;", "multipart/form-data; boundary=b; ; ", "multipart/form-data; boundary=b; x=\"\\\x01\"", "multipart/form-data; boundary=b; x=\"\x7f\"", "multipart/form-data; boundary=b; x=\"\\\x7f\"", `multipart/form-data; boundary="b"x`, `multipart/form-data; boundary=b; x="`,
	} {
		_, refusal := readUpload(t, contentType, body)
		assert.EqualError(t, refusal, "header.content-type: a multipart body without a boundary of 1 to 70 characters", contentType)
	}
}

func TestMultipartRefused(t *testing.T) {
	part := func(lines ...string) string { return multipartOf(strings.Join(lines, "\n") + "\n\nx") }
	const named = `Content-Disposition: form-data; name="note"`
	tests := []struct{ name, body, why string }{
		{"not multipart", "note=x", "body (byte 0): a boundary is expected"},
		{"something before the first boundary", "x\r\n" + multipartOf(), "body (byte 0): a boundary is expected"},
		{"another boundary", strings.ReplaceAll(multipartOf(), "--b", "--c"), "body (byte 0): a boundary is expected"},
		{"something after a boundary", strings.Replace(part(named), "--b\r\n", "--bx\r\n", 1), "body (byte 3): a boundary with something after it"},
		{"a boundary as a beginning", multipartOf(text("note", "x\r\n--bc")), "body (byte 58): a boundary with something after it"},
		{"lines without CR", strings.ReplaceAll(part(named), "\r", ""), "body (byte 3): a boundary with something after it"},
		{"something after the last boundary", part(named) + "x", "body (byte 62): data after the last boundary"},
		{"no last boundary", strings.TrimSuffix(part(named), "--b--\r\n"), "body (byte 55): the body ends too early"},
		{"half a last boundary", strings.TrimSuffix(part(named), "--\r\n"), "body (byte 58): a boundary with something after it"},
		{"no end of the header", "--b\r\n" + named + "\r\n", "body (byte 50): the body ends too early"},
		{"a line without LF", "--b\r\n" + named, "body (byte 48): the body ends too early"},
		{"a header line without CR", "--b\r\n" + named + "\n\r\nx\r\n--b--", "body (byte 5): a header line of a part is malformed"},
		{"no disposition", part("Content-Type: text/plain"), "body (byte 31): a part without one Content-Disposition: form-data with a name"},
		{"no header", "--b\r\n\r\nx\r\n--b--", "body (byte 5): a part without one Content-Disposition: form-data with a name"},
		{"another disposition", part(`Content-Disposition: attachment; name="note"`), "body (byte 5): a part without one Content-Disposition: form-data with a name"},
		{"no parameters", part(`Content-Disposition: form-data`), "body (byte 5): a part without one Content-Disposition: form-data with a name"},
		{"no name", part(`Content-Disposition: form-data; filename="a"`), "body (byte 5): a part without one Content-Disposition: form-data with a name"},
		{"an empty name", part(`Content-Disposition: form-data; name=""`), "body (byte 5): a part without one Content-Disposition: form-data with a name"},
		{"a name twice", part(named + `; NAME="x"`), twice},
		{"a file name twice", part(named + `; filename="x"; filename=y`), twice},
		{"a disposition twice", part(named, named), "body (byte 50): a header line of a part, or a parameter of it, stands there twice"},
		{"a type twice", part(named, "Content-Type: a/b", "Content-Type: a/b"), "body (byte 69): a header line of a part, or a parameter of it, stands there twice"},
		{"an extended name", part(`Content-Disposition: form-data; name*=UTF-8''note`), badParameter},
		{"a continued name", part(`Content-Disposition: form-data; name*0=no; name*1=te`), badParameter},
		{"a parameter without value", part(named + `; filename`), badParameter},
		{"a parameter without end", part(named + `; filename="x`), badParameter},
		{"a parameter that ends with a backslash", part(named + `; filename="x\`), badParameter},
		{"an empty parameter", part(named + `;`), badParameter},
		{"an empty value", part(named + `; filename=`), badParameter},
		{"something after a value", part(named + ` x`), badParameter},
		{"a backslash in a name", part(`Content-Disposition: form-data; name="no\te"`), badParameter},
		{"many parameters", part(named + strings.Repeat(`; a=b`, 100)), twice},
		{"very many parameters", part(named + "; a=;" + strings.Repeat(`; a=b`, 100)), badParameter},
		{"a folded line", part("Content-Disposition: form-data;\n name=\"note\""), badParameter},
		{"a line without a name", part(named, ": x"), "body (byte 50): a header line of a part is malformed"},
		{"a line without a colon", part(named, "x"), "body (byte 50): a header line of a part is malformed"},
		{"a blank before the colon", part(named, "x : y"), "body (byte 50): a header line of a part is malformed"},
		{"a boundary among the lines", part(named, "--b: x"), "body (byte 50): a header line of a part is malformed"},
		{"what begins like a boundary among the lines", part(named, "--bx: y"), "body (byte 50): a header line of a part is malformed"},
		{"a control character in a line", part(named, "x: \x00"), "body (byte 50): a header line of a part is malformed"},
		{"base64", part(named, "Content-Transfer-Encoding: base64"), transfer},
		{"quoted-printable", part(named, "Content-Transfer-Encoding: quoted-printable"), transfer},
		{"nested", part(named, "Content-Type: multipart/mixed; boundary=c"), "body (byte 50): a multipart body in a part"},
		{"another charset", part(named, "Content-Type: text/plain; charset=iso-8859-1"), "body (byte 5): the charset is not UTF-8"},
		{"invalid UTF-8", multipartOf(text("note", "\xff")), "body/note (byte 52): invalid UTF-8"},
		{"invalid UTF-8 in a name", multipartOf(text("\xff", "")), "body (byte 5): invalid UTF-8"},
		{"brackets in a name", multipartOf(text("a[", "")), "body (byte 5): the brackets of a name do not match"},
		{"a repeated name that is no array", multipartOf(text("note", "a"), text("note", "b")), "body/note: a string is expected"},
		{"empty JSON", multipartOf(text("meta", "")), "body/meta (byte 52): the body ends too early"},
		{"broken JSON", multipartOf(text("meta", `{"a":[1,x]}`)), "body/meta/a/1 (byte 60): a JSON value is expected"},
		{"JSON that would close what is around it", multipartOf(text("meta", `1,"note":"x"`)), "body/meta (byte 53): data after the end of the JSON value"},
		{"JSON and more", multipartOf(text("meta", `{} {}`)), "body/meta (byte 55): data after the end of the JSON value"},
		{"a name in JSON twice", multipartOf(text("meta", `{"a":1,"a":2}`)), "body/meta/a (byte 59): the member stands here a second time"},
		{"a wrong value in JSON", multipartOf(text("items", `[{"sku":1}]`)), "body/items/0/sku (byte 61): a string is expected"},
		{"a missing member in JSON", multipartOf(text("items", `[{}]`)), "body/items/0/sku (byte 55): a required member is missing"},
		{"a JSON string as a number", multipartOf(text("count", `"1"`)), "body/count: an integer is expected"},
		{"a JSON part with a member", multipartOf(text("meta", "{}"), text("meta[a]", "1")), "body/meta: a name stands for a single value and for an object"},
		{"1001 parts", multipartOf(strings.Split(strings.Repeat(text("file", "x")+"\x01", 1001), "\x01")[:1001]...), "body (byte 55005): more than 1000 parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, refusal := readUpload(t, multipartType, tt.body)
			require.NotNil(t, refusal)
			assert.EqualError(t, refusal, tt.why)
		})
	}
}

const (
	twice        = "body (byte 5): a header line of a part, or a parameter of it, stands there twice"
	badParameter = "body (byte 5): a parameter that is malformed, or extended in the name"
	transfer     = "body (byte 50): a Content-Transfer-Encoding other than 7bit, 8bit and binary"
)

func TestThousandParts(t *testing.T) {
	parts := bytes.Repeat([]byte("--b\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n"), 1000)
	got, refusal := readUpload(t, multipartType, string(parts)+"--b--")
	require.Nil(t, refusal)
	assert.Equal(t, 1000, strings.Count(got, digestOf("x")))
}
