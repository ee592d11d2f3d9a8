package fingerprint_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// part is one part of a multipart body.
type part struct {
	name    string
	kind    canon.PartKind
	content string
}

// parts spells the members of an object as parts, by their kinds. What a kind cannot say is left out.
func (n *draft) parts(r *rand.Rand, listed []canon.Part) (out []part) {
	for i, kid := range n.kids {
		var name string
		if i >= len(n.names) || json.Unmarshal([]byte(n.names[i]), &name) != nil {
			continue
		}
		kind := canon.TextPart
		if at := slices.IndexFunc(listed, func(p canon.Part) bool { return p.Name == name }); at >= 0 {
			kind = listed[at].Kind
		}
		if kind == canon.TextPart {
			out = append(out, kid.textParts(r, name)...)
			continue
		}
		values, step := []*draft{kid}, ""
		if kid.open == '[' && (kind == canon.FilePart || r.IntN(2) == 0) {
			values, step = kid.kids, []string{"", "", "[]", "[0]"}[r.IntN(4)]
		}
		for at, value := range values {
			if step != "" && step != "[]" {
				step = "[" + string(rune('0'+at%10)) + "]"
			}
			out = append(out, part{name + step, kind, value.content(r, kind)})
		}
	}
	return out
}

// textParts are the names and texts that a form would have.
func (n *draft) textParts(r *rand.Rand, name string) (out []part) {
	pairs, _ := n.pairs(r, name, nil)
	for _, pair := range pairs {
		name, text, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		text, textErr := url.QueryUnescape(text)
		if nameErr == nil && textErr == nil {
			out = append(out, part{name, canon.TextPart, text})
		}
	}
	return out
}

func (n *draft) content(r *rand.Rand, kind canon.PartKind) string {
	var b bytes.Buffer
	n.print(r, &b)
	var text string
	if kind == canon.FilePart && json.Unmarshal(b.Bytes(), &text) == nil {
		return text
	}
	return b.String()
}

// print writes a part with its header, spelled as clients do. oddly is how often a header is spelled as few do.
func (p part) print(r *rand.Rand, b *strings.Builder, oddly int) {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.name) + `"`
	if p.name != "" && !strings.ContainsFunc(p.name, func(c rune) bool { return c < 'a' || c > 'z' }) && r.IntN(4) == 0 {
		quoted = p.name
	}
	parameters := []string{pick("name=", "name=", "name=", "NAME=", "Name=") + quoted}
	if p.kind == canon.FilePart || r.IntN(8) == 0 {
		parameters = append(parameters, pick(`filename="a b.png"`, `filename=a`, `filename="\"\\;x"`, `filename*=UTF-8''b`, `Filename=""`, `size=2`, `filename="é"; filename*=UTF-8''%c3%a9`))
	}
	if r.IntN(oddly) == 0 {
		parameters = append(parameters, pick(`name=x`, `filename`, `filename=`, `filename="x`, `name*=UTF-8''x`, `name*0=x`, `namex=x`, ``, `x="a" b`, `x=a"b"`, "x=\"\x01\"", `x = y`, `é=x`))
	}
	if r.IntN(2) == 0 {
		slices.Reverse(parameters)
	}
	lines := []string{pick("Content-Disposition", "content-disposition", "CONTENT-DISPOSITION") + ":" + pick(" ", " ", "", "\t ") + pick("form-data", "form-data", "Form-Data") +
		pick("; ", ";", " ;\t") + strings.Join(parameters, pick("; ", ";", " ; ")) + pick("", "", " ", "\t")}
	if p.kind != canon.TextPart || r.IntN(4) == 0 {
		lines = append(lines, pick("Content-Type", "content-type")+": "+pick("application/octet-stream", "text/plain; charset=utf-8", "application/json", "Image/PNG", "", "text/plain; Charset=\"UTF-8\""))
	}
	if r.IntN(8) == 0 {
		lines = append(lines, pick("Content-Transfer-Encoding: binary", "content-transfer-encoding:8BIT", "Content-Length: 5", "X-Any: é", "x:"))
	}
	if r.IntN(oddly) == 0 {
		lines = append(lines, pick("Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: ", "Content-Type: text/plain; charset=latin1", "Content-Type: multipart/mixed; boundary=c", "Multipart", "x y: z",
			" folded", ": x", "x: \x00", "x: a\nb", "--b: x", "--bx: y", "--x: y", "Content-Type: Multipart", "X: --b", "Content-Disposition: form-data; name=x", "Content-Type: a/b"))
	}
	if r.IntN(2) == 0 {
		slices.Reverse(lines)
	}
	b.WriteString(strings.Join(lines, "\r\n") + "\r\n\r\n" + p.content)
}

