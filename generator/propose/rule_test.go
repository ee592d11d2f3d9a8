package propose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/names"
	"github.com/idemgen/idemgen/openapi"
)

// supposed loads a document whose one candidate is read as if it were annotated, and builds its contract.
func supposed(t *testing.T, text string) (openapi.Candidate, *openapi.Operation, *contract.Contract) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	require.NoError(t, os.WriteFile(file, []byte("openapi: 3.1.0\ninfo: {title: t, version: '1'}\nx-idempotency: {scope: [tenant]}\n"+text), 0o600))
	doc, ds, err := openapi.Load(file, openapi.Options{Suppose: func(openapi.Candidate) bool { return true }})
	require.NoError(t, err)
	require.False(t, ds.HasErrors(), "%v", ds.All())
	require.Len(t, doc.Operations, 1)
	api, _ := contract.Build(doc, contract.Options{Base: "openapi"})
	require.Len(t, api.Contracts, 1)
	return doc.Candidates[0], doc.Operations[0], api.Contracts[0]
}

// one is an operation with a part at a place: path, query, header, or body.
func one(in, name, schema string) string {
	const operation = "paths:\n  /things/{id}:\n    post:\n      operationId: createThing\n      parameters:\n"
	id := "        - {name: id, in: path, required: true, schema: {type: string}}\n"
	body := "      requestBody: {content: {application/json: {schema: {type: object, properties: {"
	switch in {
	case "path":
		return strings.ReplaceAll(operation, "{id}", "{"+name+"}") + "        - {name: " + name + ", in: path, required: true, schema: " + schema + "}\n"
	case "body":
		return operation + id + body + name + ": " + schema + ", other: {type: string}}}}}}\n"
	case "money":
		return operation + id + body + "sum: {type: object, properties: {currency: {type: string}, " + name + ": " + schema + "}}}}}}}\n"
	}
	return operation + id + "        - {name: " + name + ", in: " + in + ", schema: " + schema + "}\n"
}

// partRuleCases are for each rule parts that it speaks of, and for the empty name those that none speaks of.
var partRuleCases = []struct{ rule, in, name, schema string }{
	{"representation", "query", "expand", "{type: array, items: {type: string}}"},
	{"representation", "query", "$select", "{type: string}"},
	{"representation", "query", "pretty", "{type: boolean}"},
	{"representation", "body", "expand", "{type: array, items: {type: string}}"},
	{"", "body", "fields", "{type: array, items: {type: string}}"},
	{"", "body", "include", "{type: string}"},
	{"", "query", "fieldset_id", "{type: string}"},

	{"dry run", "query", "dry_run", "{type: boolean}"},
	{"dry run", "query", "dryRun", "{type: string}"},
	{"dry run", "body", "validateOnly", "{type: boolean}"},
	{"", "body", "testament", "{type: string}"},

	{"client clock", "body", "sentAt", "{type: string, format: date-time}"},
	{"client clock", "body", "request_timestamp", "{type: integer}"},
	{"client clock", "query", "clientTime", "{type: string}"},
	{"", "body", "timestamp", "{type: string, format: date-time}"},
	{"", "body", "createdAt", "{type: string, format: date-time}"},
	{"", "body", "sentAt", "{type: object, properties: {day: {type: string}}}"},

	{"trace", "body", "traceId", "{type: string}"},
	{"trace", "body", "correlation_id", "{type: string}"},
	{"trace", "query", "requestID", "{type: string}"},
	{"", "path", "id", "{type: string}"},
	{"", "body", "traceability", "{type: string}"},

	{"metadata", "body", "metadata", "{type: object, additionalProperties: {type: string}}"},
	{"metadata", "body", "meta", "{type: object}"},
	{"metadata", "body", "metadata", "{anyOf: [{type: object, additionalProperties: {type: string}}, {type: string, enum: ['']}]}"},
	{"", "body", "metadata", "{type: object, properties: {name: {type: string}}}"},
	{"", "body", "metadata", "{type: string}"},
	{"", "query", "metadata", "{type: string}"},

	{"secret", "body", "password", "{type: string}"},
	{"secret", "body", "card", "{type: object, properties: {number: {type: string}}}"},
	{"secret", "body", "cardNumber", "{type: string}"},
	{"secret", "body", "access_token", "{type: string}"},
	{"secret", "body", "clientSecret", "{type: string}"},
	{"secret", "body", "tokens", "{type: array, items: {type: string}}"},
	{"secret", "body", "anything", "{type: string, writeOnly: true}"},
	{"secret", "query", "token", "{type: string}"},
	{"", "path", "token", "{type: string}"},
	{"", "body", "card_token", "{type: string, format: uuid}"},
	{"", "body", "secret_name", "{type: string}"},
	{"", "body", "token_type", "{type: string, enum: [a, b]}"},
	{"", "body", "max_tokens", "{type: integer}"},
	{"", "body", "pageToken", "{type: string}"},
	{"", "body", "cardholder", "{type: string}"},

	{"money as text", "body", "amount", "{type: string}"},
	{"money as text", "body", "unit_price", "{type: string, format: money}"},
	{"money as text", "body", "amountDue", "{type: string}"},
	{"money as text", "body", "total", "{type: string, pattern: '^[0-9]+([.][0-9]{2})?$'}"},
	{"money as text", "money", "value", "{type: string}"},
	{"money as text", "query", "amount", "{type: string}"},
	{"", "body", "value", "{type: string}"},
	{"", "body", "amountType", "{type: string}"},
	{"", "body", "price", "{type: string, description: The ID of a price}"},
	{"", "body", "price", "{type: string, pattern: '^price_[a-z]+$'}"},
	{"", "body", "amount", "{type: string, enum: [low, high]}"},
	{"", "body", "amount", "{type: string, format: uuid}"},
	{"", "body", "amount", "{type: integer}"},
	{"", "body", "amount", "{type: object, properties: {minor: {type: integer}}}"},

	{"money as number", "body", "amount", "{type: number}"},
	{"money as number", "body", "fee", "{type: number, format: double}"},
	{"", "body", "ratio", "{type: number}"},

	{"unique items", "body", "labels", "{type: array, uniqueItems: true, items: {type: string}}"},
	{"", "body", "labels", "{type: array, items: {type: string}}"},
}

