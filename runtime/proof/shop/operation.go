package shop

import (
	"context"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Command is what a client sends.
type Command struct {
	// Amount is the command: orders with equal amounts are the same one.
	Amount idem.Number `json:"amount"`
	// Call names the request. The fingerprint ignores it.
	Call string `json:"call"`
}

// contractID is the version of the contract that every operation here has.
const contractID = "5ca1ab1e0ddba115"

var shape = canon.Shape{
	Members: []canon.Member{
		{Name: "amount", Key: `"amount":`, Required: true},
		{Name: "call", Key: `"call":`, Ignored: true},
	},
	Unknown: canon.RejectUnknown,
}

// Operation describes an operation called name, at POST /name, with the defaults of the annotation. change may be nil.
func Operation(name string, change func(*idem.Operation)) *idem.Operation {
	op := &idem.Operation{
		Name:          name,
		Method:        "POST",
		Path:          "/" + name,
		Key:           idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255},
		Scope:         []idem.ScopePart{{Dimension: 0}},
		Keyspace:      name,
		Retention:     24 * time.Hour,
		Execution:     idem.Transactional,
		KeepExcept:    []int{408, 425, 429, 502, 503, 504},
		ReplayHeaders: []string{"Etag", "Location"},
		ReplayMarker:  "Idempotent-Replayed",
		Statuses:      idem.Statuses{Missing: 400, Malformed: 400, Mismatch: 422, InFlight: 409, Unknown: 409, Unavailable: 503},
		Versions: []idem.Version{{Number: 1, ID: contractID, Fields: []string{"body.amount"}, Fingerprint: func(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
			return fingerprint(s, r, name)
		}}},
	}
	if change != nil {
		change(op)
	}
	return op
}

// Unique gives an operation a business key, its amount, and lets requests come without a key of their own. Its path ends in "unique".
func Unique(op *idem.Operation) {
	op.Key.Required = false
	op.Unique = &idem.BusinessKey{Fields: []string{"body.amount"}, Digest: func(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
		return fingerprint(s, r, op.Name)
	}}
}

func fingerprint(s *canon.Scanner, r *canon.Request, name string) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [2]canon.Span
		o := s.Object(&shape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "amount":
				s.Member(&o, 0)
				s.Decimal(0)
			case "call":
				s.Ignore(&o, 1)
			default:
				s.Unknown(&o)
			}
		}
	}
	return s.Finish(name, contractID)
}

// Identity names what may have one effect at path: the key; or the business key, under which requests come with keys of their own or
// with none.
func Identity(path, key string, cmd Command) string {
	if strings.HasSuffix(path, "unique") {
		return "amount " + string(cmd.Amount)
	}
	return key
}

// Contract holds operations made by Operation.
func Contract(ops ...*idem.Operation) idem.Contract {
	return idem.Contract{Dimensions: []string{"tenant"}, Operations: ops}
}

// Tenant is whom every key belongs to.
const Tenant = "acme"

// Scope is the resolver: there is one tenant.
func Scope(context.Context) ([]string, error) { return []string{Tenant}, nil }

// Decode makes the command of a request.
func Decode(r *canon.Request) (Command, error) {
	cmd, err := idem.DecodeBody[Command](r)
	if err != nil {
		return Command{}, err
	}
	return *cmd, nil
}
