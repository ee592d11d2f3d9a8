package agreement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	forms "github.com/idemgen/idemgen/golden/pipeline/form-and-json/openapiidem"
	uploads "github.com/idemgen/idemgen/golden/pipeline/multipart-upload/openapiidem"
	sensitive "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	blobs "github.com/idemgen/idemgen/golden/pipeline/text-and-bytes/openapiidem"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

const formType = "application/x-www-form-urlencoded"

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:]) + ":" + strconv.Itoa(len(content))
}

// One command has one canonical text, sent as JSON or as a form.
func TestFormAndJSONAreOne(t *testing.T) {
	op := &forms.CreateChargeOperation
	c := of(t, "form-and-json", op)
	const account = "0192a1b2-0000-7000-8000-00000000abcd"
	for _, r := range []struct{ form, json, want string }{
		{"account=0192A1B2-0000-7000-8000-00000000ABCD&amount=5&metadata[a]=1&request_id=k", `{"amount":5,"account":"` + account + `","request_id":"k"}`,
			`{"body":{"account":"` + account + `","amount":"5"}}`},
		{"amount=5&account=" + account + "&capture=true&rate=1.50&expand[]=b&expand[]=a&due=now", `{"amount":5,"account":"` + account + `","capture":true,"rate":1.5,"expand":["b","a"],"due":"now"}`,
			`{"body":{"account":"` + account + `","amount":"5","capture":true,"due":{"string":"now"},"expand":["b","a"],"rate":"1.5"}}`},
		{"amount=5&account=" + account + "&expand=b&lines[0][sku]=x+y&lines[0][count]=2&lines[1][sku]=%C3%BC", `{"amount":5,"account":"` + account + `","expand":["b"],"lines":[{"sku":"x y","count":2},{"sku":"ü"}]}`,
			`{"body":{"account":"` + account + `","amount":"5","expand":["b"],"lines":{"array":[{"count":"2","sku":"x y"},{"sku":"ü"}]}}}`},
		{"amount=5&account=" + account + "&lines=", `{"amount":5,"account":"` + account + `","lines":""}`, `{"body":{"account":"` + account + `","amount":"5","lines":{"string":""}}}`},
		{"shipping[address][city]=B&amount=5&shipping[name]=N&account=" + account + "&shipping[address][lines][]=1", `{"amount":5,"account":"` + account + `","shipping":{"name":"N","address":{"city":"B","lines":["1"]}}}`,
			`{"body":{"account":"` + account + `","amount":"5","shipping":{"address":{"city":"B","lines":["1"]},"name":"N"}}}`},
	} {
		holdOne(t, c, op, &canon.Request{Body: []byte(r.form), ContentType: formType}, request{want: r.want})
		holdOne(t, c, op, &canon.Request{Body: []byte(r.json), ContentType: "application/json"}, request{want: r.want})
	}
	for form, place := range map[string]string{
		"account=" + account: "body/amount", "amount=1.0&account=" + account: "body/amount", "amount=5&account=" + account + "&shipping=x": "body/shipping",
		"amount=5&amount=6&account=" + account: "body/amount", "amount=%zz": "body/amount", "amount=5&account=" + account + "&extra=1": "body/extra", "amount=5&account=" + account + "&shipping[name]=N&shipping[address][x]=": "body/shipping/address/x",
	} {
		holdPlace(t, op, &canon.Request{Body: []byte(form), ContentType: formType}, place)
	}
	holdPlace(t, op, &canon.Request{Body: []byte("<a/>"), ContentType: "application/xml"}, "header.content-type")

	cmd, err := decode[forms.CreateChargeBody](&canon.Request{Body: []byte("amount=5&account=" + account + "&capture=false&expand[]=a&metadata[x]=1&due=now&shipping[address][city]=B"), ContentType: formType},
		&canon.BodySpec{Accepts: []canon.Media{canon.JSON, canon.Form}})
	require.NoError(t, err)
	assert.Equal(t, int64(5), cmd.Amount)
	assert.Equal(t, []string{"a"}, cmd.Expand)
	assert.Equal(t, map[string]string{"x": "1"}, cmd.Metadata)
	assert.Equal(t, "B", cmd.Shipping.Address.City)
	assert.Equal(t, `"now"`, string(cmd.Due))
}