func TestPartRules(t *testing.T) {
	spoken := map[string]bool{"whole body": true} // TestWholeBodies
	for _, c := range partRuleCases {
		t.Run(c.rule+" "+c.in+" "+c.name+" "+c.schema, func(t *testing.T) {
			_, op, shape := supposed(t, one(c.in, c.name, c.schema))
			for _, p := range partsOf(op, shape) {
				if !p.name.Same(names.New(c.name)) || c.in == "money" && p.top {
					continue
				}
				_, rule := judge(p)
				assert.Equal(t, c.rule, rule)
				return
			}
			t.Fatal("there is no such part")
		})
		spoken[c.rule] = true
	}
	for _, r := range partRules {
		assert.True(t, spoken[r.name], "no case of the rule %q", r.name)
	}
}

func TestWholeBodies(t *testing.T) {
	for schema, want := range map[string]string{
		"{}":             "whole body",
		"{type: object}": "whole body",
		"{oneOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}]}": "whole body",
		"{type: array, items: {type: string}}":                  "",
		"{type: object, additionalProperties: {type: integer}}": "",
	} {
		_, op, shape := supposed(t, "paths: {/a: {post: {requestBody: {content: {application/json: {schema: "+schema+"}}}}}}\n")
		parts := partsOf(op, shape)
		require.NotEmpty(t, parts, schema)
		require.Equal(t, "body", parts[0].text, schema)
		_, rule := judge(parts[0])
		assert.Equal(t, want, rule, schema)
	}
}

