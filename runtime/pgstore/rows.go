package pgstore

import (
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// statement is one of a claim's.
type statement struct {
	sql  string
	args []any
	// needed: the claim has won only when it touched a row.
	needed bool
}

// rows are the statements that take the claim's rows, in the order in which everybody locks them: the record, its alias, its
// business keys.
func (a *attempt) rows(found *columns.Sight) []statement {
	scopes := columns.ScopesOf(a.claim)
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
	for i := range found.Records {
		if r := &found.Records[i]; r.Exists() && r.LeadsTo == "" {
			rows = append(rows, belongings([]columns.Doomed{r.Doomed()})...) // what took its place has another id
		}
	}
	return rows
}

func (a *attempt) recordRow(scopes []string, found *columns.Sight) statement {
	c := a.claim
	var alias, lease any
	if len(scopes) > 1 {
		alias = scopes[1]
	}
	if a.mode == idem.Leased {
		lease = columns.Millis(c.Lease)
	}
	args := []any{scopes[0], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(),
		columns.NotNull(c.Fingerprints), c.Fields, columns.RetentionMillis(c.Retention), columns.LockMillis(c.LockTimeout), columns.TimeoutMillis(c.IdleTimeout),
		a.store.clock(), lease, c.Request, c.Business, alias}
	if from, taken := found.Token(0); taken {
		return statement{pgsql.TakeOver, append(args, from), true}
	}
	return statement{pgsql.Claim, args, true}
}

func (a *attempt) aliasRow(scopes []string, found *columns.Sight) statement {
	c := a.claim
	args := []any{scopes[1], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(), scopes[0],
		columns.RetentionMillis(c.Retention), columns.LockMillis(c.LockTimeout), a.store.clock()}
	if from, taken := found.Token(1); taken {
		return statement{pgsql.AliasTakeOver, append(args, from), true}
	}
	return statement{pgsql.Alias, args, true}
}

func (a *attempt) businessRow(home, scope string, i int, found *columns.Sight) statement {
	c := a.claim
	args := []any{scope, c.Keyspace, c.Business, home, c.Key, c.RecordID.String(), c.Token.String(), columns.LockMillis(c.LockTimeout)}
	if i < len(found.Business) && found.Business[i].RecordID != "" {
		return statement{pgsql.BusinessTakeOver, append(args, found.Business[i].RecordID), true}
	}
	return statement{pgsql.Business, args, true}
}
