// Package ogenserver serves the API by a server of ogen.
package ogenserver

//go:generate go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 --config ogen.yaml --target api --package api --clean ../payments.yaml
//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate ../payments.yaml --server ./api --bind bind
