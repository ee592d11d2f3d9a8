package fingerprint

import "github.com/idemgen/idemgen/runtime/canon"

var paymentShape = canon.Shape{
	Unknown: canon.RejectUnknown,
	Members: []canon.Member{
		{Name: "amount", Key: `"amount":`, Required: true},
		{Name: "capture_at", Key: `"capture_at":`},
		{Name: "customer", Key: `"customer":`},
		{Name: "items", Key: `"items":`},
		{Name: "metadata", Key: `"metadata":`},
		{Name: "method", Key: `"method":`, Required: true},
		{Name: "note", Key: `"note":`, Ignored: true},
		{Name: "order_id", Key: `"order_id":`, Required: true},
		{Name: "sent_at", Key: `"sent_at":`, Ignored: true},
		{Name: "text", Key: `"text":`},
		{Name: "trace", Key: `"trace":`, Ignored: true},
	},
}

var moneyShape = canon.Shape{
	Unknown: canon.RejectUnknown,
	Members: []canon.Member{
		{Name: "currency", Key: `"currency":`, Required: true},
		{Name: "value", Key: `"value":`, Required: true},
	},
}

var customerShape = canon.Shape{
	Unknown: canon.RejectUnknown,
	Members: []canon.Member{
		{Name: "email", Key: `"email":`},
		{Name: "id", Key: `"id":`, Required: true},
	},
}

var itemShape = canon.Shape{
	Unknown: canon.RejectUnknown,
	Members: []canon.Member{
		{Name: "desc", Key: `"desc":`},
		{Name: "price", Key: `"price":`, Required: true},
		{Name: "qty", Key: `"qty":`, Required: true},
		{Name: "sku", Key: `"sku":`, Required: true},
		{Name: "tags", Key: `"tags":`},
	},
}

// Fields of the contract, in the order of its lock.
const (
	fieldAmountCurrency = iota
	fieldAmountValue
	fieldCaptureAt
	fieldCustomerEmail
	fieldCustomerID
	fieldItems
	fieldItemsDesc
	fieldItemsPriceCurrency
	fieldItemsPriceValue
	fieldItemsQty
	fieldItemsSKU
	fieldItemsTags
	fieldMetadata
	fieldMethod
	fieldOrderID
	fieldText
	// PaymentFields is how many fields there are.
	PaymentFields
)

// Payment is the fingerprint function of the contract.
func Payment(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		paymentBody(s)
	}
	return s.Finish("createPayment", "5d0c1f7a92b4e863")
}

func paymentBody(s *canon.Scanner) {
	var spans [11]canon.Span
	o := s.Object(&paymentShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "amount":
			s.Member(&o, 0)
			money(s, fieldAmountCurrency, fieldAmountValue)
		case "capture_at":
			s.Member(&o, 1)
			if !s.NullAbsent(&o) {
				s.Instant(fieldCaptureAt)
			}
		case "customer":
			s.Member(&o, 2)
			customer(s)
		case "items":
			s.Member(&o, 3)
			a := s.Array(canon.List, fieldItems)
			for s.Element(&a) {
				item(s)
			}
		case "metadata":
			s.Member(&o, 4)
			metadata(s)
		case "method":
			s.Member(&o, 5)
			s.ASCIILower(fieldMethod)
		case "note":
			s.Ignore(&o, 6)
		case "order_id":
			s.Member(&o, 7)
			s.UUID(fieldOrderID)
		case "sent_at":
			s.Ignore(&o, 8)
		case "text":
			s.Member(&o, 9)
			s.Exact(fieldText)
		case "trace":
			s.Ignore(&o, 10)
		default:
			s.Unknown(&o)
		}
	}
}

func money(s *canon.Scanner, currency, value int) {
	var spans [2]canon.Span
	o := s.Object(&moneyShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "currency":
			s.Member(&o, 0)
			s.Exact(currency)
		case "value":
			s.Member(&o, 1)
			s.Decimal(value)
		default:
			s.Unknown(&o)
		}
	}
}

func customer(s *canon.Scanner) {
	var spans [2]canon.Span
	o := s.Object(&customerShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "email":
			s.Member(&o, 0)
			s.Exact(fieldCustomerEmail)
		case "id":
			s.Member(&o, 1)
			s.Exact(fieldCustomerID)
		default:
			s.Unknown(&o)
		}
	}
}

func item(s *canon.Scanner) {
	var spans [5]canon.Span
	o := s.Object(&itemShape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "desc":
			s.Member(&o, 0)
			s.Exact(fieldItemsDesc)
		case "price":
			s.Member(&o, 1)
			money(s, fieldItemsPriceCurrency, fieldItemsPriceValue)
		case "qty":
			s.Member(&o, 2)
			s.Int(fieldItemsQty)
		case "sku":
			s.Member(&o, 3)
			s.Exact(fieldItemsSKU)
		case "tags":
			s.Member(&o, 4)
			a := s.Array(canon.Set, fieldItemsTags)
			for s.Element(&a) {
				s.Exact(-1)
			}
		default:
			s.Unknown(&o)
		}
	}
}

func metadata(s *canon.Scanner) {
	o := s.Map(nil)
	for s.Next(&o) {
		s.Entry(&o)
		s.Exact(fieldMetadata)
	}
}