func decode[T any](r *canon.Request, spec *canon.BodySpec) (T, error) {
	return idem.RequiredMedia[T](r, spec)
}

func fingerprint(op *idem.Operation, r *canon.Request) (string, error) {
	s := canon.Acquire()
	defer s.Release()
	_, err := op.Versions[0].Fingerprint(s, r)
	return string(s.AppendCanonical(nil)), err
}

func canonical(t *testing.T, op *idem.Operation, r *canon.Request) string {
	t.Helper()
	text, err := fingerprint(op, r)
	require.NoError(t, err, "%s", r.Body)
	return text
}

func holdPlace(t *testing.T, op *idem.Operation, r *canon.Request, place string) {
	t.Helper()
	_, err := fingerprint(op, r)
	var refusal *canon.Refusal
	require.ErrorAs(t, err, &refusal, "%s", r.Body)
	assert.Equal(t, place, refusal.Place, "%s: %s", r.Body, refusal.Reason)
}

// upload makes a multipart body of name, content type and content.
func upload(t *testing.T, boundary string, parts ...[3]string) *canon.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	require.NoError(t, w.SetBoundary(boundary))
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p[0] + `"; filename="` + url.PathEscape(boundary) + `.bin"`}}
		if p[1] != "" {
			h.Set("Content-Type", p[1])
		} else {
			h.Set("Content-Disposition", `form-data; name="`+p[0]+`"`)
		}
		part, err := w.CreatePart(h)
		require.NoError(t, err)
		_, err = part.Write([]byte(p[2]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return &canon.Request{Body: b.Bytes(), ContentType: w.FormDataContentType()}
}

func TestMultipart(t *testing.T) {
	op := &uploads.CreateDocumentOperation
	file := [3]string{"file", "application/octet-stream", "\xff\x00bytes"}
	want := `{"body":{"count":"5","file":"` + digestOf("\xff\x00bytes") + `","owner":{"id":"1","since":null},"title":"T"}}`
	parts := [][3]string{file, {"title", "", "T"}, {"count", "", "5"}, {"owner", "application/json", `{"since":null,"id":"1"}`}}
	assert.Equal(t, want, canonical(t, op, upload(t, "one", parts...)))
	assert.Equal(t, want, canonical(t, op, upload(t, "two", parts[3], parts[2], parts[1], parts[0])), "boundary, file name and order do not count")
	assert.NotEqual(t, want, canonical(t, op, upload(t, "one", append([][3]string{{"file", "text/plain", "other"}}, parts[1:]...)...)), "content does")

	assert.Equal(t, `{"body":{"file":"`+digestOf("f")+`","note":{"text":"n"},"pages":["`+digestOf("1")+`","`+digestOf("2")+`"],"raw":"`+digestOf("{}")+`","readers":[{"id":"1"},{"id":"2"}],`+
		`"scan":"`+digestOf("pdf")+`","seal":"AAEC","settings":{"boolean":true},"tags":["b","a"],"thumbnail":"`+digestOf("png")+`"}}`,
		canonical(t, op, upload(t, "b", [3]string{"file", "image/gif", "f"}, [3]string{"pages", "image/png", "1"}, [3]string{"pages", "image/png", "2"}, [3]string{"raw", "application/json", "{}"},
			[3]string{"readers", "application/json", `{"id":1}`}, [3]string{"readers", "application/json", `{"id":"2"}`}, [3]string{"scan", "application/pdf", "pdf"}, [3]string{"seal", "", "AAEC"},
			[3]string{"settings", "application/json", "true"}, [3]string{"tags[]", "", "b"}, [3]string{"tags[]", "", "a"}, [3]string{"thumbnail", "image/png", "png"}, [3]string{"note[text]", "", "n"})))
	assert.Contains(t, canonical(t, op, upload(t, "b", file, [3]string{"settings", "application/json", "null"})), `"settings":null`)

	holdPlace(t, op, upload(t, "b", [3]string{"title", "", "T"}), "body/file")
	holdPlace(t, op, upload(t, "b", file, file), "body/file")
	holdPlace(t, op, upload(t, "b", file, [3]string{"owner", "application/json", `{"id":1.0}`}), "body/owner/id")
	holdPlace(t, op, upload(t, "b", file, [3]string{"count", "", "five"}), "body/count")

	cmd, err := decode[uploads.CreateDocumentBody](upload(t, "b", append(parts, [3]string{"pages", "image/png", "1"})...),
		&canon.BodySpec{Accepts: []canon.Media{canon.Multipart}, Parts: []canon.Part{{Name: "file", Kind: canon.FilePart}, {Name: "owner", Kind: canon.JSONPart}, {Name: "pages", Kind: canon.FilePart}}})
	require.NoError(t, err)
	assert.Equal(t, "\xff\x00bytes", string(cmd.File))
	assert.Equal(t, [][]byte{[]byte("1")}, cmd.Pages)
	assert.Equal(t, int64(5), *cmd.Count)
}

func TestTextAndBytes(t *testing.T) {
	note := of(t, "text-and-bytes", &blobs.CreateNoteOperation)
	holdOne(t, note, &blobs.CreateNoteOperation, &canon.Request{Body: []byte(" a\n"), ContentType: "text/plain; charset=utf-8"}, request{want: `{"body":" a\n"}`})
	holdOne(t, note, &blobs.CreateNoteOperation, &canon.Request{Body: []byte(" a\n"), ContentType: "text/markdown"}, request{want: `{"body":" a\n"}`})
	holdOne(t, note, &blobs.CreateNoteOperation, &canon.Request{Body: []byte("a"), ContentType: "text/html"}, request{refused: "header.content-type"})
	holdOne(t, note, &blobs.CreateNoteOperation, &canon.Request{}, request{refused: "body"})
	limit := of(t, "text-and-bytes", &blobs.PutLimitOperation)
	holdOne(t, limit, &blobs.PutLimitOperation, &canon.Request{Body: []byte("10"), ContentType: "text/plain"}, request{want: `{"body":"10"}`})
	holdOne(t, limit, &blobs.PutLimitOperation, &canon.Request{}, request{want: `{}`})
	holdOne(t, limit, &blobs.PutLimitOperation, &canon.Request{Body: []byte("1.0"), ContentType: "text/plain"}, request{refused: "body"})
	image := of(t, "text-and-bytes", &blobs.PutImageOperation)
	for _, contentType := range []string{"image/png", "image/svg+xml", "application/octet-stream"} {
		holdOne(t, image, &blobs.PutImageOperation, &canon.Request{Body: []byte("\xff\x00"), ContentType: contentType}, request{want: `{"body":"` + digestOf("\xff\x00") + `"}`})
	}
	holdOne(t, image, &blobs.PutImageOperation, &canon.Request{Body: []byte("a"), ContentType: "text/plain"}, request{refused: "header.content-type"})
	order := of(t, "text-and-bytes", &blobs.CreateOrderOperation)
	holdOne(t, order, &blobs.CreateOrderOperation, &canon.Request{Body: []byte("<a/>"), ContentType: "text/xml"}, request{want: `{"body":"` + digestOf("<a/>") + `"}`})

	bytes, err := decode[[]byte](&canon.Request{Body: []byte("\xff\x00"), ContentType: "image/png"}, &canon.BodySpec{Accepts: []canon.Media{canon.Octets}, Types: []string{"image/*"}})
	require.NoError(t, err)
	assert.Equal(t, []byte("\xff\x00"), bytes)
	text, err := decode[string](&canon.Request{Body: []byte("a\"b"), ContentType: "text/plain"}, &canon.BodySpec{Accepts: []canon.Media{canon.Text}})
	require.NoError(t, err)
	assert.Equal(t, "a\"b", text)
}

// A sensitive field counts as any other does.
func TestSensitiveFields(t *testing.T) {
	op := &sensitive.StoreCardOperation
	hold(t, "sensitive-fields", op, []request{
		{body: `{"number":"4111","holder":{"name":"N"},"aliases":["b","a","b"]}`, want: `{"body":{"aliases":["a","b"],"holder":{"name":"N"},"number":"4111","pin":"0000"}}`},
		{body: `{"pin":"1"}`, refused: "body/number"},
	})
	var named []string
	for _, i := range op.Versions[0].Sensitive {
		named = append(named, op.Versions[0].Fields[i])
	}
	assert.Equal(t, []string{"body.aliases[]", "body.holder", "body.holder.born", "body.holder.name", "body.number", "body.pin", "query.hint"}, named)
}
