package agreement

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	views "github.com/idemgen/idemgen/golden/pipeline/viewed-bodies/openapiidem"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// order is what counts of an order, of whatever media type it is. Its note does not.
type order struct {
	XMLName  xml.Name `xml:"order" json:"-"`
	SKU      string   `xml:"sku,attr" json:"sku"`
	Quantity int      `xml:"quantity" json:"quantity"`
}

func viewOrder(_ context.Context, contentType string, body []byte) ([]byte, error) {
	var o order
	var err error
	if strings.Contains(contentType, "xml") {
		err = xml.Unmarshal(body, &o)
	} else {
		err = json.Unmarshal(body, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("read order: %w", err)
	}
	return json.Marshal(o)
}

var tokenKey = []byte("a key of the program")

func signature(key []byte, signed string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func token(key []byte, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + signature(key, text)
}

// viewClaims gives the claims of a token that is signed with the program's key; when it was issued does not count.
func viewClaims(_ context.Context, _ string, body []byte) ([]byte, error) {
	parts := strings.Split(string(body), ".")
	if len(parts) != 3 {
		return nil, errors.New("a secret of the program: no token")
	}
	if !hmac.Equal([]byte(parts[2]), []byte(signature(tokenKey, parts[0]+"."+parts[1]))) {
		return nil, &canon.Refusal{Place: "body", Offset: -1, Reason: "the token is not signed by us"}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, fmt.Errorf("decode claims: %w", err)
	}
	var claims map[string]json.RawMessage
	if err := json.Unmarshal(text, &claims); err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	delete(claims, "iat")
	return json.Marshal(claims)
}

// viewParts gives the parts of a multipart/mixed body in their order; a text is one part.
func viewParts(_ context.Context, contentType string, body []byte) ([]byte, error) {
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, fmt.Errorf("read parts: %w", err)
	}
	texts := []string{}
	if media == "text/plain" {
		return json.Marshal(append(texts, string(body)))
	}
	for r := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]); ; {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return json.Marshal(texts)
		}
		if err != nil {
			return nil, fmt.Errorf("read parts: %w", err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, fmt.Errorf("read parts: %w", err)
		}
		texts = append(texts, string(text))
	}
}

func allViews() views.Views {
	return views.Views{Claims: viewClaims, Order: viewOrder, Parts: viewParts}
}

func viewsEngine(t *testing.T, v views.Views) (*idem.Engine[*memstore.Tx], error) {
	t.Helper()
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: bytes.Repeat([]byte{7}, 32)})
	require.NoError(t, err)
	scope := func(context.Context) (views.Scope, error) { return views.Scope{Tenant: "t"}, nil }
	return views.NewEngine(memstore.New(), scope, v, idem.Options{Keys: keys})
}