// mutateMultipart gives a multipart body that is near to a valid one, and its Content-Type. seeds are bodies in JSON.
func mutateMultipart(r *rand.Rand, seeds []string, listed []canon.Part) (contentType string, body []byte) {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	root := parseDraft(seeds[r.IntN(len(seeds))])
	for range min(r.IntN(4), r.IntN(4)) {
		root.change(r)
	}
	parts := root.parts(r, listed)
	for range min(r.IntN(3), r.IntN(3), r.IntN(3)) {
		odd := []part{{name: "a"}, {name: "file", content: "--b"}, {name: "note[x]", content: "\xff"}, {name: "NOTE"}, {name: "labels[]"}, {name: "a["}, {name: "["}, {name: "meta[a]", content: "1"}, {name: "meta[0]", content: "1"},
			{name: "items[1]", content: "{}"}, {name: "\xff"}, {name: "pages[00]"}, {name: "pages[]", content: "\xff"}, {name: "pages", content: "\xff"}, {name: "tags[]"}, {name: "note[x]"}, {name: "labels"}, {name: "x\\y"}, {name: "items[0][sku]", content: "5"}, {name: ""}, {name: "note", content: "x\r\n--b\r\ny"}, {name: "note", content: "x\r\n-b\n--b\r--b"}}
		if len(parts) > 0 {
			odd = append(odd, parts[r.IntN(len(parts))]) // a name twice
		}
		parts = append(parts, odd[r.IntN(len(odd))])
	}
	r.Shuffle(len(parts)*r.IntN(2), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	boundary := pick("b", "b", "b", "----WebKitFormBoundary7MA4YWxk", "a'b(c)+_,-./:=?d", strings.Repeat("0123456789", 7), "b--")
	var b strings.Builder
	b.WriteString(pick("", "", "", "", "", "\r\n"))
	for _, p := range parts {
		b.WriteString("--" + boundary + pick("", "", "", " ", "\t ") + "\r\n")
		p.print(r, &b, 12*(len(parts)+1))
		b.WriteString("\r\n")
	}
	b.WriteString("--" + boundary + "--" + pick("\r\n", "\r\n", "", " \t\r\n"))
	text := b.String()
	if r.IntN(16) == 0 {
		text = pick("preamble\r\n"+text, text+"epilogue", text+"\r\n", strings.TrimSuffix(strings.TrimSuffix(text, "\r\n"), "--"), strings.ReplaceAll(text, "\r\n", "\n"), strings.Replace(text, "\r\n\r\n", "\r\n", 1),
			strings.Replace(text, "--"+boundary, "--"+boundary+"x", 1), text+text, strings.Replace(text, "\r\n\r\n", "\r\n\r\n--"+boundary, 1), "\n"+text)
	}
	body = []byte(text)
	if r.IntN(16) == 0 {
		body = damage(r, body)
	}
	return multipartType(r, boundary), body
}

// multipartType spells the Content-Type.
func multipartType(r *rand.Rand, boundary string) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	bare := boundary
	if strings.ContainsAny(boundary, "(),/:=?") {
		bare = `"` + boundary + `"`
	}
	switch r.IntN(12) {
	case 0:
		return pick("multipart/form-data", "", "multipart/mixed; boundary="+bare, "multipart/form-data; boundary=", "multipart/form-data; boundary="+bare+"; boundary="+bare, "multipart/form-data; boundary="+bare+"; charset=latin1",
			"multipart/form-data; boundary*=UTF-8''b", "multipart/form-data; boundary="+bare+"; boundary*0=b", "multipart/form-data; boundary="+bare+"; x", "multipart/form-data;; boundary="+bare, "multipart/form-data; boundary="+bare+";;",
			"multipart/form-data; boundary="+bare+"; ;", `multipart/form-data; boundary="`+boundary+` "`, `multipart/form-data; boundary="`+boundary, "multipart/form-data; boundary="+strings.Repeat("b", 71), `multipart/form-data; boundary="\b"`,
			"multipart/form-data boundary="+bare, "multipart/form-data; x=\"\x01\"; boundary="+bare, "multipart/form-data; é=x; boundary="+bare, "multipart/form-data; x=\"\xff\"; boundary="+bare)
	case 1, 2, 3:
		return pick(`multipart/form-data; boundary="`+boundary+`"`, "Multipart/Form-Data ;charset=utf-8; BOUNDARY="+bare, `multipart/form-data; x="a;\"b"; boundary = `+bare+` ;`, "multipart/form-data;boundary="+bare+" ; ",
			`multipart/form-data; boundary=`+bare+`; x="é"`)
	}
	return "multipart/form-data; boundary=" + bare
}

