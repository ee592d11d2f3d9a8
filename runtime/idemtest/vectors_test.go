package idemtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// recorder keeps what a test would have reported.
type recorder struct {
	testing.TB
	faults []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// operation has one decimal that counts, and refuses everything else.
func operation(as canon.Normaliser) *idem.Operation {
	shape := &canon.Shape{Members: []canon.Member{{Name: "amount", Key: `"amount":`}}}
	fingerprint := func(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
		s.Start(r)
		if s.Body(true, canon.JSON) == canon.JSON {
			o := s.Object(shape, make([]canon.Span, 1))
			for s.Next(&o) {
				switch {
				case string(s.Name()) != "amount":
					s.Unknown(&o)
				case as == canon.Decimal:
					s.Member(&o, 0)
					s.Decimal(0)
				default:
					s.Member(&o, 0)
					s.Generic(0)
				}
			}
		}
		return s.Finish("createPayment", "5d0c1f7a92b4e863")
	}
	return &idem.Operation{Name: "createPayment", Path: "/payments", Versions: []idem.Version{{Number: 3, ID: "5d0c1f7a92b4e863", Fingerprint: fingerprint}}}
}

func vectors() []idemtest.Vector {
	return []idemtest.Vector{
		{Name: "typical", Request: idemtest.Request{Body: `{"amount":10.0}`}, Canonical: `{"body":{"amount":"10"}}`,
			SHA256: "5bc9419c317ab424871c5d5582cffa993a708fb1e93b2d48d74647c08d09fe1d"},
		{Name: "body.amount spelled otherwise", Like: "typical", Set: []idemtest.Change{{Path: "body.amount", JSON: `"1e1"`}}},
		{Name: "body.amount matters", Unlike: "typical", Set: []idemtest.Change{{Path: "body.amount", JSON: "10.01"}}},
		{Name: "body.amount is no number", Refused: "typical", Set: []idemtest.Change{{Path: "body.amount", JSON: `"NaN"`}}},
	}
}

func TestVectorsThatHoldAreSilent(t *testing.T) {
	r := &recorder{TB: t}
	idemtest.Vectors(r, operation(canon.Decimal), vectors())
	assert.Empty(t, r.faults)
}

// A fingerprint that reads the amount in another way is found by every vector that it breaks.
func TestVectorsFindAChangedFingerprint(t *testing.T) {
	r := &recorder{TB: t}
	idemtest.Vectors(r, operation(canon.Generic), vectors())
	require.Len(t, r.faults, 3)
	assert.Equal(t, "contract \"createPayment\" version 3, vector \"typical\": its canonical text moved\n"+
		"  canonical wanted: {\"body\":{\"amount\":\"10\"}}\n  canonical seen: {\"body\":{\"amount\":{\"number\":\"10\"}}}", r.faults[0])
	assert.Contains(t, r.faults[1], `vector "body.amount spelled otherwise": it must be the same command as "typical"`)
	assert.Contains(t, r.faults[2], `vector "body.amount is no number": it must be refused, and is accepted`)
}

func TestVectorsRefuseToProveNothing(t *testing.T) {
	r := &recorder{TB: t}
	idemtest.Vectors(r, operation(canon.Decimal), nil)
	idemtest.Vectors(r, &idem.Operation{Name: "ping"}, vectors())
	broken := vectors()
	broken[1].Like = "typicol"
	idemtest.Vectors(r, operation(canon.Decimal), broken)
	assert.Equal(t, "contract \"createPayment\": there is no vector\ncontract \"ping\": the operation compares nothing, so no vector can hold\n"+
		"contract \"createPayment\" version 3: vector: expand \"body.amount spelled otherwise\": no earlier vector is called \"typicol\"", strings.Join(r.faults, "\n"))
}
