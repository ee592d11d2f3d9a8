package propose_test

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/propose"
	"github.com/idemgen/idemgen/openapi"
)

func ExampleNew() {
	doc, _, err := openapi.Load("payments.yaml", openapi.Options{
		Texts: map[string][]byte{"payments.yaml": []byte(`openapi: 3.1.0
info: {title: Payments, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /payments:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: string}, to: {type: string}}}}}}
`)},
		Suppose: func(openapi.Candidate) bool { return true },
	})
	if err != nil {
		panic(err)
	}
	api, _ := contract.Build(doc, contract.Options{Base: "payments"})
	draft := propose.New(doc.Candidates[0], doc.Operations[0], api.Contracts[0])
	fmt.Printf("%s", propose.Text(draft.Lines("x-idempotency")))
	// Output:
	// x-idempotency:
	//   fingerprint:
	//     fields:
	//       - body.amount: decimal  # one amount however it is written: 10, 10.0, "10.00"
	//       - body.to
	//     unknown: include  # undeclared members count; `reject` answers them with 400
}
