package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

const header = "openapi: 3.1.0\ninfo: {title: Payments, version: \"1\"}\n"

// loadFiles loads a.yaml, which must be without findings.
func loadFiles(t *testing.T, files memory, opts Options) *Document {
	t.Helper()
	doc, ds, err := load(files, "a.yaml", opts)
	require.NoError(t, err)
	require.Empty(t, short(ds))
	require.NotNil(t, doc)
	return doc
}

func loadText(t *testing.T, text string) *Document {
	t.Helper()
	return loadFiles(t, memory{"a.yaml": header + text}, Options{})
}

func outlines(ops []*Operation) (out []string) {
	for _, op := range ops {
		out = append(out, fmt.Sprintf("%s %s%s %s", op.Method, op.Path, op.Webhook, op.Annotation.Scope.Value.Now[0].Dimension))
	}
	return out
}

func TestOperationsInDocumentOrderWithWhatTheyInherit(t *testing.T) {
	doc := loadText(t, `
x-idempotency:
  scope: [root]
  operations:
    byID: {scope: [byID]}
    plainByID: required
servers: [{url: 'https://api.example.com/v1/'}]
paths:
  /z:
    put: {x-idempotency: required}
    post: {x-idempotency: {scope: [own]}}
    delete: {x-idempotency: exempt}
    get: {}
    patch: {}
  x-other: {post: {x-idempotency: required}}
  /a:
    x-idempotency: {scope: [item]}
    get: {x-idempotency: required}
    post: {x-idempotency: {scope: [own]}}
    put: {operationId: byID}
    patch: {operationId: plainByID}
    delete: {}
`)
	assert.Equal(t, []string{"PUT /z root", "POST /z own", "GET /a item", "POST /a own", "PUT /a byID", "PATCH /a item"}, outlines(doc.Operations))
	require.Len(t, doc.Exempt, 1)
	assert.Equal(t, "DELETE", doc.Exempt[0].Method)
	assert.Equal(t, 2, doc.Undecided, "PATCH /z and DELETE /a")
	assert.Equal(t, "3.1.0", doc.Version)
	assert.Equal(t, "Payments", doc.Title)
	assert.Equal(t, "/v1", doc.BasePath)
}

func TestOperationsInOtherFiles(t *testing.T) {
	doc := loadFiles(t, memory{
		"a.yaml": header + `
components: {schemas: {S: {type: boolean}}}
paths:
  /a:
    $ref: items/a.yaml
    parameters: [{name: own, in: query}]
    put: {x-idempotency: {scope: [beside]}}
  /b: {$ref: 'items/a.yaml#/x-more/b'}
`,
		"items/a.yaml": `
x-idempotency: {scope: [file]}
parameters: [{$ref: '../common.yaml#/own'}, {$ref: '#/x-more/q'}]
post:
  x-idempotency: required
  requestBody: {$ref: '../common.yaml#/body'}
put: {}
x-more:
  q: {name: q, in: query, schema: {$ref: ../a.yaml#/components/schemas/S}}
  b:
    post: {x-idempotency: {scope: [b]}}
`,
		"common.yaml":        "own: {name: own, in: query, schema: {type: integer}}\nbody: {content: {text/plain: {schema: {$ref: schema.yaml}}}}\n",
		"schema.yaml":        "$ref: 'deeper/schema.json#'\n",
		"deeper/schema.json": `{"type": "string"}`,
	}, Options{})
	assert.Equal(t, []string{"PUT /a beside", "POST /a file", "POST /b b"}, outlines(doc.Operations))
	post := doc.Operations[1]
	assert.Equal(t, "items/a.yaml:4:1", post.Pos.String())
	assert.Equal(t, "schema<string>", show(post.Body.Media[0].Schema))
	require.Len(t, post.Parameters, 2)
	assert.Equal(t, "own", post.Parameters[0].Name)
	assert.Equal(t, "a.yaml:8:18", post.Parameters[0].Pos.String(), "the path item's own parameter wins over the referenced one's")
	assert.Equal(t, "<>", show(post.Parameters[0].Schema))
	assert.Equal(t, "S<boolean>", show(post.Parameters[1].Schema))
}

