package canon_test

import "github.com/idemgen/idemgen/runtime/canon"

// The contract that most tests use, in the style of generated code: nested objects, a list of objects with a set in each, a map with a
// declared member beside it, free-form members, every leaf normaliser.
const (
	fieldAmount = iota
	fieldCurrency
	fieldItems
	fieldItemsSKU
	fieldItemsTags
	fieldItemsQuantity
	fieldLabels
	fieldMeta
	fieldNote
	fieldAt
	fieldOrder
	fieldRate
	fieldFlag
	fieldBlob
	fieldAccount
	fieldExpand
	fieldDry
	fieldStripe
	paymentFields
)

var paymentShape = canon.Shape{
	Unknown: canon.RejectUnknown,
	Members: []canon.Member{
		{Name: "amount", Key: `"amount":`, Required: true},
		{Name: "at", Key: `"at":`},
		{Name: "blob", Key: `"blob":`},
		{Name: "flag", Key: `"flag":`, Default: "false"},
		{Name: "items", Key: `"items":`},
		{Name: "labels", Key: `"labels":`},
		{Name: "meta", Key: `"meta":`},
		{Name: "note", Key: `"note":`},
		{Name: "order", Key: `"order":`},
		{Name: "rate", Key: `"rate":`},
		{Name: "sentAt", Key: `"sentAt":`, Ignored: true},
	},
}

var moneyShape = canon.Shape{
	Unknown: canon.IgnoreUnknown,
	Members: []canon.Member{
		{Name: "currency", Key: `"currency":`, Required: true},
		{Name: "value", Key: `"value":`, Required: true},
	},
}

var itemShape = canon.Shape{
	Unknown: canon.IncludeUnknown,
	Members: []canon.Member{
		{Name: "quantity", Key: `"quantity":`},
		{Name: "sku", Key: `"sku":`, Required: true},
		{Name: "tags", Key: `"tags":`},
	},
}

var paymentParams = []canon.Param{
	{In: canon.InHeader, Name: "stripe-account", As: canon.Exact, Field: fieldStripe},
	{In: canon.InPath, Name: "accountId", As: canon.Exact, Required: true, Field: fieldAccount},
	{In: canon.InQuery, Name: "dry", As: canon.Boolean, Field: fieldDry},
	{In: canon.InQuery, Name: "expand", As: canon.Exact, Array: canon.List, Field: fieldExpand},
}

func fingerprintPayment(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		scanPayment(s)
	}
	s.Params(paymentParams)
	return s.Finish("createPayment", "5d0c1f7a92b4e863")
}

func scanPayment(s *canon.Scanner) {
	if s.Null(-1) {
		return
	}
	var spans [11]canon.Span
	o := s.Object(&paymentShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "amount":
			s.Member(&o, 0)
			scanMoney(s)
		case "at":
			s.Member(&o, 1)
			s.Instant(fieldAt)
		case "blob":
			s.Member(&o, 2)
			s.Base64(fieldBlob)
		case "flag":
			s.Member(&o, 3)
			s.Boolean(fieldFlag)
		case "items":
			s.Member(&o, 4)
			a := s.Array(canon.List, fieldItems)
			for s.Element(&a) {
				scanItem(s)
			}
		case "labels":
			s.Member(&o, 5)
			scanLabels(s)
		case "meta":
			s.Member(&o, 6)
			s.Generic(fieldMeta)
		case "note":
			s.Member(&o, 7)
			if !s.NullAbsent(&o) {
				s.Exact(fieldNote)
			}
		case "order":
			s.Member(&o, 8)
			s.UUID(fieldOrder)
		case "rate":
			s.Member(&o, 9)
			if !s.Null(fieldRate) {
				s.Double(fieldRate)
			}
		case "sentAt":
			s.Ignore(&o, 10)
		default:
			s.Unknown(&o)
		}
	}
}

func scanMoney(s *canon.Scanner) {
	var spans [2]canon.Span
	o := s.Object(&moneyShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "currency":
			s.Member(&o, 0)
			s.ASCIIUpper(fieldCurrency)
		case "value":
			s.Member(&o, 1)
			s.Decimal(fieldAmount)
		default:
			s.Unknown(&o)
		}
	}
}

func scanItem(s *canon.Scanner) {
	var spans [3]canon.Span
	o := s.Object(&itemShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "quantity":
			s.Member(&o, 0)
			s.Int(fieldItemsQuantity)
		case "sku":
			s.Member(&o, 1)
			s.Exact(fieldItemsSKU)
		case "tags":
			s.Member(&o, 2)
			a := s.Array(canon.Set, fieldItemsTags)
			for s.Element(&a) {
				s.Exact(-1)
			}
		default:
			s.Unknown(&o)
		}
	}
}

func scanLabels(s *canon.Scanner) {
	o := s.Map(nil)
	for s.Next(&o) {
		s.Entry(&o)
		if !s.NullAbsent(&o) {
			s.Exact(fieldLabels)
		}
	}
}
