package canon

// Kind is the JSON type of a value.
type Kind uint8

const (
	KindObject Kind = iota + 1
	KindArray
	KindString // in a form every single value: a form has no other
	KindNumber
	KindBoolean
	KindNull
)

const (
	reasonBranch   = "the member that names the branch is missing"
	reasonNoBranch = "no branch has this name"
	reasonNoKind   = "a value of another type is expected"
)

// Kind gives the type of the value that follows, for unions whose branches differ by it. 0 is a refusal: no value follows.
// It says nothing of the rest of the value, which the branch reads. In a form names with indexes (a[0], a[1]) are an array.
func (s *Scanner) Kind() Kind {
	switch c := s.peek(); c {
	case '{':
		if s.indexesFollow() {
			return KindArray
		}
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f', 'n':
		return s.wordKind(c)
	default:
		if c == '-' || c-'0' < 10 {
			return KindNumber
		}
	}
	s.refuseHere(s.pos, reasonValue)
	return 0
}

func (s *Scanner) wordKind(first byte) Kind {
	at := s.pos
	if !s.literal("true") && !s.literal("false") && !s.literal("null") {
		s.refuseAt(at, reasonValue)
		return 0
	}
	s.pos = at
	if first == 'n' {
		return KindNull
	}
	return KindBoolean
}

// Branch begins the wrapping of a union's value, which follows: {"label":value}. EndBranch ends it.
//
//	switch string(s.Discriminator("type")) {
//	case "card":
//		s.Branch("card")
//		scanCard(s)
//		s.EndBranch()
//	default:
//		s.NoBranch()
//	}
func (s *Scanner) Branch(label string) {
	s.out = append(AppendJSONString(append(s.out, '{'), label), ':')
}

// EndBranch ends what Branch began.
func (s *Scanner) EndBranch() {
	s.out = append(s.out, '}')
}

// NoBranch refuses the value that follows: it fits no branch of its union. After Discriminator it is that member which is refused.
func (s *Scanner) NoBranch() {
	if s.chosen != 0 && s.chosenFor == s.pos {
		s.refuseAt(s.chosen, reasonNoBranch)
		return
	}
	at := s.pos
	if c := s.peek(); c != '{' && c != '[' {
		s.skip() // what is wrong with the value itself comes first
	}
	s.refuseAt(at, reasonNoKind)
}

// Discriminator looks ahead in the object that follows for the first member of this name, whose value must be a string, and gives its
// characters. They are valid until the next call on s. nil is a refusal. Nothing is consumed, so the branch reads the member again; every
// branch must declare it, so that it is held to the rules for declared members.
func (s *Scanner) Discriminator(name string) []byte {
	at := s.pos
	s.chosen = 0
	if s.peek() != '{' {
		s.refuseHere(at, reasonObject)
		return nil
	}
	value := s.lookAhead(name)
	if value == 0 {
		s.refuseBranch(name)
		return nil
	}
	s.pos = value
	text, ok := s.readText()
	if !ok {
		return nil
	}
	s.pos = at
	s.chosen, s.chosenFor = value, at
	if text == nil {
		return []byte{}
	}
	return text
}

// refuseBranch refuses an object without the member that names its branch, or for the first fault in it.
func (s *Scanner) refuseBranch(name string) {
	s.skip()
	if !s.refused.set {
		s.refuse(refused{offset: s.pos - 1, name: name, reason: reasonBranch})
	}
}
