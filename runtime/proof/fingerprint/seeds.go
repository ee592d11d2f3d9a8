package fingerprint

import (
	"strconv"
	"strings"
)

// Seeds are bodies that a contract of Contracts accepts, by its name. Mutations begin with them.
func Seeds(contract string) []string {
	return map[string][]string{
		"createOrder": {
			`{"id":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","amount":{"value":"10.00","currency":"eur"}}`,
			`{"amount":{"currency":"EUR","value":1e1},"id":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","items":[{"sku":"a\u00e9","qty":"3","tags":["b","a","b"]},` +
				`{"price":{"value":0.50,"currency":"EUR"},"sku":""}],"at":"2026-11-30T09:00:00.120+01:00","labels":{"b":"2","a":"1"},"note":[1,{"x":null}],"trace":-1.5e3}`,
		},
		"leaves": {
			`{"uuid":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","instant":"2024-02-29t23:59:59.000000001-00:30","int":-0,"exact":"\ud83d\ude02\/\n","generic":{"b":[1.50,"1.5",null],"a":{}},` +
				`"double":1E-7,"decimal":"-12.3400e-2","boolean":false,"base64":"AQI=","ascii-upper":"aé\u017f","ascii-trim":"\t a \f","ascii-lower":"AÉK","digest":"\u00e9"}`,
			`{"int":"12345678901234567890123456789012345678","decimal":99999999999999999999999999999999999999e38,"double":1.7976931348623157e308,"generic":-0.0}`,
			`{"base64":"","exact":"","ascii-trim":"","instant":"0000-01-01T00:00:00Z","generic":0e0,"double":5e-324}`,
		},
		"nulls": {
			`null`, `{}`,
			`{"absentArray":null,"absentGeneric":null,"absentLeaf":null,"absentMap":null,"absentObject":null,"absentZero":null,"distinctArray":null,"distinctGeneric":null,` +
				`"distinctLeaf":null,"distinctMap":null,"distinctObject":null,"distinctZero":null,"refusedGeneric":null}`,
			`{"refusedMap":{"a":"b"},"refusedObject":{"x":1},"refusedArray":["b",null,"a",null],"distinctMap":{"b":null,"a":"1"},"absentMap":{"b":null,"a":"x","c":null},"absentZero":5,"refusedLeaf":"1.0"}`,
		},
		"defaults": {
			`{"g":"","f":0}`, `{"g":"x","f":[],"e":null,"d":{"k":"K"},"c":{"m":false,"k":"v","new":1.0},"b":["Y","x"],"a":"1","other":{"q":[]}}`,
			`{"z":"é","g":"x","f":{"a":1},"b":[],"e":"null","yy":1,"y":2}`,
		},
		"ignoring": {
			`{}`, `{"mask":"a","kind":{"free":[1]},"Skip":{"a":{}},"more":1e999,"stack":[{"s":"1","t":2},{}]}`,
			`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}}`,
		},
		"including": {
			`{}`, `{"zz":1,"mask":"a","kind":{"free":[1,{"a":0.10}]},"Skip":{"a":{}},"more":1e3,"stack":[{"t":2,"s":"1"},{},{"s":"1","t":2}],"ümlaut":-7,"\ufb33":1,"😂":2}`,
		},
		"mapped": {
			`{}`, `{"b":" x ","a":"\u0020y","maps":{"q":{"z":[1],"a":["2"]},"p":{}},"skip":[],"mixed":{"sum":1,"b":2.50,"unit":"kg","a":"3"},"objects":{"x":{"at":"2026-01-01T00:00:00Z"},"w":null}}`,
			`{"mixed":{"a":1,"sum":"2"},"\ufb33":"1","😂":"2","\u00e9":"3","":"4"}`,
		},
		"arrays": {
			`{}`, `{"deep":[[[[1],[2,1]],[[1]]],[],[[[]],[]]],"points":[{"x":1,"y":2},{"y":2.0,"x":1e0},{"x":1}],"bag":[1.0,null,1,null,"0.1"],"any":[1,"1",{"a":1},[1],null,true,1.0],` +
				`"times":["2026-01-01T01:00:00+01:00","2026-01-01T00:00:00Z"],"maps":[{"b":"x","a":"y"},{"a":"Y","b":"X"}]}`,
			`{"bag":[13,12,11,10,9,8,7,6,5,4,3,2,1,1,1.0,1e0,123456789,123456780]}`,
		},
		"free": {
			`5`, `"5"`, `{"number":"5"}`, `[[],{},{"b":1,"a":[true,false,null]}]`, `{"b":{"c":{"d":[1.10]}},"a":"\u0000\u001f\u007f"}`,
			`{"j":1,"i":2,"h":3,"g":4,"f":5,"e":6,"d":7,"c":8,"b":9,"a":10,"m":1,"l":2,"k":3}`,
		},
		"list":   {`[]`, `["a",null,"a"]`, ` [ "\u0061" , "b" ] `},
		"params": {``, `{}`},
		"tree": {
			`{}`, `{"next":{"next":{"id":"x"},"id":"y"},"kids":[{"id":"b"},{"id":"a","kids":[{},{}]}],"named":{"b":{"id":"1"},"a":{}},"id":"top"}`,
			strings.Repeat(`{"next":`, 127) + `{}` + strings.Repeat(`}`, 127),
		},
		"names": {
			`{}`, `{"x":{"😂":"1","\ufb33":"2","\ue000":"3","é":"4","":"5","\n":"6","/":"7","a":"8","aa":"9","\u2028":"10","\udbff\udfff":"11"},"w":{"\u005c":"1","\"":"2","A1":"3"}}`,
		},
		"unions": {
			`{}`, `[]`, `[{"type":"card","number":"1"},{"iban":"de1","type":"b\u00e4nk"},null]`, `{"by":{"number":"4","type":"card"},"amount":1.50}`, `{"amount":"1.50"}`, `{"amount":null,"by":null}`,
			`{"amount":[{"type":"bänk","x":1},{"x":1.0,"type":"bänk"},{"type":"card"}],"named":{"b":{"type":"card"},"a":null}}`, `{"amount":true}`,
			`{"by":{"iban":"x","other":{"iban":"y","other":{"other":{"iban":"long enough to be remembered, and a little longer than that","type":"bänk"},"type":"bänk"},"type":"bänk"},"type":"bänk"}}`,
		},
		"content": {`""`, `"\u00e9"`},
		"wide":    {wideBody(40, 7), wideBody(60, 23), wideBody(400, 149)},
	}[contract]
}

// wideBody has members in an order that is far from the canonical one. step and count have no common divisor.
func wideBody(count, step int) string {
	members := make([]string, count)
	for i := range members {
		members[i] = `"member` + strconv.Itoa(i*step%count) + `":` + strconv.Itoa(i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// ContentTypes are what a JSON body may be sent as, and what it may not.
func ContentTypes() []string {
	return []string{
		"application/json", "", "application/json; charset=utf-8", `Application/JSON ;charset="UTF-8"`, "application/merge-patch+json", "application/json;charset=latin1",
		"text/plain", "+json", "a/+json", "application/json;q=\"a;charset=x\";charset=utf-8", "application/jsonx", ";charset=utf-8", "application/j\u017fon", " application/json\t",
		"application/json; charset", "application/json;;", "application/ld+json;CHARSET=utf8", "application/json, text/plain",
	}
}
