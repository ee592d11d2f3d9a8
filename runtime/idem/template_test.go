package idem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTemplateMatchesTheEndOfAPath(t *testing.T) {
	cases := []struct {
		name, template, path string
		want                 []string // nil: no match
	}{
		{"parameter", "/payments/{id}", "/payments/p1", []string{"p1"}},
		{"below a prefix", "/payments/{id}", "/tenants/7/v1/payments/p1", []string{"p1"}},
		{"two parameters", "/accounts/{a}/payments/{id}", "/v1/accounts/x/payments/y", []string{"x", "y"}},
		{"escaped slash stays in the value", "/payments/{id}", "/payments/a%2Fb", []string{"a/b"}},
		{"escaped percent", "/payments/{id}", "/payments/a%252Fb", []string{"a%2Fb"}},
		{"plus is a plus", "/payments/{id}", "/payments/a+b", []string{"a+b"}},
		{"non-ASCII", "/payments/{id}", "/payments/%C3%A9", []string{"é"}},
		{"extension", "/payments/{id}.json", "/payments/p1.json", []string{"p1"}},
		{"dots before the extension", "/payments/{id}.json", "/payments/p.1.json.json", []string{"p.1.json"}},
		{"extension missing", "/payments/{id}.json", "/payments/p1", nil},
		{"nothing before the extension", "/payments/{id}.json", "/payments/.json", nil},
		{"verb", "/payments/{id}:capture", "/payments/p1:capture", []string{"p1"}},
		{"another verb", "/payments/{id}:capture", "/payments/p1:cancel", nil},
		{"escaped colon is no verb", "/payments/{id}:capture", "/payments/p1%3Acapture", nil},
		{"colon within the value", "/payments/{id}:capture", "/payments/a:b:capture", []string{"a:b"}},
		{"literal before and after", "/v{major}.{minor}/x", "/v1.2/x", []string{"1", "2"}},
		{"literal between is missing", "/v{major}.{minor}/x", "/v12/x", nil},
		{"name with hyphen and dot", "/payments/{payment-id.v1}", "/payments/p1", []string{"p1"}},
		{"empty value", "/payments/{id}/capture", "/payments//capture", nil},
		{"too few segments", "/accounts/{a}/payments/{id}", "/payments/y", nil},
		{"trailing slash", "/payments/{id}", "/payments/p1/", nil},
		{"trailing slash in the template", "/payments/{id}/", "/payments/p1/", []string{"p1"}},
		{"another literal", "/payments/{id}", "/refunds/p1", nil},
		{"literals are case-sensitive", "/payments/{id}", "/Payments/p1", nil},
		{"escaped literal", "/my payments/{id}", "/my%20payments/p1", []string{"p1"}},
		{"escaped in the template", "/my%20payments/{id}", "/my%20payments/p1", []string{"p1"}},
		{"no parameter: anywhere", "/payments", "/elsewhere", []string{}},
		{"root", "/", "", []string{}},
		{"dot segments are values", "/payments/{id}", "/payments/..", []string{".."}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			compiled, err := parseTemplate(c.template)
			require.NoError(t, err)
			values, ok := compiled.matchSuffix(c.path)
			require.Equal(t, c.want != nil, ok, "%q", values)
			if ok {
				assert.Equal(t, c.want, append([]string{}, values...))
			}
		})
	}
}

func TestTemplateThatIsMalformed(t *testing.T) {
	for _, path := range []string{"", "payments", "/{", "/{}", "/{a", "/a}", "/{a}}", "/{{a}}", "/{a}{b}"} {
		_, err := parseTemplate(path)
		assert.Error(t, err, path)
	}
}

func TestRouterOfAWholeAPI(t *testing.T) {
	r := newRouter("/v1/")
	plans := map[string]*plan{}
	add := func(method, path string) {
		compiled, err := parseTemplate(path)
		require.NoError(t, err)
		plans[method+" "+path] = &plan{op: &Operation{Name: method + " " + path}}
		r.add(method, compiled, plans[method+" "+path])
	}
	add("POST", "/a/{x}/b")
	add("POST", "/a/c/{y}")
	add("POST", "/payments")
	add("POST", "/payments/{id}")
	add("POST", "/payments/{id}.json")
	add("POST", "/payments/{id}:capture")
	add("POST", "/")
	add("GET", "/reports")
	add("PUT", "/items/{id}")
	search, err := parseTemplate("/payments/search")
	require.NoError(t, err)
	r.add("POST", search, nil) // declared without an annotation

	cases := []struct {
		name, method, path, want string
		values                   []string
	}{
		{"literal wins at the first difference", "POST", "/v1/a/c/b", "POST /a/c/{y}", []string{"b"}},
		{"only one fits", "POST", "/v1/a/d/b", "POST /a/{x}/b", []string{"d"}},
		{"mixture wins over a parameter", "POST", "/v1/payments/p.json", "POST /payments/{id}.json", []string{"p"}},
		{"verb", "POST", "/v1/payments/p:capture", "POST /payments/{id}:capture", []string{"p"}},
		{"plain", "POST", "/v1/payments/p", "POST /payments/{id}", []string{"p"}},
		{"a literal that is not annotated", "POST", "/v1/payments/search", "", nil},
		{"escaped slash", "POST", "/v1/payments/a%2Fb", "POST /payments/{id}", []string{"a/b"}},
		{"root", "POST", "/v1/", "POST /", nil},
		{"base path without a slash", "POST", "/v1", "", nil},
		{"base path is no prefix of a word", "POST", "/v10/payments", "", nil},
		{"outside of the base path", "POST", "/payments", "", nil},
		{"below another prefix", "POST", "/x/v1/payments", "", nil},
		{"trailing slash", "POST", "/v1/payments/", "", nil},
		{"double slash", "POST", "/v1//payments", "", nil},
		{"another method", "DELETE", "/v1/payments", "", nil},
		{"HEAD is answered by GET", "HEAD", "/v1/reports", "GET /reports", nil},
		{"HEAD is not answered by PUT", "HEAD", "/v1/items/1", "", nil},
		{"asterisk form", "OPTIONS", "*", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found, values := r.match(c.method, c.path)
			if c.want == "" {
				require.Nil(t, found)
				return
			}
			require.NotNil(t, found)
			assert.Equal(t, c.want, found.op.Name)
			assert.Equal(t, append([]string{}, c.values...), append([]string{}, values...))
		})
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("/a/{b}.json", "/a/x.json")
	f.Add("/{a}:{b}/", "/%zz:%41/")
	f.Fuzz(func(t *testing.T, path, request string) {
		compiled, err := parseTemplate(path)
		if err != nil {
			return
		}
		if values, ok := compiled.matchSuffix(request); ok && len(values) != len(compiled.names) {
			t.Fatalf("%q on %q gave %d values for %d names", path, request, len(values), len(compiled.names))
		}
	})
}
