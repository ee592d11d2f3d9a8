package diag_test

import (
	"fmt"
	"os"

	"github.com/idemgen/idemgen/openapi/diag"
)

func ExampleTextPrinter() {
	var ds diag.List
	ds.Add(diag.Diagnostic{
		Pos:  diag.Pos{File: "payments.yaml", Line: 2, Col: 7},
		Code: diag.RefMissing, Message: "the $ref points to nothing", Hint: "$ref: '#/components/schemas/Payment'",
	})
	read := func(string) ([]byte, error) {
		return []byte("schema:\n$ref: '#/components/schemas/Paymnt'\n"), nil // os.ReadFile in a program
	}
	if err := (diag.TextPrinter{Read: read}).Print(os.Stdout, ds.All()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// payments.yaml:2:7: error: the $ref points to nothing [IDG113]
	//     2 | $ref: '#/components/schemas/Paymnt'
	//       |       ^
	//   hint: $ref: '#/components/schemas/Payment'
}