func TestParameters(t *testing.T) {
	doc := loadText(t, `
paths:
  /a/{id}/{rest}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: replaced, in: query, schema: {type: string}}
      - {name: X-Trace, in: header, schema: {type: string}}
    post:
      x-idempotency: {scope: [tenant]}
      parameters:
        - {name: rest, in: path, required: true, style: label, schema: {}}
        - {name: replaced, in: query, required: true, schema: {type: integer}}
        - {name: x-trace, in: header, schema: {type: integer}}
        - {name: tags, in: query, explode: false, schema: {type: array}}
        - {name: deep, in: query, style: deepObject, explode: true, schema: {type: object}}
        - {name: filter, in: query, content: {application/json: {schema: {type: object}}}}
        - {name: session, in: cookie, schema: {type: string}}
        - {name: session, in: query, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: authorization, in: header, schema: {type: string}}
        - {name: bare, in: query}
`)
	var got []string
	for _, p := range doc.Operations[0].Parameters {
		got = append(got, fmt.Sprintf("%s %s %v %s %v %s%s", p.In, p.Name, p.Required, p.Style, p.Explode, show(p.Schema), p.ContentType))
	}
	assert.Equal(t, []string{
		"path id true simple false <string>",
		"query replaced true form true <integer>",
		"header x-trace false simple false <integer>",
		"path rest true label false <>",
		"query tags false form false <array>",
		"query deep false deepObject true <object>",
		"query filter false form true <object>application/json",
		"query session false form true <string>",
		"query bare false form true <>",
	}, got)
}

func TestBodies(t *testing.T) {
	doc := loadText(t, `
paths:
  /a:
    delete:
      x-idempotency: {scope: [tenant]}
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: {type: object}
            encoding: {meta: {contentType: application/json}, file: {style: form}, tags: {explode: false}, note: {headers: {}}}
          application/json: {}
          text/plain:
    post: {x-idempotency: {scope: [tenant]}, requestBody: {$ref: '#/components/requestBodies/B'}}
    put: {x-idempotency: {scope: [tenant]}}
components: {requestBodies: {B: {content: {}}}}
`)
	body := doc.Operations[0].Body
	require.Len(t, body.Media, 3)
	assert.True(t, body.Required)
	assert.Equal(t, "multipart/form-data", body.Media[0].Type)
	encoding := body.Media[0].Encoding
	require.Len(t, encoding, 3, "one that says nothing of ours is left out")
	assert.Equal(t, "application/json", encoding["meta"].ContentType)
	assert.Equal(t, "form", encoding["file"].Style)
	assert.True(t, encoding["tags"].Joined)
	assert.True(t, encoding["tags"].Pos.IsValid())
	assert.Equal(t, "application/json", body.Media[1].Type)
	assert.Equal(t, "<>", show(body.Media[1].Schema))
	assert.Equal(t, "<>", show(body.Media[2].Schema))
	require.NotNil(t, doc.Operations[1].Body)
	assert.False(t, doc.Operations[1].Body.Required)
	assert.Empty(t, doc.Operations[1].Body.Media)
	assert.Nil(t, doc.Operations[2].Body)
}

func TestSecuredAndStreaming(t *testing.T) {
	doc := loadText(t, `
security: [{key: []}]
paths:
  /a:
    post: {x-idempotency: {scope: [tenant]}}
    put: {x-idempotency: {scope: [tenant]}, security: []}
    patch: {x-idempotency: {scope: [tenant]}, security: [{}]}
    delete:
      x-idempotency: {scope: [tenant]}
      security: [{}, {key: []}]
      responses:
        "200": {$ref: '#/components/responses/R'}
    get:
      x-idempotency: {scope: [tenant]}
      responses: {default: {content: {application/json: {}}}}
components:
  responses:
    R:
      content:
        application/json: {}
        Text/Event-Stream; charset=utf-8: {}
`)
	var secured []bool
	for _, op := range doc.Operations {
		secured = append(secured, op.Secured)
	}
	assert.Equal(t, []bool{true, false, false, true, true}, secured)
	assert.Equal(t, "a.yaml:23:9", doc.Operations[3].Streaming.String())
	for _, i := range []int{0, 4} {
		assert.False(t, doc.Operations[i].Streaming.IsValid())
	}
}

