package openapi_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "openapi")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "openapi.yaml")
	text := `openapi: 3.1.0
info: {title: Payments, version: "1"}
paths:
  /payments:
    post:
      x-idempotency: {scope: [tenant]}
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {amount: {type: string, format: decimal}}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	doc, findings, err := openapi.Load(file, openapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := (diag.ShortPrinter{}).Print(os.Stdout, findings.All()); err != nil {
		fmt.Println(err)
	}
	for _, op := range doc.Operations {
		fmt.Println(op.Method, op.Path)
		for _, p := range op.Body.Media[0].Schema.Properties {
			fmt.Printf("line %d: %s %s\n", p.Pos.Line, p.Name, p.Schema.Format)
		}
	}
	// Output:
	// POST /payments
	// line 10: amount decimal
}
