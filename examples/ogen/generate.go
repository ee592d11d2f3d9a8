package ogen

//go:generate go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 --clean --target api --package api --config ogen.yaml ../payments/openapi.yaml
//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate ../payments/openapi.yaml --server ./api --bind bind
