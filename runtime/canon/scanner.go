package canon

// Scanner reads a request once and writes its canonical form (FINGERPRINT section 1). It is driven by generated code:
//
//	func FingerprintCreatePayment(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
//		s.Start(r)
//		if s.Body(true, canon.JSON) == canon.JSON {
//			createPaymentBody(s)
//		}
//		s.Params(createPaymentParams)
//		return s.Finish("createPayment", "5d0c1f7a92b4e863")
//	}
//
//	func createPaymentBody(s *canon.Scanner) {
//		var spans [4]canon.Span
//		o := s.Object(&createPaymentBodyShape, spans[:])
//		for s.Next(&o) {
//			switch string(s.Name()) {
//			case "accountId":
//				s.Member(&o, 0)
//				s.Exact(0)
//			case "lines":
//				s.Member(&o, 1)
//				a := s.Array(canon.List, 1)
//				for s.Element(&a) {
//					createPaymentBodyLines(s)
//				}
//			case "metadata":
//				s.Ignore(&o, 2)
//			default:
//				s.Unknown(&o)
//			}
//		}
//	}
//
// The first refusal sticks: later calls do nothing, loops end, and Finish returns it.
// A Scanner is not safe for concurrent use. Nothing is allocated once its buffers have grown.
type Scanner struct {
	req *Request
}

// Acquire takes a scanner from the pool.
func Acquire() *Scanner { return new(Scanner) }

// Release gives s back to the pool. Buffers above 64 KiB are dropped. s must not be used afterwards.
func (s *Scanner) Release() {}

// TrackFields makes the next Start collect digests of n fields (the contract's field list). 0 switches it off.
func (s *Scanner) TrackFields(n int) {}

// Start prepares s for r.
func (s *Scanner) Start(r *Request) { s.req = r }

// Body finds out which of the accepted kinds the request's body is and opens the member "body".
// NoBody means an absent body, or a refusal that sticks: required but absent, or a content type that is not accepted.
func (s *Scanner) Body(required bool, accepted ...Media) Media { return NoBody }

// Frame is an object that is being read.
type Frame struct {
	shape *Shape
	spans []Span
}

// Object expects an object. len(spans) is the number of the shape's members.
func (s *Scanner) Object(shape *Shape, spans []Span) Frame { return Frame{shape: shape, spans: spans} }

// Map expects an object whose members are all dynamic (additionalProperties with a schema): in its loop, call Entry and then one value.
func (s *Scanner) Map(shape *Shape) Frame { return Frame{shape: shape} }

// Next goes to the next member. At the object's end it checks required members, writes the members in canonical order and returns false.
func (s *Scanner) Next(f *Frame) bool { return false }

// Name is the unescaped name of the member that Next found. It is valid until the next call on s.
func (s *Scanner) Name() []byte { return nil }

// Member begins declared member i, whose value follows. A second one with the same name is a refusal.
func (s *Scanner) Member(f *Frame, i int) {}

// Entry begins a dynamic member under the name that Next found. Declared names in another case are refused.
func (s *Scanner) Entry(f *Frame) {}

// Ignore skips the value of declared member i, which is checked as JSON.
func (s *Scanner) Ignore(f *Frame, i int) {}

// Unknown handles an undeclared member with its value as the shape says. Declared names in another case are refused.
func (s *Scanner) Unknown(f *Frame) {}

// Null consumes a null and writes it; false when another value follows. For fields whose null is distinct.
func (s *Scanner) Null(field int) bool { return false }

// NullAbsent consumes a null and takes the member that was begun last back; false when another value follows.
func (s *Scanner) NullAbsent(f *Frame) bool { return false }

// ArrayFrame is an array that is being read.
type ArrayFrame struct {
	kind  ArrayKind
	field int
}

// Array expects an array; its canonical span counts as field. A field below 0 is not tracked: so everywhere.
func (s *Scanner) Array(kind ArrayKind, field int) ArrayFrame { return ArrayFrame{kind, field} }

// Element goes to the next element, whose value follows; at the array's end it writes what the kind demands and returns false.
func (s *Scanner) Element(a *ArrayFrame) bool { return false }

// Exact expects a string and takes its characters as they are.
func (s *Scanner) Exact(field int) {}

// Int expects a plain integer token, or a string that holds one, of at most 38 digits.
func (s *Scanner) Int(field int) {}

// Decimal expects a number, or a string that holds one, of at most 38 digits and an exponent within ±38.
func (s *Scanner) Decimal(field int) {}

// Double expects a number that is a finite IEEE 754 double.
func (s *Scanner) Double(field int) {}

// Boolean expects true or false.
func (s *Scanner) Boolean(field int) {}

// Instant expects an RFC 3339 date-time in a string.
func (s *Scanner) Instant(field int) {}

// UUID expects a UUID in a string, 8-4-4-4-12.
func (s *Scanner) UUID(field int) {}

// Base64 expects standard base64 in a string, padded, without white space or stray bits.
func (s *Scanner) Base64(field int) {}

// ASCIILower expects a string and writes A to Z in lower case.
func (s *Scanner) ASCIILower(field int) {}

// ASCIIUpper expects a string and writes a to z in upper case.
func (s *Scanner) ASCIIUpper(field int) {}

// ASCIITrim expects a string and leaves out ASCII white space at both ends.
func (s *Scanner) ASCIITrim(field int) {}

// Generic takes any JSON value; numbers and objects are tagged (FINGERPRINT section 1).
func (s *Scanner) Generic(field int) {}

// Params reads the parameters, which stand in canonical order: header, path, query, and by name within each.
// It must come after the body.
func (s *Scanner) Params(params []Param) {}

// Finish gives the digest of the canonical form under the contract's name and id, or the refusal.
func (s *Scanner) Finish(name string, id ContractID) (Digest, error) { return Digest{}, nil }

// AppendCanonical appends the canonical text of the request that was finished last.
func (s *Scanner) AppendCanonical(dst []byte) []byte { return dst }

// AppendFieldDigests appends 4 bytes for each tracked field: CRC-32C (big endian) of its canonical span, 0 when absent.
// A field below an array counts all its spans in the order in which they were sent.
func (s *Scanner) AppendFieldDigests(dst []byte) []byte { return dst }
