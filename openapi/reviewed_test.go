package openapi

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What reviewers look at beside the request: answers, calls to others, patterns, security schemes.
func TestWhatIsReviewedBesideTheRequest(t *testing.T) {
	from := memory{"a.yaml": `openapi: 3.1.0
info: {title: Reviewed, version: "1"}
paths:
  /a:
    post:
      x-idempotency: {scope: [tenant]}
      callbacks:
        done: {"{$request.body#/url}": {post: {responses: {"200": {description: OK}}}}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                plain: {type: string}
                odd: {type: string, pattern: "(?!x)y"}
                maybe: {anyOf: [{type: string, pattern: "z"}, {type: "null"}]}
      responses: {"201": {description: Created}, 4XX: {description: Refused}, default: {description: Else}, x-note: 1}
    patch:
      x-idempotency: {scope: [tenant]}
components:
  securitySchemes: {oauth: {type: oauth2}, key: {type: apiKey}}
`}
	doc, ds, err := load(from, "a.yaml", Options{})
	require.NoError(t, err)
	require.Empty(t, ds.All())
	assert.Equal(t, []string{"oauth", "key"}, doc.SecuritySchemes)
	require.Len(t, doc.Operations, 2)
	post, patch := doc.Operations[0], doc.Operations[1]
	assert.Equal(t, []string{"201", "4XX", "default"}, post.Responses.Codes)
	assert.Equal(t, "a.yaml:18:7", post.Responses.Pos.String())
	assert.Equal(t, "a.yaml:8:9", post.Calls.String())
	assert.Zero(t, patch.Responses)
	assert.Zero(t, patch.Calls)
	properties := post.Body.Media[0].Schema.Properties
	assert.Zero(t, properties[0].Schema.PatternPos)
	assert.Equal(t, "a.yaml:16:46", properties[1].Schema.PatternPos.String())
	assert.Equal(t, "a.yaml:17:57", properties[2].Schema.PatternPos.String(), "of what is it or null")
}
