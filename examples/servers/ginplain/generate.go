// Package ginplain serves the API by a plain server of oapi-codegen on gin: its handlers write their responses by themselves.
package ginplain

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config api/oapi-codegen.yaml ../payments.yaml
//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate ../payments.yaml --server ./api --bind bind
