package canon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

var everyBody = canon.BodySpec{
	Required: true,
	Accepts:  []canon.Media{canon.JSON, canon.Form, canon.Multipart, canon.Text, canon.Octets},
	Types:    []string{"image/*", "application/pdf"},
	Parts:    []canon.Part{{Name: "file", Kind: canon.FilePart}, {Name: "meta", Kind: canon.JSONPart}, {Name: "items", Kind: canon.JSONPart}},
}

const formType = "application/x-www-form-urlencoded"

// readAs gives the canonical text of a body of a media type, without the member around it, or the refusal.
func readAs(t testing.TB, contentType, body string, value func(*canon.Scanner)) (string, *canon.Refusal) {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte(body), ContentType: contentType})
	if s.OpenBody(&everyBody) != canon.NoBody {
		value(s)
	}
	return finish(t, s)
}

func readForm(t testing.TB, body string, value func(*canon.Scanner)) (string, *canon.Refusal) {
	t.Helper()
	return readAs(t, formType, body, value)
}

// paymentForm is the body of the busy request as a form, as far as a form can say it.
const paymentForm = "order=A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11&amount[value]=1.50e1&amount%5Bx%5D=y&amount[currency]=eur" +
	"&labels[z]=1&labels[%F0%9F%98%82]=laugh&labels[a%0A]=A/&labels[%C3%A9]=%C3%A8&blob=QQ==&flag=true" +
	"&items[0][tags][]=b&items[0][tags][]=a&items[0][tags][]=b&items[0][sku]=s&items[0][quantity]=-0&items[0][z][q]=x+y" +
	"&items[1][sku]=&items[1][tags]=t&sentAt[c]=1&rate=1e21&at=2024-03-01t00:30:00.120%2B01:00&meta[b]=1&meta[a][]=2&note="

const paymentFormAsJSON = `{"order":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","amount":{"value":"1.50e1","x":"y","currency":"eur"},
	"labels":{"z":"1","😂":"laugh","a\n":"A/","é":"è"},"blob":"QQ==","flag":true,
	"items":[{"tags":["b","a","b"],"sku":"s","quantity":"-0","z":{"q":"x y"}},{"sku":"","tags":["t"]}],
	"sentAt":{"c":"1"},"rate":1e21,"at":"2024-03-01t00:30:00.120+01:00","meta":{"b":"1","a":["2"]},"note":""}`

// One command has one canonical text, whether it is sent as a form or as JSON.
func TestFormIsJSON(t *testing.T) {
	want, refusal := read(t, paymentFormAsJSON, scanPayment)
	require.Nil(t, refusal)
	got, refusal := readForm(t, paymentForm, scanPayment)
	require.Nil(t, refusal)
	assert.Equal(t, want, got)

	pieces := strings.Split(paymentForm, "&")
	for i := range pieces { // the order of names does not count, but within items[0][tags][]
		if strings.Contains(pieces[i], "[]") {
			continue
		}
		moved := append(append([]string{pieces[i]}, pieces[:i]...), pieces[i+1:]...)
		got, refusal := readForm(t, strings.Join(moved, "&"), scanPayment)
		require.Nil(t, refusal)
		assert.Equal(t, want, got, pieces[i])
	}
}

func aList(value func(*canon.Scanner)) func(*canon.Scanner) {
	return func(s *canon.Scanner) {
		a := s.Array(canon.List, -1)
		for s.Element(&a) {
			value(s)
		}
	}
}

func aSet(s *canon.Scanner) {
	a := s.Array(canon.Set, -1)
	for s.Element(&a) {
		s.Exact(-1)
	}
}

func aMap(value func(*canon.Scanner)) func(*canon.Scanner) {
	return func(s *canon.Scanner) {
		o := s.Map(nil)
		for s.Next(&o) {
			s.Entry(&o)
			value(s)
		}
	}
}

