package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Scheme is the way in which fingerprints are made (FINGERPRINT section 1).
const Scheme = "idempotency-fingerprint/1"

// scheme is how o's digests are made.
func (o *operation) scheme() string {
	if o.demands() {
		return uniqueScheme
	}
	return Scheme
}

// contractID names what decides the hash of v; idDocument says what that is.
func contractID(scheme string, v *Version, deciding []string) canon.ContractID {
	sum := sha256.Sum256([]byte(idDocument(scheme, v, deciding)))
	return canon.ContractID(hex.EncodeToString(sum[:8]))
}

// idDocument is the RFC 8785 text whose hash is the contract id; doc.go describes it. deciding are the ignored members
// that would count if they were not declared.
func idDocument(scheme string, v *Version, deciding []string) string {
	fields := slices.Clone(v.Fields)
	slices.SortFunc(fields, func(a, b Field) int { return canon.CompareNames(a.Path, b.Path) })
	var b strings.Builder
	b.WriteString(`{"fields":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteJSON(f.Path) + ":" + quoteJSON(f.Rule))
	}
	b.WriteByte('}')
	if len(deciding) > 0 {
		b.WriteString(`,"ignored":[`)
		for i, path := range slices.Sorted(slices.Values(deciding)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(path))
		}
		b.WriteByte(']')
	}
	b.WriteString(`,"scheme":` + quoteJSON(scheme) + `,"unknown":` + quoteJSON(v.Unknown.String()) + "}")
	return b.String()
}
