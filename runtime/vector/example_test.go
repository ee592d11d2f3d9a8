package vector_test

import (
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

func ExampleCheck() {
	contract := canon.Contract{Name: "createPayment", ID: "5d0c1f7a92b4e863", Accepts: []canon.Media{canon.JSON}, Body: &canon.Node{
		Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "amount", Node: &canon.Node{Kind: canon.LeafNode, As: canon.Decimal}}},
	}}
	vectors := []vector.Vector{
		{Name: "typical", Request: vector.Request{Body: `{"amount":10}`},
			Canonical: `{"body":{"amount":"10"}}`, SHA256: "5bc9419c317ab424871c5d5582cffa993a708fb1e93b2d48d74647c08d09fe1d"},
		{Name: "amount spelled otherwise", Like: "typical", Set: []vector.Change{{Path: "body.amount", JSON: "1e1"}}},
		{Name: "amount matters", Unlike: "typical", Set: []vector.Change{{Path: "body.amount", JSON: "10.01"}}},
		{Name: "amount is optional", Refused: "typical", Remove: []string{"body.amount"}},
	}
	faults := vector.Check(vectors, "/payments", func(r *canon.Request) (string, canon.Digest, error) {
		text, err := contract.Canonical(r)
		if err != nil {
			return "", canon.Digest{}, err
		}
		digest, err := contract.Digest(r)
		return string(text), digest, err
	})
	for _, f := range faults {
		fmt.Printf("%s: %s\n", f.Vector, f.Text)
	}
	// Output:
	// amount is optional: it must be refused, and is accepted
	//   canonical seen: {"body":{}}
}