func TestForms(t *testing.T) {
	exact := leaf(canon.Exact)
	tests := []struct {
		name, body string
		value      func(*canon.Scanner)
		want       string
	}{
		{"plus and %20", "a=b+c&d=b%20c&e=b%2Bc", aMap(exact), `{"a":"b c","d":"b c","e":"b+c"}`},
		{"names are decoded", "a+b=1&%61=2", aMap(exact), `{"a":"2","a b":"1"}`},
		{"a, a= and an empty piece", "a&b=&&c=%20&", aMap(exact), `{"a":"","b":"","c":" "}`},
		{"only empty pieces", "&", aMap(exact), `{}`},
		{"an empty name", "=x", aMap(exact), `{"":"x"}`},
		{"a semicolon divides nothing", "a=1;b=2", aMap(exact), `{"a":"1;b=2"}`},
		{"only the first equals sign divides", "a=b=c", aMap(exact), `{"a":"b=c"}`},
		{"what JSON escapes", "a%22%5C%00%01=%22%5C%00%0A", aMap(exact), "{\"a\\\"\\\\\\u0000\\u0001\":\"\\\"\\\\\\u0000\\n\"}"},
		{"NFC and NFD stay different", "%C3%A9=1&e%CC%81=2", aMap(exact), "{\"e\u0301\":\"2\",\"é\":\"1\"}"},
		{"bytes above ASCII as they are", "é=è", aMap(exact), `{"é":"è"}`},
		{"order by UTF-16", "%EF%AC%B3=1&%F0%9F%98%82=2", aMap(exact), "{\"😂\":\"2\",\"\ufb33\":\"1\"}"},
		{"numbers of a map", "10=a&9=b&x=c&09=d", aMap(exact), `{"09":"d","10":"a","9":"b","x":"c"}`},
		{"a repeated name", "a=2&b=x&a=1", aMap(aList(exact)), `{"a":["2","1"],"b":["x"]}`},
		{"a name with []", "a[]=2&a[]=1&b[]=", aMap(aList(exact)), `{"a":["2","1"],"b":[""]}`},
		{"indexes", "a[1]=y&a[0]=x", aMap(aList(exact)), `{"a":["x","y"]}`},
		{"eleven indexes", "a[10]=k&a[9]=j&a[8]=i&a[7]=h&a[6]=g&a[5]=f&a[4]=e&a[3]=d&a[2]=c&a[1]=b&a[0]=a", aMap(aList(exact)),
			`{"a":["a","b","c","d","e","f","g","h","i","j","k"]}`},
		{"arrays in arrays", "a[0][]=x&a[0][]=y&a[1]=z&b=w&c[]=v", aMap(aList(aList(exact))), `{"a":[["x","y"],["z"]],"b":[["w"]],"c":[["v"]]}`},
		{"objects in arrays", "a[0][x]=1&a[1][x]=2&a[0][y]=3", aMap(aList(aMap(exact))), `{"a":[{"x":"1","y":"3"},{"x":"2"}]}`},
		{"a set", "a=2&a=1&a=2", aMap(aSet), `{"a":["1","2"]}`},
		{"a set of one", "a=2", aMap(aSet), `{"a":["2"]}`},
		{"a set with indexes", "a[0]=2&a[1]=1&a[2]=2", aMap(aSet), `{"a":["1","2"]}`},
		{"a body with indexes", "1=b&0=a", aList(exact), `["a","b"]`},
		{"nested names", "a[b][c]=1&a[b][d]=2&a[e]=3", aMap(leaf(canon.Generic)), `{"a":{"object":{"b":{"object":{"c":"1","d":"2"}},"e":"3"}}}`},
		{"generic indexes are names", "a[0]=1&a[1]=2&b=3&b=4", leaf(canon.Generic), `{"object":{"a":{"object":{"0":"1","1":"2"}},"b":["3","4"]}}`},
		{"generic takes text", "a=true&b=5&c=null", leaf(canon.Generic), `{"object":{"a":"true","b":"5","c":"null"}}`},
		{"int", "a=-0&b=12", aMap(leaf(canon.Int)), `{"a":"0","b":"12"}`},
		{"decimal", "a=10.00&b=1e1&c=10", aMap(leaf(canon.Decimal)), `{"a":"10","b":"10","c":"10"}`},
		{"double", "a=1e21&b=0.1", aMap(leaf(canon.Double)), `{"a":"1e+21","b":"0.1"}`},
		{"boolean", "a=true&b=false", aMap(leaf(canon.Boolean)), `{"a":true,"b":false}`},
		{"instant", "a=2024-03-01T00:30:00.120%2B01:00", aMap(leaf(canon.Instant)), `{"a":"2024-02-29T23:30:00.12Z"}`},
		{"uuid", "a=A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", aMap(leaf(canon.UUID)), `{"a":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}`},
		{"base64", "a=Pz%2B%2F", aMap(leaf(canon.Base64)), `{"a":"Pz+/"}`},
		{"ascii-lower", "a=%C3%89A", aMap(leaf(canon.ASCIILower)), `{"a":"Éa"}`},
		{"digest", "a=abc", aMap(contentDigest), `{"a":"` + digestOfABC + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := readForm(t, tt.body, tt.value)
			require.Nil(t, refusal)
			assert.Equal(t, tt.want, got)
		})
	}
}

