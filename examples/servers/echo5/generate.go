// Package echo5server serves the API by a strict server of oapi-codegen on echo 5.
package echo5server

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config api/oapi-codegen.yaml ../payments.yaml
//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate ../payments.yaml --server ./api --bind bind
