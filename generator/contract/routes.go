package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// others gives the routes without a contract that share requests with an annotated template: GET /payments/search beside
// GET /payments/{id}. A matcher that did not know them would take their requests for annotated ones.
func others(contracts []*Contract, routes []openapi.Route) []openapi.Route {
	var out []openapi.Route
	for _, r := range routes {
		same := func(c *Contract) bool { return c.Method == r.Method && c.Path == r.Path }
		near := func(c *Contract) bool { return c.Method == r.Method && overlap(c.Path, r.Path) }
		if !slices.ContainsFunc(contracts, same) && slices.ContainsFunc(contracts, near) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b openapi.Route) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return slices.Compact(out)
}

// overlap reports whether one path can match both templates. A segment with a variable counts as matching any: a route too many
// in the list does no harm.
func overlap(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if as[i] != bs[i] && !strings.Contains(as[i], "{") && !strings.Contains(bs[i], "{") {
			return false
		}
	}
	return true
}