func contentDigest(s *canon.Scanner) { s.ContentDigest(-1) }

const digestOfABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad:3"

func TestFormsRefused(t *testing.T) {
	exact := leaf(canon.Exact)
	tests := []struct {
		name, body string
		value      func(*canon.Scanner)
		why        string
	}{
		{"half an escape in a value", "x=1&a[b]=%4", aMap(aMap(exact)), "body/a/b (byte 9): a percent sign without two hexadecimal digits"},
		{"a bad escape in a name", "a=1&%zz=2", aMap(exact), "body (byte 4): a percent sign without two hexadecimal digits"},
		{"a bad escape in an ignored value", "a=%zz", ignoreAll, "body/a (byte 2): a percent sign without two hexadecimal digits"},
		{"invalid UTF-8 in a value", "a[0]=x&a[1]=%ff", aMap(aList(exact)), "body/a/1 (byte 12): invalid UTF-8"},
		{"a surrogate", "a=%ED%A0%80", aMap(exact), "body/a (byte 2): invalid UTF-8"},
		{"invalid UTF-8 in a name", "a=1&b%ff=1", aMap(exact), "body (byte 4): invalid UTF-8"},
		{"a scalar and an object", "a=1&b=2&a[c]=3", aMap(exact), "body/a: a name stands for a single value and for an object"},
		{"a list and an object", "a[]=1&a[c]=3", aMap(exact), "body/a: a name stands for a single value and for an object"},
		{"indexes and []", "a[0]=1&a[]=3", aMap(aList(exact)), "body/a: a name stands for a single value and for an object"},
		{"with and without []", "a[]=1&a=3", aMap(aList(exact)), "body/a/1: a name stands with and without []"},
		{"a gap", "a[0]=1&a[2]=3", aMap(aList(exact)), "body/a/2: the indexes of an array do not run from 0 without a gap"},
		{"not from 0", "a[1]=1", aMap(aList(exact)), "body/a/1: the indexes of an array do not run from 0 without a gap"},
		{"an index and a name", "a[0]=1&a[x]=3", aMap(aList(exact)), "body/a/x: the indexes of an array do not run from 0 without a gap"},
		{"an index with a zero", "a[00]=1", aMap(aList(exact)), "body/a/00: the indexes of an array do not run from 0 without a gap"},
		{"a huge index", "a[4294967296]=1", aMap(aList(exact)), "body/a/4294967296: the indexes of an array do not run from 0 without a gap"},
		{"an index twice", "a[0]=1&a[0]=2", aMap(aList(exact)), "body/a/0: a string is expected"},
		{"an array of names", "a[x]=1", aMap(aList(exact)), "body/a/x: the indexes of an array do not run from 0 without a gap"},
		{"an object in each []", "a[][x]=1", aMap(exact), "body (byte 0): only the end of a name may be []"},
		{"an open bracket", "x=1&a[b=1", aMap(exact), "body (byte 4): the brackets of a name do not match"},
		{"a closing bracket", "a]=1", aMap(exact), "body (byte 0): the brackets of a name do not match"},
		{"brackets in brackets", "a[b[c]]=1", aMap(exact), "body (byte 0): the brackets of a name do not match"},
		{"something after brackets", "a[b]c=1", aMap(exact), "body (byte 0): the brackets of a name do not match"},
		{"brackets alone", "[]=1", aMap(exact), "body (byte 0): the brackets of a name do not match"},
		{"a name in brackets alone", "[a]=1", aMap(exact), "body (byte 0): the brackets of a name do not match"},
		{"a repeated name that is no array", "a=1&a=1", aMap(exact), "body/a: a string is expected"},
		{"a list that is no array", "a[]=1", aMap(exact), "body/a: a string is expected"},
		{"an object that is none", "a=1", aMap(aMap(exact)), "body/a: an object is expected"},
		{"a member in another case", smallestForm + "&NOTE=x", scanPayment, "body/NOTE: the name differs from a declared one only in case"},
		{"an unknown member", smallestForm + "&x[y]=x", scanPayment, "body/x: the member is not declared"},
		{"a missing member", "amount[value]=1", scanPayment, "body/amount/currency: a required member is missing"},
		{"an empty number", "a=", aMap(leaf(canon.Int)), "body/a: an integer is expected"},
		{"an empty decimal", "a=", aMap(leaf(canon.Decimal)), "body/a: a number is expected"},
		{"an empty double", "a=", aMap(leaf(canon.Double)), "body/a: a number is expected"},
		{"blanks around a number", "a=+1", aMap(leaf(canon.Int)), "body/a: an integer is expected"},
		{"an integer with a fraction", "a=1.0", aMap(leaf(canon.Int)), "body/a: an integer is written without fraction and exponent"},
		{"an empty boolean", "a=", aMap(leaf(canon.Boolean)), "body/a: true or false is expected"},
		{"another boolean", "a=on", aMap(leaf(canon.Boolean)), "body/a: true or false is expected"},
		{"an infinite double", "a=1e999", aMap(leaf(canon.Double)), "body/a: a number beyond the range of a double"},
		{"an exponent bomb", "a=1e999999999", aMap(leaf(canon.Decimal)), "body/a: an exponent beyond 38"},
		{"too deep", "a" + strings.Repeat("[a]", 128) + "=1", ignoreAll, "body (byte 0): more than 128 levels of nesting"},
		{"a list too deep", "a" + strings.Repeat("[a]", 127) + "[]=1", ignoreAll, "body" + strings.Repeat("/a", 128) + ": more than 128 levels of nesting"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, refusal := readForm(t, tt.body, tt.value)
			require.NotNil(t, refusal)
			assert.EqualError(t, refusal, tt.why)
		})
	}
}

