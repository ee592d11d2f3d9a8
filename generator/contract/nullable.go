package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi"
)

// nullableAll reports whether all of schemas that say anything about null allow it.
func nullableAll(schemas []*openapi.Schema) bool {
	allowed := false
	for _, s := range schemas {
		nullable, known := nullability(s, map[*openapi.Schema]bool{})
		if known && !nullable {
			return false
		}
		allowed = allowed || known
	}
	return allowed
}

// nullability is what s says of null. A nullable wrapper round an allOf makes it nullable whatever the parts say:
// that is how documents write "a Money or null".
func nullability(s *openapi.Schema, seen map[*openapi.Schema]bool) (nullable, known bool) {
	switch {
	case s == nil || seen[s]:
		return false, false
	case s.Nullable:
		return true, true
	case len(s.Types) > 0 || len(s.Properties) > 0 || len(s.Enum) > 0:
		return false, true
	}
	seen[s] = true
	parts := slices.Concat(s.AllOf, onlyBranch(s.OneOf), onlyBranch(s.AnyOf))
	nullable = true
	for _, part := range parts {
		if n, k := nullability(part, seen); k {
			nullable, known = nullable && n, true
		}
	}
	for _, union := range [][]*openapi.Schema{s.OneOf, s.AnyOf} {
		if len(realBranches(union)) > 1 && slices.ContainsFunc(union, func(b *openapi.Schema) bool {
			n, k := nullability(b, seen)
			return n && k
		}) {
			known = true
		}
	}
	return nullable && known, known
}

func onlyBranch(union []*openapi.Schema) []*openapi.Schema {
	if branches := realBranches(union); len(branches) == 1 {
		return branches
	}
	return nil
}
