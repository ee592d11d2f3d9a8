package gogen

import "github.com/idemgen/idemgen/generator/contract"

// File is one generated file.
type File struct {
	Name    string // without a folder: createpayment.gen.go
	Content []byte // gofmt clean
}

// Generate emits the Go package of api, files sorted by name. source is the document's name for the header, without a folder.
func Generate(api *contract.API, source string) ([]File, error) {
	panic("gogen: Generate is built in this slice")
}