const smallestForm = "amount[value]=1&amount[currency]=EUR"

func TestFormOfTheDeepestKind(t *testing.T) {
	got, refusal := readForm(t, "a"+strings.Repeat("[a]", 127)+"=1", ignoreAll)
	require.Nil(t, refusal)
	assert.Equal(t, `{}`, got)
}

// A schema may be an array of itself: a single value is then an array without an end.
func TestEndlessArray(t *testing.T) {
	var endless func(*canon.Scanner)
	endless = func(s *canon.Scanner) { aList(endless)(s) }
	_, refusal := readForm(t, "a=1", aMap(endless))
	assert.EqualError(t, refusal, "body/a: more than 128 levels of nesting")
}

func TestLargeForms(t *testing.T) {
	var names, indexes, want strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&names, "n%d=&", i*37%100_000)
		fmt.Fprintf(&indexes, "a[%d]=%d&", 99_999-i, 99_999-i)
		fmt.Fprintf(&want, `,"%d"`, i)
	}
	got, refusal := readForm(t, names.String(), aMap(leaf(canon.Exact)))
	require.Nil(t, refusal)
	assert.Equal(t, 100_000, strings.Count(got, ":"))
	got, refusal = readForm(t, indexes.String(), aMap(aList(leaf(canon.Exact))))
	require.Nil(t, refusal)
	assert.Equal(t, `{"a":[`+want.String()[1:]+`]}`, got)
}
