package canon

import "hash"

// maxDepth is how many objects and arrays may stand in each other.
const maxDepth = 128

// maxBody keeps offsets in 32 bits, canonical text included: a number under Generic grows at most sixteenfold.
const maxBody = 1 << 27

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
	// The input. After a refusal data is empty.
	data  []byte
	pos   int
	depth int

	// The member that Next found.
	name      []byte
	nameStart int // after its opening quote
	nameIn    int // where it stands in text when it has escapes; else 0

	// out is the canonical text so far. Each member and element is written with a comma in front; the first one's comma becomes the
	// opening bracket when the container ends, so nothing moves unless the order changes.
	out []byte
	// top is the order of the spans of the body's own members where they are not put in order in out, but on their way to the hash.
	top []Span

	text     []byte    // unescaped names and values; a stack
	names    []nameRef // names in ignored parts; a stack
	entries  []entry   // dynamic members; a stack
	order    []Span    // the canonical order of an object's spans
	elements []element // elements of sets; a stack
	spans    []Span    // declared members of maps; a stack
	tmp      []byte    // spans on their way to another order
	looks    []look    // what was passed on the way ahead to discriminators

	form form

	req      *Request
	query    []queryValue
	refused  refused
	inBody   bool // the body's end is still to be checked
	viewed   bool // the input is what a view made of the body
	finished bool
	whole    bool // a tracked field covers the value that is being read

	chosen    int // where the value of the last discriminator stands, 0 when there is none
	chosenFor int // where its object begins

	tracked int      // fields to track, for the next Start
	sums    []uint32 // of the tracked fields; empty when off
	place   uint32   // CRC-32C of the list indexes and map names on the way to the current value
	step    [11]byte // room for one step of the way

	hash   hash.Hash
	digest []byte
	group  In  // the open group of parameters
	first  int // where the open group's members begin in out
}

// Start prepares s for r.
func (s *Scanner) Start(r *Request) {
	s.req = r
	s.data, s.pos, s.depth = nil, 0, 0
	s.name, s.nameStart, s.nameIn = nil, 0, 0
	s.out, s.top, s.text = s.out[:0], s.top[:0], s.text[:0]
	s.names, s.entries, s.order = s.names[:0], s.entries[:0], s.order[:0]
	s.elements, s.spans, s.query = s.elements[:0], s.spans[:0], s.query[:0]
	s.refused = refused{}
	s.inBody, s.viewed, s.finished, s.whole = false, false, false, false
	s.group = 0
	s.looks, s.chosen = s.looks[:0], 0
	s.form.on = false
	s.startFields()
}

// endBody refuses what follows the body's value.
func (s *Scanner) endBody() {
	if !s.inBody {
		return
	}
	s.inBody = false
	if s.pos = skipSpace(s.data, s.pos); s.pos < len(s.data) {
		s.refuseAt(s.pos, reasonTrailing)
	}
}

// enter counts a level, whose bracket stands at pos.
func (s *Scanner) enter(pos int) bool {
	if s.depth == maxDepth {
		s.refuseAt(pos, reasonDepth)
		return false
	}
	s.depth++
	return true
}

// Finish gives the digest of the canonical form under the contract's name and id, or the refusal (a *Refusal).
func (s *Scanner) Finish(name string, id ContractID) (Digest, error) {
	s.endBody()
	if s.refused.set {
		return Digest{}, s.refusal()
	}
	if !s.finished {
		s.finished = true
		s.endGroup()
		if len(s.out) == 0 {
			s.out = append(s.out, '{')
		}
		s.out[0] = '{'
		s.out = append(s.out, '}')
	}
	return s.sum(name, id), nil
}