func TestKeyRules(t *testing.T) {
	spoken := map[string]bool{}
	for _, c := range []struct{ rule, in, name, schema, line string }{
		{"key header", "header", "Idempotency-Key", "{type: string}",
			"key: {from: header.Idempotency-Key, required: false}  # undecided: optional in the document; a request without it is not protected"},
		{"key header", "header", "X-Idempotency-Key", "{type: string, maxLength: 45}",
			"key: {from: header.X-Idempotency-Key, required: false, length: [1, 45]}  # undecided: optional in the document; a request without it is not protected"},
		{"key header", "header", "idempotency_token", "{type: string, format: uuid, minLength: 36, maxLength: 36}",
			"key: {from: header.idempotency_token, required: false, length: [36, 36], format: uuid}  # undecided: optional in the document; a request without it is not protected"},
		{"key member", "body", "idempotencyKey", "{type: string, maxLength: 999}",
			"key: {from: body.idempotencyKey, required: false}  # undecided: optional in the document; a request without it is not protected"},
		{"key parameter", "query", "idempotent_key", "{type: string}",
			"key: {from: query.idempotent_key, required: false}  # undecided: optional in the document; a request without it is not protected"},
		{"described key", "query", "clientToken", "{type: string, description: Ensures Idempotency of the request}",
			"key: {from: query.clientToken, required: false}  # its description speaks of idempotency"},
		{"request id", "header", "Lantern-Request-Id", "{type: string}",
			"key: {from: header.Lantern-Request-Id, required: false}  # undecided: a key only if clients send the same value again on a retry"},
		{"", "header", "X-Request-Id", "{type: string}", "key: header.Idempotency-Key  # not header.X-Request-Id: clients and proxies fill that in anew with every attempt"},
		{"", "header", "Request-Id", "{type: string, description: for idempotency}", "key: header.Idempotency-Key  # not header.Request-Id: clients and proxies fill that in anew with every attempt"},
		{"", "header", "X-Correlation-Id", "{type: string}", "key: header.Idempotency-Key  # not header.X-Correlation-Id: clients and proxies fill that in anew with every attempt"},
		{"", "header", "traceparent", "{type: string}", "key: header.Idempotency-Key  # not header.traceparent: clients and proxies fill that in anew with every attempt"},
		{"", "header", "X-B3-TraceId", "{type: string, description: unique}", "key: header.Idempotency-Key  # not header.X-B3-TraceId: clients and proxies fill that in anew with every attempt"},
		{"", "header", "X-Trace", "{type: string}", ""},
		{"", "body", "idempotencyKey", "{type: object, properties: {a: {type: string}}}", ""},
		{"", "path", "id", "{type: string}", ""},
	} {
		spoken[c.rule] = true
		candidate, op, shape := supposed(t, one(c.in, c.name, c.schema))
		_, rule := keyOf(op, partsOf(op, shape))
		assert.Equal(t, c.rule, rule.name, c.name)
		text := string(Text(New(candidate, op, shape).Lines("x-idempotency")))
		if c.line == "" {
			assert.NotContains(t, text, "key:")
			continue
		}
		assert.Contains(t, text, "\n  "+c.line+"\n")
		assert.NotContains(t, text, "- "+strings.TrimPrefix(c.line, "key: {from: "), "the key is decided upon already")
	}
	for _, r := range keyRules {
		assert.True(t, spoken[r.name], "no case of the rule %q", r.name)
	}
}

func TestReadRules(t *testing.T) {
	spoken := map[string]bool{}
	for _, c := range []struct{ rule, path, id string }{
		{"graphql", "/graphql", ""},
		{"", "/graphql/schemas", ""},
		{"sign-in", "/login", ""},
		{"sign-in", "/v1/sign-in", ""},
		{"sign-in", "/oauth2/token", ""},
		{"sign-in", "/token", ""},
		{"sign-in", "/sessions", "authenticateUser"},
		{"", "/v1/tokens", ""},
		{"", "/customers/{id}/token", ""},
		{"trial", "/payments/preview", ""},
		{"trial", "/orders:validate", ""},
		{"trial", "/shipping", "estimateShipping"},
		{"", "/previews", "createPreview"},
		{"search", "/payments/search", ""},
		{"search", "/items/_query", ""},
		{"search", "/reports", "getReport"},
		{"search", "/reports", "list-reports"},
		{"", "/reports", "getOrCreateReport"},
		{"", "/search-indexes", ""},
		{"", "/search/{index}", ""},
		{"", "/payments", "createPayment"},
	} {
		spoken[c.rule] = true
		reason, rule := exemption(openapi.Candidate{Method: "POST", Path: c.path, ID: c.id})
		assert.Equal(t, c.rule, rule, c.path+" "+c.id)
		assert.Equal(t, rule != "", reason != "")
	}
	for _, r := range readRules {
		assert.True(t, spoken[r.name], "no case of the rule %q", r.name)
	}
	_, rule := exemption(openapi.Candidate{Method: "PATCH", Path: "/search"})
	assert.Empty(t, rule, "a PATCH changes something")
	_, rule = exemption(openapi.Candidate{Method: "POST", Webhook: "search"})
	assert.Empty(t, rule)
}

func TestOperationsThatMayCallOthers(t *testing.T) {
	for path, want := range map[string]string{
		"/payments/{id}/capture": `it is about "capture"`, "/charges": `it is about "charge"`, "/v2/book-transfers": `it is about "transfer"`,
		"/payments": "", "/captured": "", "/{capture}": "",
	} {
		assert.Equal(t, want, callsOut(openapi.Candidate{Path: path}), path)
	}
	assert.Equal(t, `it is about "refund"`, callsOut(openapi.Candidate{Path: "/x", ID: "createRefund"}))
	c := openapi.Candidate{Path: "/x"}
	c.Calls.Line = 1
	assert.Contains(t, callsOut(c), "callbacks")
}
