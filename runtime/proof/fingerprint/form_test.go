package fingerprint_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// pairs spells a JSON value as the pairs of a form. ok is false for what a form cannot say: null, an empty object, an empty array, and
// numbers and booleans too when they are not to become text.
func (n *draft) pairs(r *rand.Rand, name string, out []string) (pairs []string, ok bool) {
	switch n.open {
	case '{':
		for i, kid := range n.kids {
			var step string
			if json.Unmarshal([]byte(n.names[i]), &step) != nil || strings.ContainsAny(step, "[]") || step == "" {
				return nil, false
			}
			if name != "" {
				step = name + "[" + step + "]"
			}
			if out, ok = kid.pairs(r, step, out); !ok {
				return nil, false
			}
		}
		return out, name == "" || len(n.kids) > 0
	case '[':
		return n.elementPairs(r, name, out)
	}
	text := n.raw
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(n.raw), &text) != nil || slices.Contains([]string{"null", "{}", "[]"}, n.raw) {
		return nil, false
	}
	return append(out, encode(r, name)+"="+encode(r, text)), name != ""
}

// elementPairs spells an array: as a[], as a that is repeated, as a alone, or as a[0], a[1].
func (n *draft) elementPairs(r *rand.Rand, name string, out []string) (pairs []string, ok bool) {
	plain := name != ""
	for _, kid := range n.kids {
		plain = plain && kid.open == 0
	}
	style := r.IntN(3)
	for i, kid := range n.kids {
		step := name
		switch {
		case !plain || style == 0:
			step += "[" + strconv.Itoa(i) + "]"
			if name == "" {
				step = strconv.Itoa(i)
			}
		case style == 1:
			step += "[]"
		}
		if out, ok = kid.pairs(r, step, out); !ok {
			return nil, false
		}
	}
	return out, len(n.kids) > 0
}

// encode spells characters in a form.
func encode(r *rand.Rand, text string) string {
	switch r.IntN(4) {
	case 0:
		return strings.NewReplacer("%5B", "[", "%5D", "]").Replace(url.QueryEscape(text))
	case 1:
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	case 2:
		return strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", "=", "%3d", " ", "+").Replace(text)
	}
	return url.QueryEscape(text)
}

// shuffle keeps the order of pairs of one name.
func shuffle(r *rand.Rand, pairs []string) {
	name := func(i int) string {
		name, _, _ := strings.Cut(pairs[i], "=")
		plain, _ := url.QueryUnescape(name)
		return plain
	}
	for range 2 * len(pairs) {
		if i := r.IntN(len(pairs)); i > 0 && name(i) != name(i-1) {
			pairs[i], pairs[i-1] = pairs[i-1], pairs[i]
		}
	}
}

// The same command has one fingerprint, be it sent as JSON or as a form. A form says text for everything, so what counts by the type that
// was sent, free-form values and unions by type, is left out.
func TestFormEqualsJSON(t *testing.T) {
	compared := 0
	for i, c := range fingerprint.FormContracts() {
		if countsTypes(c.Body, map[*canon.Node]bool{}) {
			continue
		}
		driver := fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 3))
		seeds := fingerprint.Seeds(c.Name)
		for range 300 {
			root := parseDraft(seeds[r.IntN(len(seeds))])
			for range r.IntN(4) {
				root.change(r)
			}
			var body bytes.Buffer
			root.print(r, &body)
			pairs, ok := root.pairs(r, "", nil)
			text, err := c.Canonical(requestOf(body.Bytes(), "application/json", "", "", "x"))
			if err != nil || !ok || len(pairs) == 0 {
				continue
			}
			shuffle(r, pairs)
			form := requestOf([]byte(strings.Join(pairs, "&")), "application/x-www-form-urlencoded", "", "", "x")
			require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, form), "%s: %s", c.Name, form.Body)
			formText, err := c.Canonical(form)
			require.NoError(t, err, "%s: %s", c.Name, form.Body)
			require.Equal(t, string(text), string(formText), "%s: %s", c.Name, form.Body)
			compared++
		}
	}
	assert.Greater(t, compared, 200)
}

// countsTypes reports whether a value stands somewhere whose canonical text depends on the JSON type that was sent.
func countsTypes(n *canon.Node, seen map[*canon.Node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	found := n.As == canon.Generic || n.Unknown == canon.IncludeUnknown || n.Union != nil || countsTypes(n.Elem, seen)
	for _, m := range n.Members {
		found = found || countsTypes(m.Node, seen)
	}
	return found
}

// mutateForm gives a form that is near to a valid one.
func mutateForm(r *rand.Rand, seeds []string) []byte {
	root := parseDraft(seeds[r.IntN(len(seeds))])
	for range min(r.IntN(4), r.IntN(4)) {
		root.change(r)
	}
	pairs, _ := root.pairs(r, "", nil)
	if len(pairs) > 0 && r.IntN(2) == 0 {
		shuffle(r, pairs)
	}
	odd := []string{"", "=", "a", "a[]=", "a[]", "[]=1", "a]=1", "a[b", "a[b][]=1", "a[][b]=1", "a[%5D]=1", "a%5Bb%5D=1", "%", "a=%2", "a=%ff", "%ff=1", "a[0]=1", "a[1]=1", "a[00]=1",
		"a[0][b]=1", "mask=1", "MASK=1", "id[]=1", "a+b=1", "a=b=c", "%00=1", "a[%00]=1", "a[\x01]=1", "items[0][sku]=1", "items[2][sku]=1", "bag[]=1", "bag=1", "bag[10]=1", "kids[next]=1"}
	for range min(r.IntN(3), r.IntN(3)) {
		switch i := r.IntN(len(pairs) + 1); {
		case r.IntN(2) == 0 || i == len(pairs):
			pairs = append(pairs, odd[r.IntN(len(odd))])
		case r.IntN(2) == 0:
			pairs = append(pairs[:i:i], pairs[i+1:]...)
		default:
			pairs = append(pairs, pairs[i])
		}
	}
	body := []byte(strings.Join(pairs, "&"))
	if r.IntN(16) == 0 {
		body = damage(r, body)
	}
	return body
}

// The scanner and the reference interpreter agree on forms, texts and bytes.
func TestDifferentialForms(t *testing.T) {
	accepted, refused := 0, 0
	types := []string{"text/plain", "text/plain;charset=latin1", "application/pdf;charset=latin1", "image/png", "image/", "text/html", "APPLICATION/X-WWW-Form-urlencoded; charset=UTF-8", "application/json", ""}
	for i, c := range fingerprint.FormContracts() {
		driver := fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 4))
		for range 400 {
			contentType := "application/x-www-form-urlencoded"
			if r.IntN(8) == 0 {
				contentType = types[r.IntN(len(types))]
			}
			request := requestOf(mutateForm(r, fingerprint.Seeds(c.Name)), contentType, "", "", "x")
			require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, request), "%s %s: %q", c.Name, contentType, request.Body)
			if _, err := c.Canonical(request); err == nil {
				accepted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	assert.Greater(t, accepted, refused/10)
}
