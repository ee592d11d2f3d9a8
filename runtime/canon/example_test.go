package canon_test

import (
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
)

var transferShape = canon.Shape{Unknown: canon.RejectUnknown, Members: []canon.Member{
	{Name: "amount", Key: `"amount":`, Required: true},
	{Name: "sentAt", Key: `"sentAt":`, Ignored: true},
	{Name: "to", Key: `"to":`, Required: true},
}}

// fingerprintTransfer is what the generator writes for a small operation.
func fingerprintTransfer(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [3]canon.Span
		o := s.Object(&transferShape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "amount":
				s.Member(&o, 0)
				s.Decimal(0)
			case "sentAt":
				s.Ignore(&o, 1)
			case "to":
				s.Member(&o, 2)
				s.Exact(1)
			default:
				s.Unknown(&o)
			}
		}
	}
	return s.Finish("createTransfer", "0f3a91c27d5be846")
}

func Example() {
	s := canon.Acquire()
	defer s.Release()
	first, _ := fingerprintTransfer(s, &canon.Request{Body: []byte(`{"to":"acc_2","amount":10.00}`), ContentType: "application/json"})
	retry, _ := fingerprintTransfer(s, &canon.Request{Body: []byte(`{"amount":"1e1", "to":"acc_2", "sentAt":1796112000}`), ContentType: "application/json"})
	fmt.Println(first == retry, string(s.AppendCanonical(nil)))

	_, err := fingerprintTransfer(s, &canon.Request{Body: []byte(`{"to":"acc_2","amount":"ten"}`), ContentType: "application/json"})
	var refusal *canon.Refusal
	fmt.Println(errors.As(err, &refusal), refusal)
	// Output:
	// true {"body":{"amount":"10","to":"acc_2"}}
	// true body/amount (byte 23): a number is expected
}