// The scanner and the reference interpreter agree on multipart bodies.
func TestDifferentialMultipart(t *testing.T) {
	accepted, refused := 0, 0
	for i, c := range fingerprint.MultipartContracts() {
		driver := fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 6))
		rounds := 100
		if c.Name == "upload" {
			rounds = 4000
		}
		for range rounds {
			contentType, body := mutateMultipart(r, fingerprint.MultipartSeeds(c.Name), c.Parts)
			request := requestOf(body, contentType, "", "", "x")
			require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, request), "%s %v %s: %q", c.Name, c.Parts, contentType, request.Body)
			if _, err := c.Canonical(request); err == nil {
				accepted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	assert.Greater(t, accepted, refused/10)
	assert.Greater(t, refused, accepted/10)
}

// A reader that takes parts for what they are not is found.
func TestDifferentialMultipartFindsFaults(t *testing.T) {
	for i, p := range fingerprint.MultipartContracts()[0].Parts {
		for _, kind := range []canon.PartKind{canon.TextPart, canon.JSONPart, canon.FilePart} {
			if kind == p.Kind || p.Name == "drop" || p.Name == "skip" {
				continue // ignored ones differ by what is refused alone
			}
			sound, spoiled := fingerprint.MultipartContracts()[0], fingerprint.MultipartContracts()[0]
			spoiled.Parts[i].Kind = kind
			driver := fingerprint.NewDriver(spoiled)
			r := rand.New(rand.NewPCG(9, 9))
			var err error
			for n := 0; n < 20000 && err == nil; n++ {
				contentType, body := mutateMultipart(r, fingerprint.MultipartSeeds(sound.Name), sound.Parts)
				err = fingerprint.Compare(sound, driver.Fingerprint, requestOf(body, contentType, "", "", "x"))
			}
			assert.Error(t, err, "%s as %d", p.Name, kind)
		}
	}
}

