package contract

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/canon"
)

// textNormaliser is the default for strings of a format. binary has no meaning inside JSON: the characters count.
func textNormaliser(format, encoding string) canon.Normaliser {
	switch format {
	case "decimal":
		return canon.Decimal
	case "int32", "int64":
		return canon.Int
	case "date-time":
		return canon.Instant
	case "uuid":
		return canon.UUID
	case "byte":
		return canon.Base64
	}
	if encoding == "base64" {
		return canon.Base64
	}
	return canon.Exact
}

// defaultNormaliser is what a value of m compares by when nobody chose.
func defaultNormaliser(m *merged) canon.Normaliser {
	if m.kind != scalarKind {
		return canon.Generic
	}
	switch m.types[0] {
	case "string":
		if m.enum {
			return canon.Exact
		}
		return textNormaliser(m.format, m.encoding)
	case "integer":
		return canon.Int
	case "number":
		return canon.Decimal
	case "boolean":
		return canon.Boolean
	}
	return canon.Generic
}

// fitting lists the normalisers that values of a JSON type can go through.
func fitting(jsonType string) []canon.Normaliser {
	switch jsonType {
	case "string":
		return []canon.Normaliser{canon.Exact, canon.Int, canon.Decimal, canon.Instant, canon.UUID, canon.Base64,
			canon.ASCIILower, canon.ASCIIUpper, canon.ASCIITrim, canon.Generic}
	case "integer":
		return []canon.Normaliser{canon.Int, canon.Decimal, canon.Double, canon.Generic}
	case "number":
		return []canon.Normaliser{canon.Decimal, canon.Double, canon.Generic}
	case "boolean":
		return []canon.Normaliser{canon.Boolean, canon.Generic}
	}
	return []canon.Normaliser{canon.Generic}
}

// fits reports whether every value that m describes can go through n. Of several scalar types each has to fit.
func fits(m *merged, n canon.Normaliser) bool {
	if n == canon.Generic {
		return true
	}
	if m.kind == unionKind {
		return !slices.ContainsFunc(m.union.branches, func(b unionBranch) bool { return !fits(b.merged, n) })
	}
	scalars := m.kind == scalarKind || m.kind == genericKind && len(m.types) > 1 && len(m.branches) == 0 && m.conflict == nil
	return scalars && !slices.ContainsFunc(m.types, func(t string) bool { return !slices.Contains(fitting(t), n) })
}