// viewsServer serves the package over net/http; ran has the body of each command that ran.
func viewsServer(t *testing.T) (url string, ran *[]string) {
	t.Helper()
	engine, err := viewsEngine(t, allViews())
	require.NoError(t, err)
	ran = &[]string{}
	done := func(what string, body []byte) (idem.Response, error) {
		*ran = append(*ran, what+" "+string(body))
		return idem.Response{Status: http.StatusCreated, Body: []byte(strconv.Itoa(len(*ran)))}, nil
	}
	mux := http.NewServeMux()
	mux.Handle("POST /orders", views.HandleCreateOrder(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd views.CreateOrderCommand) (idem.Response, error) {
		return done(cmd.ContentType, cmd.Body)
	}))
	mux.Handle("POST /orders/{id}/parts", views.HandleAddParts(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd views.AddPartsCommand) (idem.Response, error) {
		if cmd.Body == nil {
			return done("nothing", nil)
		}
		return done("parts", *cmd.Body)
	}))
	mux.Handle("PUT /accounts/{id}/mandates", views.HandlePutMandate(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd views.PutMandateCommand) (idem.Response, error) {
		return done(cmd.Path.AccountID, cmd.Body)
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, ran
}

// ask sends a request and gives the status, "replayed" where it is one, and the body.
func ask(t *testing.T, method, url, key, contentType, body string) (int, bool, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Idempotency-Key", key)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header.Get("Idempotent-Replayed") == "true", string(text)
}

// An order in XML is one command however it is written, and the same one as an order in JSON.
func TestXMLThroughAView(t *testing.T) {
	url, ran := viewsServer(t)
	post := func(key, contentType, body string) (int, bool, string) {
		return ask(t, http.MethodPost, url+"/orders", key, contentType, body)
	}
	const first = `<order sku="a&amp;b"><quantity>2</quantity></order>`
	status, replayed, _ := post("k", "application/xml", first)
	assert.Equal(t, 201, status)
	assert.False(t, replayed)
	for _, again := range []struct{ contentType, body string }{
		{"text/xml; charset=utf-8", "<?xml version=\"1.0\"?>\n<order sku='a&#38;b'>\n  <quantity>2</quantity>\n  <note>new</note>\n</order>\n"},
		{"application/json", `{"quantity":2,"sku":"a\u0026b","note":"x"}`},
	} {
		status, replayed, body := post("k", again.contentType, again.body)
		assert.Equal(t, 201, status, again.body)
		assert.True(t, replayed, again.body)
		assert.Equal(t, "1", body)
	}
	status, _, body := post("k", "application/xml", `<order sku="a&amp;b"><quantity>3</quantity></order>`)
	assert.Equal(t, 422, status)
	assert.Contains(t, body, `"fields":["body"]`)

	status, _, body = post("k2", "application/xml", `<order sku="secret"`)
	assert.Equal(t, 400, status)
	assert.Contains(t, body, "IDEMPOTENCY_REQUEST_MALFORMED")
	assert.NotContains(t, body, "XML", "the view's error is the observer's alone")
	status, _, _ = post("k2", "application/vnd.order+json", `{}`)
	assert.Equal(t, 415, status, "not declared")
	status, _, _ = post("k2", "application/xml", "")
	assert.Equal(t, 400, status)
	assert.Equal(t, []string{"application/xml " + first}, *ran, "the handler gets the body as it was sent, and of which type it is")
}

// A token is the same command while its claims are, however often it is signed anew.
func TestTokenThroughAView(t *testing.T) {
	url, ran := viewsServer(t)
	const account = "0192a1b2-0000-7000-8000-00000000abcd"
	put := func(key, query, body string) (int, bool, string) {
		return ask(t, http.MethodPut, url+"/accounts/"+account+"/mandates"+query, key, "application/jwt", body)
	}
	signed := token(tokenKey, `{"sub":"u1","amount":10.0,"iat":1}`)
	status, _, _ := put("k", "", signed)
	require.Equal(t, 201, status)
	status, replayed, _ := put("k", "?mode=live&trace=2", token(tokenKey, `{"iat":2,"amount":1e1,"sub":"u1"}`))
	assert.Equal(t, 201, status)
	assert.True(t, replayed)
	status, _, body := put("k", "", token(tokenKey, `{"sub":"u2","amount":10}`))
	assert.Equal(t, 422, status)
	assert.NotContains(t, body, "fields", "a sensitive body is never named")
	status, _, body = put("k", "?mode=test", signed)
	assert.Equal(t, 422, status)
	assert.Contains(t, body, `"fields":["query.mode"]`)

	status, _, body = put("k2", "", token([]byte("another key"), `{"sub":"u1"}`))
	assert.Equal(t, 400, status)
	assert.Contains(t, body, "body: the token is not signed by us", "what is meant for the client")
	status, _, body = put("k2", "", "no token")
	assert.Equal(t, 400, status)
	assert.NotContains(t, body, "secret")
	status, _, body = put("k2", "", token(tokenKey, `{"amount":1e99}`))
	assert.Equal(t, 400, status)
	assert.Contains(t, body, "an exponent beyond 38")
	assert.NotContains(t, body, "99")
	assert.Equal(t, []string{account + " " + signed}, *ran)
}

// A body of parts without names, which no contract could tell apart, counts as its view reads it; and so does an absent one.
func TestPartsThroughAView(t *testing.T) {
	url, ran := viewsServer(t)
	parts := func(boundary string) string {
		return "--" + boundary + "\r\n\r\none\r\n--" + boundary + "\r\nX-Y: z\r\n\r\ntwo\r\n--" + boundary + "--\r\n"
	}
	post := func(key, contentType, body string) (int, bool, string) {
		return ask(t, http.MethodPost, url+"/orders/7/parts", key, contentType, body)
	}
	status, _, _ := post("k", "multipart/mixed; boundary=a", parts("a"))
	require.Equal(t, 201, status)
	_, replayed, _ := post("k", `multipart/mixed; boundary="b c"`, parts("b c"))
	assert.True(t, replayed)
	status, _, _ = post("k", "text/plain", "one")
	assert.Equal(t, 422, status)
	status, _, _ = post("k", "", "")
	assert.Equal(t, 422, status, "no body is another command")
	status, _, _ = post("k2", "", "")
	assert.Equal(t, 201, status)
	_, replayed, _ = post("k2", "text/plain", "")
	assert.True(t, replayed)
	assert.Equal(t, []string{"parts " + parts("a"), "nothing "}, *ran)
}

// The generated function, the contract's own scan and the reference interpreter agree on what a view gave.
func TestViewedBodies(t *testing.T) {
	mandate := of(t, "viewed-bodies", &views.PutMandateOperation)
	const account = "0192a1b2-0000-7000-8000-00000000abcd"
	for view, want := range map[string]request{
		`{"sub":"u1","n":[1.0,null]}`: {want: `{"body":{"object":{"n":[{"number":"1"},null],"sub":"u1"}},"header":{"x-channel":"c"},"path":{"accountId":"` + account + `"},"query":{"mode":"live"}}`},
		`null`:                        {want: `{"body":null,"header":{"x-channel":"c"},"path":{"accountId":"` + account + `"},"query":{"mode":"live"}}`},
		`{"a":1,"a":2}`:               {refused: "body"},
		`{"a":`:                       {refused: "body"},
		``:                            {refused: "body"},
	} {
		r := &canon.Request{Body: []byte("x.y.z"), View: []byte(view), ContentType: "application/jwt", Path: []string{strings.ToUpper(account)}, Header: map[string][]string{"X-Channel": {"c"}}}
		holdOne(t, mandate, &views.PutMandateOperation, r, want)
		r.ContentType = "text/plain"
		holdOne(t, mandate, &views.PutMandateOperation, r, request{refused: "header.content-type"})
	}
	parts := of(t, "viewed-bodies", &views.AddPartsOperation)
	holdOne(t, parts, &views.AddPartsOperation, &canon.Request{View: []byte("1"), Path: []string{"7"}}, request{want: `{"path":{"id":"7"}}`})
}

// A program that leaves a view out does not start, and says which.
func TestEveryViewIsNeeded(t *testing.T) {
	_, err := viewsEngine(t, allViews())
	require.NoError(t, err)
	without := allViews()
	without.Order = nil
	_, err = viewsEngine(t, without)
	require.ErrorContains(t, err, `operation "createOrder": field Versions[0].View is "order", and that view is nil`)
	assert.NotContains(t, err.Error(), "claims")
}

// Two engines of one package have functions of their own.
func TestEnginesShareNoViews(t *testing.T) {
	first, err := viewsEngine(t, allViews())
	require.NoError(t, err)
	refuse := allViews()
	refuse.Order = func(context.Context, string, []byte) ([]byte, error) { return nil, errors.New("never") }
	_, err = viewsEngine(t, refuse)
	require.NoError(t, err)
	ex, answer := first.Begin(t.Context(), &views.CreateOrderOperation, &canon.Request{Body: []byte(`{"sku":"a"}`), ContentType: "application/json", Header: http.Header{"Idempotency-Key": {"k"}}})
	require.Nil(t, answer)
	first.Finish(t.Context(), ex, idem.Outcome{Response: idem.Response{Status: 201}})
}
