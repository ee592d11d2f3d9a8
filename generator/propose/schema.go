package propose

import (
	"slices"

	"github.com/idemgen/idemgen/openapi"
)

// unfold adds to schemas what their allOf, oneOf and anyOf hold, each schema once. A schema may stand in itself.
func unfold(schemas []*openapi.Schema) (out []*openapi.Schema) {
	var add func(s *openapi.Schema)
	add = func(s *openapi.Schema) {
		if s == nil || slices.Contains(out, s) {
			return
		}
		out = append(out, s)
		for _, list := range [][]*openapi.Schema{s.AllOf, s.OneOf, s.AnyOf} {
			for _, c := range list {
				add(c)
			}
		}
	}
	for _, s := range schemas {
		add(s)
	}
	return out
}

func propertiesOf(schemas []*openapi.Schema, name string) (out []*openapi.Schema) {
	for _, s := range schemas {
		for _, p := range s.Properties {
			if p.Name == name && p.Schema != nil {
				out = append(out, p.Schema)
			}
		}
	}
	return out
}

func itemsOf(schemas []*openapi.Schema) (out []*openapi.Schema) {
	for _, s := range schemas {
		if s.Items != nil {
			out = append(out, s.Items)
		}
	}
	return out
}

func entriesOf(schemas []*openapi.Schema) (out []*openapi.Schema) {
	for _, s := range schemas {
		if s.Additional.Schema != nil {
			out = append(out, s.Additional.Schema)
		}
	}
	return out
}

// declarationOrder numbers the declared members.
func declarationOrder(schemas []*openapi.Schema) map[string]int {
	order := map[string]int{}
	for _, s := range schemas {
		for _, p := range s.Properties {
			if _, known := order[p.Name]; !known {
				order[p.Name] = len(order)
			}
		}
	}
	return order
}