// What mutations seldom meet: limits, and spellings that others read otherwise.
func TestDifferentialMultipartCorners(t *testing.T) {
	c := fingerprint.MultipartContracts()[0]
	driver := fingerprint.NewDriver(c)
	const file = "Content-Disposition: form-data; name=file"
	body := func(parts ...string) string {
		return "--b\r\n" + strings.Join(parts, "\r\n--b\r\n") + "\r\n--b--"
	}
	named := func(name, content string) string {
		return body(file+"\r\n\r\nf", `Content-Disposition: form-data; name="`+name+"\"\r\n\r\n"+content)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := func(n int) string {
		return body(file+"\r\n\r\nf", strings.TrimSuffix(strings.Repeat("Content-Disposition: form-data; name=\"trace[]\"\r\n\r\n\r\n--b\r\n", n-1), "\r\n--b\r\n"))
	}
	parameters := func(n int) string {
		text := file
		for i := range n - 1 {
			text += "; " + strings.Repeat("p", i+1) + "=x"
		}
		return body(text + "\r\n\r\nf")
	}
	for _, tt := range []struct {
		name, body string
		accepted   bool
	}{
		{"1000 parts", many(1000), true},
		{"1001 parts", many(1001), false},
		{"16 parameters", parameters(16), true},
		{"17 parameters", parameters(17), false},
		{"an extended name", body("Content-Disposition: form-data; name*=UTF-8''file\r\n\r\nf"), false},
		{"a continued name", body("Content-Disposition: form-data; name=file; name*0=file\r\n\r\nf"), false},
		{"an escape in a name", body("Content-Disposition: form-data; name=\"f\\ile\"\r\n\r\nf"), false},
		{"an extended file name", body(file + "; filename=a; filename*=UTF-8''b; filename*0=c\r\n\r\nf"), true},
		{"two parts of a name that is no array", body(file+"\r\n\r\nf", file+"\r\n\r\nf"), false},
		{"a name in another case", named("File", "f"), false},
		{"no part", "--b--", false}, // the file is required
		{"no content", "--b\r\n" + file + "\r\n\r\n--b--", true},
		{"no empty line", "--b\r\n" + file + "\r\n--b--", false},
		{"JSON of 127 levels below the body", named("meta", deep(127)), true},
		{"JSON of 128 levels below the body", named("meta", deep(128)), false},
		{"JSON of 126 levels in an array that is not written", named("items", `{"sku":"a","x":`+deep(125)+`}`), true},
		{"JSON of 127 levels in an array that is not written", named("items", `{"sku":"a","x":`+deep(126)+`}`), false},
		{"ignored JSON of 127 levels", named("drop", deep(127)), true},
		{"ignored JSON of 128 levels", named("drop", deep(128)), false},
		{"an ignored member twice", named("drop", `{"a":1,"a":1}`), false},
		{"JSON that would close what is around it", named("meta", `1},"note":{"x":1`), false},
		{"a byte order mark in JSON", named("meta", "\ufeff1"), false},
		{"an array of arrays from one number", named("grid", "5"), true},
		{"null where an array is expected", named("grid", "null"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := requestOf([]byte(tt.body), "multipart/form-data; boundary=b", "", "", "x")
			_, err := c.Canonical(r)
			assert.Equal(t, tt.accepted, err == nil, "%v", err)
			require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, r))
		})
	}
	for contentType, boundary := range map[string]string{
		"multipart/form-data; boundary=" + strings.Repeat("b", 70): strings.Repeat("b", 70), "multipart/form-data; boundary=" + strings.Repeat("b", 71): strings.Repeat("b", 71),
		"multipart/form-data; boundary=b; boundary=b": "b", "multipart/form-data; boundary=b;boundary=b": "bb", "multipart/form-data; boundary=\"b \"": "b ", "multipart/form-data; boundary=\"b c\"": "b c", "multipart/form-data": "",
	} {
		r := requestOf([]byte(strings.ReplaceAll(named("note", "x"), "--b", "--"+boundary)), contentType, "", "", "x")
		_, err := c.Canonical(r)
		assert.Equal(t, len(boundary) == 70 || boundary == "b c", err == nil, "%s: %v", contentType, err)
		require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, r), contentType)
	}
	large := requestOf(make([]byte, 128<<20+1), "multipart/form-data; boundary=b", "", "", "x")
	_, err := c.Canonical(large)
	require.EqualError(t, err, "body: a body of more than 128 MiB")
	require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, large))
}
