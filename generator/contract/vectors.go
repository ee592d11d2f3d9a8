package contract

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// AddVectors gives the current version of every contract its test vectors. They are made of the contract's types alone, never of the document's
// examples, which may hold what nobody should see. Every vector holds under the reference interpreter: one that does not is not made.
func AddVectors(api *API) {
	most := mostVectors(len(api.Contracts))
	for _, c := range api.Contracts {
		if c.Compare {
			reference, made := c.Version.reference(c.Name)
			m := newVectorMaker(reference, c.Path)
			for n, of := range made {
				m.quoted[of] = n.Text
			}
			c.Version.Vectors, c.Version.LeftOut = m.make(most)
		}
	}
}

// mostVectors bounds the vectors of one contract. In a document of very many operations each gets fewer, so that a lock stays one that people
// can read: about a megabyte for 500 operations.
func mostVectors(contracts int) int {
	switch {
	case contracts <= 100:
		return 40
	case contracts <= 300:
		return 20
	}
	return 10
}

// Bounds of single vectors.
const (
	typicalValues = 32   // values in the typical body, containers too, unless more are required
	allValues     = 64   // values in the body with everything
	mostTries     = 1e4  // values that are tried for one body: types that refer to one another have more paths than anybody needs
	mostIgnored   = 8    // ignored members in one vector
	largestBody   = 4096 // bytes; a whole request that needs more is not made
	longestChange = 512  // bytes of one change of a body
	longestPath   = 200  // bytes of a path in a change
)

// rank is the order in which vectors are chosen when there are more than the most: what tells most about a contract comes first.
type rank uint8

const (
	rankWhole rank = iota
	rankDiffers
	rankEqual
	rankRefused
	rankAbsent
	rankNull
	rankEmpty
	rankDefault
	rankMore
)

// candidate is a vector that may be chosen. One that names another as its base has a higher rank, or the same and comes later.
type candidate struct {
	rank   rank
	vector vector.Vector
	exact  bool // with its canonical text and digest, as whole requests have them
	asSent bool // its body is no JSON, or in pieces: others are thought of in JSON and spelled as the contract's kind of body
}

// vectorMaker collects the candidates of one contract, in the order in which they are to stand.
type vectorMaker struct {
	contract   *canon.Contract
	template   string
	media      canon.Media
	candidates []candidate
	names      map[string]bool
	quoted     map[*canon.Node]bool // numbers that the document declares as texts
}

func (m *vectorMaker) add(r rank, v vector.Vector) {
	if !m.names[v.Name] { // the branches of a union may have members of one name: the first one is told of
		m.names[v.Name] = true
		m.candidates = append(m.candidates, candidate{rank: r, vector: v, exact: v.Base() == ""})
	}
}

// addSent adds a vector that sends the typical request's body otherwise.
func (m *vectorMaker) addSent(r rank, v vector.Vector) {
	m.add(r, v)
	m.candidates[len(m.candidates)-1].asSent = true
}

// make gives at most `most` vectors, and how many more there would be.
func (m *vectorMaker) make(most int) (made []vector.Vector, left int) {
	if typical, ok := m.wholeRequests(); ok {
		m.bodyVectors(typical)
		m.paramVectors()
	}
	return m.choose(most)
}

func newVectorMaker(c *canon.Contract, template string) *vectorMaker {
	return &vectorMaker{contract: c, template: template, media: mediaOf(c), names: map[string]bool{}, quoted: map[*canon.Node]bool{}}
}

// choose keeps the candidates that come first by rank and that hold.
func (m *vectorMaker) choose(most int) (made []vector.Vector, left int) {
	order := make([]int, len(m.candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.candidates[a].rank, m.candidates[b].rank) })
	h := newHolder(m)
	var chosen []int
	for i, at := range order {
		if len(chosen) == most {
			left = len(order) - i
			break
		}
		if h.holds(&m.candidates[at]) {
			chosen = append(chosen, at)
		}
	}
	slices.Sort(chosen)
	for _, at := range chosen {
		made = append(made, m.candidates[at].vector)
	}
	return made, left
}

// holder knows the vectors that hold.
type holder struct {
	*vectorMaker
	thought  map[string]vector.Request // with bodies in JSON
	requests map[string]vector.Request
	seen     map[string]vector.Seen
}

func newHolder(m *vectorMaker) *holder {
	return &holder{vectorMaker: m, thought: map[string]vector.Request{}, requests: map[string]vector.Request{}, seen: map[string]vector.Seen{}}
}

// holds asks the reference interpreter, which also gives exact vectors their canonical text and digest.
func (h *holder) holds(c *candidate) bool {
	v := &c.vector
	base, known := h.requests[v.Base()]
	if v.Base() != "" && !known {
		return false // the base was none that holds
	}
	thought, err := vector.Apply(h.thought[v.Base()], v)
	if err != nil {
		return false
	}
	if !h.spell(c, thought) {
		return false
	}
	request, err := vector.Apply(base, v)
	if err != nil {
		return false
	}
	seen := vector.See(request, h.template, interpret(h.contract))
	if c.exact {
		v.Canonical, v.SHA256 = seen.Canonical, hex.EncodeToString(seen.Digest[:])
	}
	if v.Base() == "" && seen.Err != nil || v.Judge(seen, h.seen[v.Base()]) != "" {
		return false
	}
	if v.Refused == "" {
		h.thought[v.Name], h.requests[v.Name], h.seen[v.Name] = thought, request, seen
	}
	return true
}

// spell makes a vector that is thought of in JSON one of the bodies that the contract takes. whole is its request.
func (h *holder) spell(c *candidate, whole vector.Request) (can bool) {
	v := &c.vector
	base := h.thought[v.Base()]
	switch {
	case h.contract.View != "":
		*v = h.inView(*v, whole, base)
		return true
	case h.media == canon.NoBody, h.media == canon.JSON, c.asSent:
		return true
	}
	*v, can = h.inMedia(*v, whole, base)
	return can
}

// interpret is the reference interpreter as vectors ask it.
func interpret(c *canon.Contract) vector.Fingerprint {
	return func(r *canon.Request) (string, canon.Digest, error) {
		text, err := c.Canonical(r)
		if err != nil {
			return "", canon.Digest{}, err
		}
		digest, err := c.Digest(r)
		return string(text), digest, err
	}
}

// ExpandedVector is a vector with its whole request, and all that the reference interpreter makes of it.
type ExpandedVector struct {
	vector.Vector
	Whole  vector.Request
	Result vector.Seen // its Err is set where the request is refused
}

// Expand gives the current version's vectors one by one, so that no other one is needed to understand one.
func (c *Contract) Expand() ([]ExpandedVector, error) {
	requests, err := vector.Expand(c.Version.Vectors)
	if err != nil {
		return nil, fmt.Errorf("contract: expand vectors of %s: %w", c.Name, err)
	}
	fingerprint := interpret(c.Version.Reference(c.Name))
	out := make([]ExpandedVector, len(requests))
	for i, r := range requests {
		out[i] = ExpandedVector{Vector: c.Version.Vectors[i], Whole: r, Result: vector.See(r, c.Path, fingerprint)}
	}
	return out, nil
}
