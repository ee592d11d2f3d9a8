package columns

import "github.com/idemgen/idemgen/runtime/idem"

// Record is a row as it was read, with what the clocks said then. The zero Record is an absent one.
type Record struct {
	Prior    idem.Prior
	Expired  bool
	Business []byte // the digest of its business key
	// LeadsTo is the scope of the record to which this row, an alias, leads; empty in a record.
	LeadsTo string
	// Target is that record, when it is there and has not expired.
	Target *Record
}

// action asks the decision table. Stores do not compare commands, and no action that a store takes depends on the comparison.
func (r *Record) action() idem.Action {
	return idem.Decide(idem.ConditionOf(r.Prior.State, r.Expired, r.Prior.LeaseOver), idem.SameCommand, idem.Transactional)
}

// Exists reports whether there is a row.
func (r *Record) Exists() bool { return r.Prior.State != idem.StateAbsent || r.LeadsTo != "" }

// Live gives the record that answers for the row; nil when its key is free.
func (r *Record) Live() *Record {
	if r.LeadsTo != "" {
		return r.Target
	}
	if r.action() == idem.ActClaim {
		return nil
	}
	return r
}

// Doomed is a record that is about to be deleted.
type Doomed struct {
	Scope, Keyspace, Key string
	ID                   string
	Alias                string // its second scope; empty: none
	Business             []byte
}

// Doomed gives what it takes to delete r.
func (r *Record) Doomed() Doomed {
	d := Doomed{Scope: r.Prior.Scope, Keyspace: r.Prior.Keyspace, Key: r.Prior.Key, ID: r.Prior.RecordID.String(), Business: r.Business}
	if r.Prior.Before != "" {
		d.Scope, d.Alias = r.Prior.Before, r.Prior.Scope
	}
	return d
}

// BusinessKey is a row that says to which record a business key leads. The zero one is an absent row.
type BusinessKey struct {
	Scope, Key, RecordID string
	Target               *Record // the record, when it is there and has not expired
}

// Sight is what a claim found in its places. The zero Sight is that nothing was seen yet.
type Sight struct {
	Records  []Record      // of each scope, as ScopesOf gives them
	Business []BusinessKey // of each scope; none without a business key
}

// Standing gives the first record in the claim's way: under its key, then under its business key.
func (s *Sight) Standing() (idem.Prior, bool) {
	for i := range s.Records {
		if r := s.Records[i].Live(); r != nil {
			return r.Prior, true
		}
	}
	for _, k := range s.Business {
		if k.Target != nil {
			p := k.Target.Prior
			p.Business = true
			return p, true
		}
	}
	return idem.Prior{}, false
}

// Spent reports whether the claim's own record has ended and expired, when none stands in its way. Its id must not begin again, and
// what belonged to it must not be taken for what belongs to another.
func (s *Sight) Spent(c *idem.Claim) bool {
	r := &s.Records[0]
	return r.Exists() && r.LeadsTo == "" && r.Prior.RecordID == c.RecordID
}

// Token gives the token of the row that was found in the claim's place i.
func (s *Sight) Token(i int) (string, bool) {
	if i >= len(s.Records) || !s.Records[i].Exists() {
		return "", false
	}
	return s.Records[i].Prior.Token.String(), true
}
