package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/openapi"
)

func TestOthersAreTheRoutesThatAnAnnotatedTemplateCouldMatch(t *testing.T) {
	contracts := []*Contract{{Method: "POST", Path: "/payments/{id}"}, {Method: "POST", Path: "/a/{x}/b"}}
	routes := []openapi.Route{
		{Method: "POST", Path: "/payments/search"},
		{Method: "POST", Path: "/payments/{id}"},
		{Method: "GET", Path: "/payments/search"},
		{Method: "POST", Path: "/payments/search/more"},
		{Method: "POST", Path: "/payments/{id}.json"},
		{Method: "POST", Path: "/a/c/{y}"},
		{Method: "POST", Path: "/a/c/d"},
		{Method: "POST", Path: "/payments/search"},
	}
	assert.Equal(t, []openapi.Route{
		{Method: "POST", Path: "/a/c/{y}"},
		{Method: "POST", Path: "/payments/search"},
		{Method: "POST", Path: "/payments/{id}.json"},
	}, others(contracts, routes))
}
