package config

import "github.com/idemgen/idemgen/openapi"

// Schema gives the JSON Schema of idemgen.yaml.
func Schema() ([]byte, error) {
	s := objectSchema(configMembers(&Config{}))
	s["$schema"] = openapi.SchemaDialect
	s["title"] = Name
	return openapi.SchemaText(s)
}
