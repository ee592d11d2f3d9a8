package fingerprint_test

import (
	"errors"
	"math/rand/v2"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// requestOf builds a request from texts: header lines "name: value" and path values, one a line.
func requestOf(body []byte, contentType, query, header, path string) *canon.Request {
	r := &canon.Request{Body: body, ContentType: contentType, Query: query, Header: map[string][]string{}}
	for line := range strings.SplitSeq(header, "\n") {
		if name, value, found := strings.Cut(line, ":"); found {
			name = textproto.CanonicalMIMEHeaderKey(name)
			r.Header[name] = append(r.Header[name], value)
		}
	}
	if path != "" {
		r.Path = strings.Split(path, "\n")
	}
	return r
}

func TestSeedsAreAccepted(t *testing.T) {
	for _, c := range fingerprint.Contracts() {
		require.NotEmpty(t, fingerprint.Seeds(c.Name), c.Name)
		for _, body := range fingerprint.Seeds(c.Name) {
			r := requestOf([]byte(body), "application/json", "", "", "2026-11-30T09:00:00Z\n1,2")
			text, err := c.Canonical(r)
			require.NoError(t, err, "%s: %s", c.Name, body)
			requireFixedPoint(t, text)
			require.NoError(t, fingerprint.Compare(c, fingerprint.NewDriver(c).Fingerprint, r), "%s: %s", c.Name, body)
		}
	}
}

// The scanner and the reference interpreter agree on what is near to valid.
func TestDifferential(t *testing.T) {
	accepted, refused := 0, 0
	for i, c := range fingerprint.Contracts() {
		driver := fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 1))
		for range 600 {
			request := drawRequest(r, c)
			require.NoError(t, fingerprint.Compare(c, driver.Fingerprint, request), "%s: %+v\n%q", c.Name, request, request.Body)
			text, err := c.Canonical(request)
			if err != nil {
				refused++
				continue
			}
			if accepted++; accepted%16 == 0 { // the oracles are slow
				requireFixedPoint(t, text)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	assert.Greater(t, accepted, refused/10, "mutations that are nearly all refused prove little")
	assert.Greater(t, refused, accepted/10)
}

// drawRequest makes a request that is near to one that c accepts.
func drawRequest(r *rand.Rand, c *canon.Contract) *canon.Request {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	var body []byte
	if c.Body != nil || r.IntN(2) == 0 {
		body = mutate(r, fingerprint.Seeds(c.Name))
	}
	contentType := "application/json"
	if r.IntN(32) == 0 {
		contentType = pick(fingerprint.ContentTypes())
	}
	var query, header []string
	values := append(oddTexts(), oddScalars()...)
	for range r.IntN(4) {
		if len(c.Params) > 0 {
			p := c.Params[r.IntN(len(c.Params))]
			value := pick(values)
			switch p.In {
			case canon.InHeader:
				header = append(header, p.Name+":"+strings.ReplaceAll(value, "\n", " "))
			case canon.InQuery:
				query = append(query, strings.ReplaceAll(p.Name, " ", pick([]string{"+", "%20", " "}))+pick([]string{"=", "=", "=", "", "=="})+value)
			case canon.InPath:
			}
		}
	}
	path := pick([]string{"2026-11-30T09:00:00Z\n1,2", "2026-11-30T09:00:00Z\n1,2", "2026-11-30T09:00:00Z", "2026-11-30T09:00:00Z\n-0", "2026-11-30T09:00:00+01:00", "x", "2026-11-30T09:00:00Z\n1,,2", "2026-11-30T09:00:00Z\n\xff", ""})
	return requestOf(body, contentType, strings.Join(query, "&"), strings.Join(header, "\n"), path)
}

// oddTexts are values of parameters.
func oddTexts() []string {
	return []string{"", "1", "1,2", " 1 , 2 ", "a|b|a", "a%7Cb", "a+b", "a%20b", "%", "%2", "%zz", "%41", "%ff", "true", "tru%65", "null", "1.0", "1e2", "-0", "0.10", "AQ%3D%3D", "AQ==",
		"%2541", "é", "É", "\xc3", "a&b=c", "&", "&&", "n=1&n=2", "\t", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"}
}

// A driver with a fault is found: the comparison can fail, and for every kind of fault the requests that show it are among those drawn.
func TestDifferentialFindsFaults(t *testing.T) {
	for name, spoil := range map[string]struct {
		contract string
		change   func(c *canon.Contract)
	}{
		"decimal taken for exact":       {"leaves", func(c *canon.Contract) { memberOf(c, "decimal").Node.As = canon.Exact }},
		"int taken for decimal":         {"leaves", func(c *canon.Contract) { memberOf(c, "int").Node.As = canon.Decimal }},
		"double taken for decimal":      {"leaves", func(c *canon.Contract) { memberOf(c, "double").Node.As = canon.Decimal }},
		"upper taken for lower":         {"leaves", func(c *canon.Contract) { memberOf(c, "ascii-upper").Node.As = canon.ASCIILower }},
		"instant taken for exact":       {"leaves", func(c *canon.Contract) { memberOf(c, "instant").Node.As = canon.Exact }},
		"base64 taken for exact":        {"leaves", func(c *canon.Contract) { memberOf(c, "base64").Node.As = canon.Exact }},
		"set taken for multiset":        {"arrays", func(c *canon.Contract) { memberOf(c, "points").Node.Array = canon.Multiset }},
		"multiset taken for list":       {"arrays", func(c *canon.Contract) { memberOf(c, "bag").Node.Array = canon.List }},
		"null distinct taken as absent": {"nulls", func(c *canon.Contract) { memberOf(c, "distinctLeaf").Node.Null = canon.NullAbsent }},
		"null allowed":                  {"nulls", func(c *canon.Contract) { memberOf(c, "refusedObject").Node.Null = canon.NullDistinct }},
		"unknown ignored":               {"including", func(c *canon.Contract) { c.Body.Unknown = canon.IgnoreUnknown }},
		"unknown accepted":              {"leaves", func(c *canon.Contract) { c.Body.Unknown = canon.IgnoreUnknown }},
		"default forgotten":             {"defaults", func(c *canon.Contract) { memberOf(c, "z").Default = "" }},
		"required forgotten":            {"defaults", func(c *canon.Contract) { memberOf(c, "f").Required = false }},
		"ignored member counted": {"ignoring", func(c *canon.Contract) {
			*memberOf(c, "Skip") = canon.NodeMember{Name: "Skip", Node: &canon.Node{Kind: canon.LeafNode, As: canon.Generic}}
		}},
		"a parameter's default":    {"params", func(c *canon.Contract) { paramOf(c, "n").Default = `"6"` }},
		"a parameter's separator":  {"params", func(c *canon.Contract) { paramOf(c, "codes").Split = ',' }},
		"a parameter's normaliser": {"params", func(c *canon.Contract) { paramOf(c, "x-one").As = canon.Exact }},
		"a branch's normaliser": {"unions", func(c *canon.Contract) {
			memberOf(&canon.Contract{Body: c.Body.Union.Branches[1].Node}, "amount").Node.Union.Branches[0].Node.As = canon.Int
		}},
		"a branch forgotten": {"unions", func(c *canon.Contract) { c.Body.Union.Branches = c.Body.Union.Branches[1:] }},
		"another id":         {"free", func(c *canon.Contract) { c.ID = "0123456789abcdef" }},
	} {
		t.Run(name, func(t *testing.T) {
			sound, spoiled := contractOf(spoil.contract), contractOf(spoil.contract)
			spoil.change(spoiled)
			driver := fingerprint.NewDriver(spoiled)
			r := rand.New(rand.NewPCG(7, 7))
			for range 5000 {
				if err := fingerprint.Compare(sound, driver.Fingerprint, drawRequest(r, sound)); err != nil {
					return
				}
			}
			t.Error("the fault was not found")
		})
	}
}

// A scanner that is wrong about a refusal alone is found too.
func TestCompareTellsRefusalsApart(t *testing.T) {
	c := contractOf("free")
	r := requestOf([]byte(`{"a":1,}`), "application/json", "", "", "")
	for _, other := range []*canon.Refusal{{Place: "body/a", Offset: 7}, {Place: "body", Offset: 8}} {
		err := fingerprint.Compare(c, func(*canon.Scanner, *canon.Request) (canon.Digest, error) { return canon.Digest{}, other }, r)
		require.ErrorIs(t, err, error(other))
	}
	err := fingerprint.Compare(c, func(*canon.Scanner, *canon.Request) (canon.Digest, error) { return canon.Digest{}, nil }, r)
	require.ErrorContains(t, err, "scanner says accepted")
	err = fingerprint.Compare(c, func(*canon.Scanner, *canon.Request) (canon.Digest, error) { return canon.Digest{}, errors.New("other") }, r)
	require.ErrorContains(t, err, "no refusals")
}

func contractOf(name string) *canon.Contract {
	all := fingerprint.Contracts()
	return all[slices.IndexFunc(all, func(c *canon.Contract) bool { return c.Name == name })]
}

func memberOf(c *canon.Contract, name string) *canon.NodeMember {
	return &c.Body.Members[slices.IndexFunc(c.Body.Members, func(m canon.NodeMember) bool { return m.Name == name })]
}

func paramOf(c *canon.Contract, name string) *canon.Param {
	return &c.Params[slices.IndexFunc(c.Params, func(p canon.Param) bool { return p.Name == name })]
}
