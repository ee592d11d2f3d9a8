package generator

import "github.com/idemgen/idemgen/openapi/diag"

// expected says for each public document what becomes of it.
var expected = map[string]expectation{
	"oai-uber-swagger-2.0.yaml": {code: diag.Swagger2, why: "Swagger 2.0"},
}
