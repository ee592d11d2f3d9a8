package agreement

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	recursive "github.com/idemgen/idemgen/golden/pipeline/recursive-schemas/openapiidem"
	bymember "github.com/idemgen/idemgen/golden/pipeline/union-by-member/openapiidem"
	bytype "github.com/idemgen/idemgen/golden/pipeline/union-by-type/openapiidem"
)

func TestUnionByMember(t *testing.T) {
	op := &bymember.CreatePaymentOperation
	card := `{"body":{"amount":"5","method":{"visa":{"number":"4111","type":"visa"}}}}`
	hold(t, "union-by-member", op, []request{
		{body: `{"amount":5.0,"method":{"type":"visa","number":"4111"}}`, want: card},
		{body: `{"method":{"number":"4111","note":{"any":1},"ty\u0070e":"v\u0069sa"},"amount":"5"}`, want: card},
		{body: `{"amount":5,"method":{"type":"mastercard","number":"4111"}}`,
			want: `{"body":{"amount":"5","method":{"mastercard":{"number":"4111","type":"mastercard"}}}}`},
		{body: `{"amount":5,"method":{"type":"SEPA \"direct\"","iban":"de02"}}`,
			want: `{"body":{"amount":"5","method":{"SEPA \"direct\"":{"iban":"DE02","type":"SEPA \"direct\""}}}}`},
		{body: `{"amount":5,"method":{"type":"visa","number":"1","expiry":"12/30"},"vouchers":[{"kind":"Gift","code":"b"},{"code":"a","rate":null,"kind":"Discount"},{"kind":"Gift","code":"b"}]}`,
			want: `{"body":{"amount":"5","method":{"visa":{"expiry":"12/30","number":"1","type":"visa"}},"vouchers":[{"Discount":{"code":"a","kind":"Discount"}},{"Gift":{"code":"b","kind":"Gift"}}]}}`},

		{body: `{"amount":5,"method":{"type":"Card","number":"1"}}`, refused: "body/method/type"}, // the mapping names the card otherwise
		{body: `{"amount":5,"method":{"number":"1"}}`, refused: "body/method/type"},
		{body: `{"amount":5,"method":{"type":null,"number":"1"}}`, refused: "body/method/type"},
		{body: `{"amount":5,"method":{"type":"visa","type":"visa","number":"1"}}`, refused: "body/method/type"},
		{body: `{"amount":5,"method":{"type":"visa","Type":"visa","number":"1"}}`, refused: "body/method/Type"},
		{body: `{"amount":5,"method":{"type":"visa"}}`, refused: "body/method/number"},
		{body: `{"amount":5,"method":{"type":"visa","number":"1","iban":"x"}}`, refused: "body/method/iban"},
		{body: `{"amount":5,"method":"visa"}`, refused: "body/method"},
		{body: `{"amount":5,"method":null}`, refused: "body/method"},
		{body: `{"amount":5}`, refused: "body/method"},
	})
	assert.Equal(t, []string{"body.method{mastercard,visa}.number"}, differ(t, op,
		`{"amount":5,"method":{"type":"visa","number":"1"}}`, `{"amount":5,"method":{"type":"visa","number":"2"}}`))
	assert.Contains(t, differ(t, op,
		`{"amount":5,"method":{"type":"visa","number":"1"}}`, `{"amount":5,"method":{"type":"mastercard","number":"1"}}`), "body.method{mastercard,visa}.type")
}

func TestUnionByType(t *testing.T) {
	hold(t, "union-by-type", &bytype.CreateTicketOperation, []request{
		{body: `{"customer":"0192A1B2-0000-7000-8000-00000000ABCD"}`, want: `{"body":{"customer":{"string":"0192a1b2-0000-7000-8000-00000000abcd"}}}`},
		{body: `{"customer":{"name":"A","age":3.0}}`, refused: "body/customer/age"},
		{body: `{"customer":{"name":"A","age":3}}`, want: `{"body":{"customer":{"object":{"age":"3","name":"A"}}}}`},
		{body: `{"customer":{"name":"A"},"priority":1,"amount":"1.0"}`, want: `{"body":{"amount":"1.0","customer":{"object":{"name":"A"}},"priority":{"number":"1"}}}`},
		{body: `{"customer":{"name":"A"},"priority":"1","extra":1}`, want: `{"body":{"customer":{"object":{"name":"A"}},"extra":{"number":"1"},"priority":{"string":"1"}}}`},
		{body: `{"customer":{"name":"A"},"priority":null}`, want: `{"body":{"customer":{"object":{"name":"A"}},"priority":null}}`},
		{body: `{"customer":{"name":"A"},"answers":[true,1e1,["a"],{"x":1}]}`,
			want: `{"body":{"answers":[{"boolean":true},{"number":"10"},{"array":["a"]},{"object":{"object":{"x":{"number":"1"}}}}],"customer":{"object":{"name":"A"}}}}`},
		{body: `{"customer":["A"]}`, refused: "body/customer"},
		{body: `{"customer":null}`, refused: "body/customer"},
		{body: `{"customer":{}}`, refused: "body/customer/name"},
		{body: `{"customer":"A"}`, refused: "body/customer"},
		{body: `{"customer":{"name":"A"},"priority":1.5}`, refused: "body/priority"},
		{body: `{"customer":{"name":"A"},"answers":["a"]}`, refused: "body/answers/0"},
		{body: `{"customer":{"name":"A"},"answers":[[1]]}`, refused: "body/answers/0/0"},
	})
}

