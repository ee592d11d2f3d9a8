package gogen_test

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// manyOperations is an API of n operations with three levels of objects and twelve leaves each.
func manyOperations(n int) *contract.API {
	contracts := make([]*contract.Contract, n)
	for i := range contracts {
		op := newContract(fmt.Sprintf("operation%04d", i), "POST", fmt.Sprintf("/things/{thingId}/%d", i))
		op.PathParams = []contract.CommandParam{{Name: "thingId", GoName: "ThingID", Type: plainType(contract.TypeString), Required: true}}
		op.Version.Params = []canon.Param{{In: canon.InPath, Name: "thingId", As: canon.Exact, Required: true, Field: 0}}
		body, t := level(op.GoName+"Body", 3)
		withBody(op, true, body, t, "path.thingId")
		contracts[i] = op
	}
	return newAPI("manyidem", contracts...)
}

func level(goName string, depth int) (*contract.Node, *contract.Type) {
	members := []contract.Member{
		required("amount", leaf(canon.Decimal, -1)), optional("created", leaf(canon.Instant, -1)),
		optional("currency", leaf(canon.Exact, -1)), optional("tags", array(canon.Set, -1, leaf(canon.Exact, -1))),
	}
	fields := []contract.TypeField{
		field("amount", "Amount", plainType(contract.TypeNumber)), optionalField("created", "Created", plainType(contract.TypeInstant)),
		optionalField("currency", "Currency", plainType(contract.TypeString)), optionalField("tags", "Tags", listOf(plainType(contract.TypeString))),
	}
	if depth > 1 {
		n, t := level(goName+"Inner", depth-1)
		members = append(members, optional("inner", n))
		fields = append(fields, optionalField("inner", "Inner", t))
	}
	return object(goName, canon.RejectUnknown, members...), structOf(goName, fields...)
}