func TestBasePath(t *testing.T) {
	for url, want := range map[string]string{
		"https://api.example.com":               "",
		"https://api.example.com/":              "",
		"https://api.example.com/v1":            "/v1",
		"https://api.example.com/v1/?a=b/c#d/e": "/v1",
		"//api.example.com/v1/":                 "/v1",
		"/v1":                                   "/v1",
		"/a//b":                                 "/a//b",
		"/":                                     "",
		".":                                     "",
		"v1":                                    "/v1",
		"./v1":                                  "/v1",
		"../v1":                                 "/v1",
		"''":                                    "",
		"'https://{host}/v1'":                   "/v1",
		"'{scheme}://api.example.com/{base}/{version}'": "/pay/2",
		"'{base}/{version}'":                            "/pay/2",
	} {
		t.Run(url, func(t *testing.T) {
			doc := loadText(t, "paths: {}\nservers:\n  - url: "+url+
				"\n    variables: {base: {default: pay}, version: {default: 2}, scheme: {default: https}}\n  - url: /other\n")
			assert.Equal(t, want, doc.BasePath)
		})
	}
}

func TestWebhooksOnlyWhereAskedFor(t *testing.T) {
	text := memory{"a.yaml": header + "webhooks:\n  paid:\n    post: {x-idempotency: {scope: [tenant]}}\n    put: {}\n"}
	doc := loadFiles(t, text, Options{Webhooks: true})
	assert.Equal(t, []string{" paid tenant"}, outlines(doc.Operations))
	assert.Zero(t, doc.Undecided)
	_, ds, err := load(text, "a.yaml", Options{})
	require.NoError(t, err)
	require.Len(t, ds.All(), 1)
	assert.Equal(t, diag.AnnotatedWebhook, ds.All()[0].Code)
	assert.Equal(t, "--webhooks", ds.All()[0].Hint)
}

func TestAnotherExtension(t *testing.T) {
	doc := loadFiles(t, memory{"a.yaml": header + "paths: {/a: {post: {x-once: {scope: [tenant]}, x-idempotency: {other: tool}}, put: {}}}"},
		Options{Extension: "x-once"})
	assert.Len(t, doc.Operations, 1)
	assert.Equal(t, 1, doc.Undecided)
}

func TestQueryIsAMethodSince32(t *testing.T) {
	doc := loadFiles(t, memory{"a.yaml": "openapi: 3.2.0\npaths: {/a: {query: {x-idempotency: {scope: [tenant]}}}}"}, Options{})
	assert.Equal(t, []string{"QUERY /a tenant"}, outlines(doc.Operations))
}

func TestAPathWithAQueryIsUnsupported(t *testing.T) {
	doc := loadText(t, "paths: {'/a?b={c}': {post: {x-idempotency: {scope: [tenant]}}}, '/#b': {post: {x-idempotency: {scope: [tenant]}}}}")
	for _, op := range doc.Operations {
		require.Len(t, op.Unsupported, 1)
		assert.Equal(t, diag.PathUnservable, op.Unsupported[0].Code)
		assert.True(t, op.Unsupported[0].Pos.IsValid())
	}
}

func TestVersions(t *testing.T) {
	for text, ok := range map[string]bool{
		"3.0.0": true, "3.0.4": true, "3.0": true, "3.1": true, "3.1.1": true, "3.2.0": true, "3.0.0-rc2": true,
		"3": false, "3.3.0": false, "4.0.0": false, "2.0": false, "''": false, "{}": false, "3.1.0.0": false, "'3.1.0 '": false,
	} {
		doc, ds, err := load(memory{"a.yaml": "openapi: " + text + "\npaths: {}"}, "a.yaml", Options{})
		require.NoError(t, err)
		assert.Equal(t, ok, doc != nil, text)
		assert.Equal(t, ok, !ds.HasErrors(), text)
	}
}

