package pgstore

import "github.com/idemgen/idemgen/runtime/idem"

// statement is one of a claim's.
type statement struct {
	sql  string
	args []any
	// needed: the claim has won only when it touched a row.
	needed bool
}

// rows are the statements that take the claim's rows, in the order in which everybody locks them: the record, its alias, its
// business keys.
func (a *attempt) rows(found *sight) []statement {
	scopes := scopesOf(a.claim)
	rows := make([]statement, 0, 1)
	rows = append(rows, a.recordRow(scopes, found))
	if len(scopes) > 1 {
		rows = append(rows, a.aliasRow(scopes, found))
	}
	if a.claim.Business != nil {
		for i, scope := range scopes {
			rows = append(rows, a.businessRow(scopes[0], scope, i, found))
		}
	}
	for i := range found.records {
		if r := &found.records[i]; r.exists() && r.leadsTo == "" {
			rows = append(rows, belongings([]doomed{r.doomed()})...) // what took its place has another id
		}
	}
	return rows
}

func (a *attempt) recordRow(scopes []string, found *sight) statement {
	c := a.claim
	var alias, lease any
	if len(scopes) > 1 {
		alias = scopes[1]
	}
	if a.mode == idem.Leased {
		lease = millis(c.Lease)
	}
	args := []any{scopes[0], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(),
		notNull(c.Fingerprints), c.Fields, retentionMillis(c.Retention), lockMillis(c.LockTimeout), timeoutMillis(c.IdleTimeout),
		a.store.clock(), lease, c.Request, c.Business, alias}
	if from, taken := found.token(0); taken {
		return statement{takeOverSQL, append(args, from), true}
	}
	return statement{claimSQL, args, true}
}

func (a *attempt) aliasRow(scopes []string, found *sight) statement {
	c := a.claim
	args := []any{scopes[1], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(), scopes[0],
		retentionMillis(c.Retention), lockMillis(c.LockTimeout), a.store.clock()}
	if from, taken := found.token(1); taken {
		return statement{aliasTakeOverSQL, append(args, from), true}
	}
	return statement{aliasSQL, args, true}
}

func (a *attempt) businessRow(home, scope string, i int, found *sight) statement {
	c := a.claim
	args := []any{scope, c.Keyspace, c.Business, home, c.Key, c.RecordID.String(), c.Token.String(), lockMillis(c.LockTimeout)}
	if i < len(found.business) && found.business[i].recordID != "" {
		return statement{businessTakeOverSQL, append(args, found.business[i].recordID), true}
	}
	return statement{businessSQL, args, true}
}

// token gives the token of the row that was found in the claim's place i.
func (s *sight) token(i int) (string, bool) {
	if i >= len(s.records) || !s.records[i].exists() {
		return "", false
	}
	return s.records[i].prior.Token.String(), true
}
