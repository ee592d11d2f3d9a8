package fingerprint_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// FuzzDifferential: whatever is sent under whichever contract, the scanner and the reference interpreter agree on it.
func FuzzDifferential(f *testing.F) {
	contracts := fingerprint.Contracts()
	drivers := make([]*fingerprint.Driver, len(contracts))
	for i, c := range contracts {
		drivers[i] = fingerprint.NewDriver(c)
		for _, body := range fingerprint.Seeds(c.Name) {
			f.Add(uint8(i), uint8(0), []byte(body), "n=1&bag=1&bag=1.0&codes=b|a&é=%C3%89&a+b=&flag", "X-Codes: a, b\nX-One: 1.50", "2026-11-30T09:00:00Z\n1,2")
		}
	}
	types := fingerprint.ContentTypes()
	f.Fuzz(func(t *testing.T, contract, contentType uint8, body []byte, query, header, path string) {
		i := int(contract) % len(contracts)
		r := requestOf(body, types[int(contentType)%len(types)], query, header, path)
		require.NoError(t, fingerprint.Compare(contracts[i], drivers[i].Fingerprint, r), contracts[i].Name)
	})
}

// FuzzDifferentialForms is the same for bodies that are no JSON.
func FuzzDifferentialForms(f *testing.F) {
	contracts := fingerprint.FormContracts()
	drivers := make([]*fingerprint.Driver, len(contracts))
	for i, c := range contracts {
		drivers[i] = fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 5))
		for range 4 {
			f.Add(uint8(i), uint8(0), mutateForm(r, fingerprint.Seeds(c.Name)))
		}
	}
	types := []string{"application/x-www-form-urlencoded", "text/plain", "image/png", "text/csv", "application/json"}
	f.Fuzz(func(t *testing.T, contract, contentType uint8, body []byte) {
		i := int(contract) % len(contracts)
		r := requestOf(body, types[int(contentType)%len(types)], "", "", "x")
		require.NoError(t, fingerprint.Compare(contracts[i], drivers[i].Fingerprint, r), contracts[i].Name)
	})
}

// FuzzDifferentialMultipart is the same for multipart bodies, whose Content-Type counts too.
func FuzzDifferentialMultipart(f *testing.F) {
	contracts := fingerprint.MultipartContracts()
	drivers := make([]*fingerprint.Driver, len(contracts))
	for i, c := range contracts {
		drivers[i] = fingerprint.NewDriver(c)
		r := rand.New(rand.NewPCG(uint64(i), 8))
		for range 4 {
			contentType, body := mutateMultipart(r, fingerprint.MultipartSeeds(c.Name), c.Parts)
			f.Add(uint8(i), contentType, body)
		}
	}
	f.Fuzz(func(t *testing.T, contract uint8, contentType string, body []byte) {
		i := int(contract) % len(contracts)
		r := requestOf(body, contentType, "", "", "x")
		require.NoError(t, fingerprint.Compare(contracts[i], drivers[i].Fingerprint, r), contracts[i].Name)
	})
}