func TestHintsNameTheNearest(t *testing.T) {
	doc := header + `
x-idempotency: {operations: {createPaymet: required}}
paths:
  /a/{paymentId}:
    post:
      operationId: createPayment
      x-idempotency: {scope: [tenant]}
      x-idempotencys: no
      parameters: [{name: paymentID, in: path}, {name: q, in: qury}]
      requestBody: {content: {application/json: {schema: {properties: {
        a: {$ref: '#/components/schemas/Paymnt'}, b: {$ref: '#/components/schema/Payment'}, c: {$ref: 'b/comon.yaml#/X'},
        d: {$ref: '#/definitions/Payment'}, e: {$ref: '#Payment'}, f: {$ref: 'b\common.yaml'}, g: {type: strin}}}}}}
    put: {$ref: 'other.yaml#/put'}
    patch: {x-idempotent: true}
components: {schemas: {Payment: {}}}
`
	_, ds, err := load(memory{"a.yaml": doc, "b/common.yaml": "X: {}"}, "a.yaml", Options{})
	require.NoError(t, err)
	got := map[string]string{}
	for _, d := range ds.All() {
		word := strings.FieldsFunc(strings.Split(doc, "\n")[d.Pos.Line-1][d.Pos.Col-1:], func(r rune) bool { return strings.ContainsRune(" ,{}", r) })
		got[word[0]] = string(d.Code) + " " + d.Hint
	}
	assert.Equal(t, map[string]string{
		"createPaymet:":                 "IDG124 createPayment",
		"/a/":                           "IDG131 parameters:\n  - {name: paymentId, in: path, required: true, schema: {type: string}}",
		"name:":                         "IDG132 paymentId",
		"qury":                          "IDG133 query",
		"'#/components/schemas/Paymnt'": "IDG113 $ref: '#/components/schemas/Payment'",
		"'#/components/schema/Payment'": "IDG113 $ref: '#/components/schemas/Payment'",
		"'b/comon.yaml#/X'":             "IDG112 $ref: b/common.yaml#/X",
		"'#/definitions/Payment'":       "IDG113 $ref: '#/components/schemas/Payment'",
		"'#Payment'":                    "IDG113 $ref: '#/components/schemas/Payment'",
		`'b\common.yaml'`:               "IDG115 $ref: b/common.yaml",
		"strin":                         "IDG143 string",
		"'other.yaml#/put'":             "IDG116 /a/{paymentId}:\n  $ref: 'other.yaml'",
		"x-idempotent:":                 "IDG123 x-idempotency",
	}, got)
}

func TestUnreadableFilesAreErrors(t *testing.T) {
	_, _, err := Load("no-such-file.yaml", Options{})
	assert.EqualError(t, err, "openapi: read no-such-file.yaml: no such file or directory")
	_, _, err = Load(".", Options{})
	assert.ErrorContains(t, err, "openapi: read .: is a directory")
	_, _, err = load(memory{"a.yaml": header + "paths: {}"}, "a.yaml", Options{Overlays: []string{"o.yaml"}})
	assert.ErrorContains(t, err, "openapi: read o.yaml")
}

func TestABrokenOtherFileIsReportedOnceAndItsPartsAreLeftOut(t *testing.T) {
	doc, ds, err := load(memory{
		"a.yaml": header + "paths: {/a: {$ref: b.yaml}, /b: {$ref: b.yaml}, /c: {post: {x-idempotency: {scope: [tenant]}}}}",
		"b.yaml": "post: [\n",
	}, "a.yaml", Options{})
	require.NoError(t, err)
	assert.Equal(t, "b.yaml:1:8: error: did not find expected node content while parsing a flow node [IDG101]\n", short(ds))
	assert.Len(t, doc.Operations, 1)
}

func TestFaultsOutsideOfWhatIsNeededStopNobody(t *testing.T) {
	loadText(t, `
paths:
  /a:
    post:
      x-idempotency: {scope: [tenant]}
      description: 5
      tags: x
      responses:
        "200": {content: {application/json: {schema: {$ref: '#/nowhere'}}}}
  /b:
    put:
      parameters: [{$ref: '#/nowhere'}, x]
      requestBody: {content: {a/b: {schema: {$ref: https://example.com/}, type: 5}}}
components:
  schemas: {Bad: {type: 7, properties: [x], $ref: nowhere.yaml}}
`)
}

// The commonest mistake of all: the short form on the path item, with nothing annotated below it.
func TestDefaultsAreReadWhereNothingIsAnnotated(t *testing.T) {
	_, ds, err := load(memory{"a.yaml": header + "paths:\n  /a:\n    x-idempotency: required\n    post: {}\n"}, "a.yaml", Options{})
	require.NoError(t, err)
	assert.Equal(t, "a.yaml:5:20: error: required is said of an operation; here stand defaults for the operations below, "+
		"as an object [IDG224]\n", short(ds))
}