func TestRecursiveObject(t *testing.T) {
	op := &recursive.PutCategoryOperation
	hold(t, "recursive-schemas", op, []request{
		{body: `{"name":"A","note":1}`, want: `{"body":{"name":"a"}}`},
		{body: `{"name":"A","children":[{"name":"B","note":[],"children":[{"name":"C"}],"parent":null}]}`,
			want: `{"body":{"children":[{"children":[{"name":"c"}],"name":"b"}],"name":"a"}}`},
		{body: `{"parent":{"parent":{"name":"G","note":0},"name":"P"},"name":"a"}`, want: `{"body":{"name":"a","parent":{"name":"p","parent":{"name":"g"}}}}`},
		{body: `{"name":"a","byLocale":{"fr":{"name":"F","byLocale":{}},"de":{"name":"D"}}}`,
			want: `{"body":{"byLocale":{"de":{"name":"d"},"fr":{"byLocale":{},"name":"f"}},"name":"a"}}`},
		{body: `{"name":"a","children":[{"name":"b","children":[{}]}]}`, refused: "body/children/0/children/0/name"},
		{body: `{"name":"a","children":[null]}`, refused: "body/children/0"},
		{body: `{"name":"a","parent":{"name":"b","x":1}}`, refused: "body/parent/x"},
	})
	deep := func(n int) string {
		return strings.Repeat(`{"name":"a","parent":`, n) + `{"name":"a"}` + strings.Repeat("}", n)
	}
	hold(t, "recursive-schemas", op, []request{
		{body: deep(127), want: `{"body":` + strings.Repeat(`{"name":"a","parent":`, 127) + `{"name":"a"}` + strings.Repeat("}", 127) + `}`},
		{body: deep(128), refused: "body" + strings.Repeat("/parent", 128)},
	})
	assert.Equal(t, []string{"body.children[]", "body.name"}, differ(t, op,
		`{"name":"a","children":[{"name":"b","children":[{"name":"c"}]}]}`, `{"name":"a","children":[{"name":"b","children":[{"name":"d"}]}]}`),
		"a field is the same one at every turn")
}

func TestRecursionThroughEverything(t *testing.T) {
	hold(t, "recursive-schemas", &recursive.CreateRuleOperation, []request{
		{body: `{"when":{"op":"not","of":{"op":"not","of":{"op":"eq","path":"x"}}}}`,
			want: `{"body":{"when":{"not":{"of":{"not":{"of":{"eq":{"op":"eq","path":"x"}},"op":"not"}},"op":"not"}}}}`},
		{body: `{"when":{"op":"not","of":{"op":"or","of":{}}}}`, refused: "body/when/of/op"},
		{body: `{"grid":[[],[[]]]}`, want: `{"body":{"grid":[[],[[]]]}}`},
		{body: `{"grid":[[1]]}`, refused: "body/grid/0/0"},
		{body: `{"value":[1,"1",{"a":[{}]}]}`, want: `{"body":{"value":{"array":[{"number":"1"},{"string":"1"},{"object":{"a":{"array":[{"object":{}}]}}}]}}}`},
		{body: `{"value":{"a":{"b":true}}}`, refused: "body/value/a/b"},
		{body: `{"left":{"n":1,"right":{"s":"x","left":{"n":2,"right":{"left":{}}}}}}`, want: `{"body":{"left":{"n":"1","right":{"left":{"n":"2","right":{"left":{}}},"s":"x"}}}}`},
		{body: `{"left":{"right":{"left":{"right":{"s":1}}}}}`, refused: "body/left/right/left/right/s"},
	})
}
