package pgstore

import (
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
	rows = append(rows, a.recordRow(found))
	if len(scopes) > 1 {
		rows = append(rows, a.aliasRow(found))
	}
	if a.claim.Business != nil {
		for i, scope := range scopes {
			rows = append(rows, a.businessRow(scope, i, found))
		}
	}
	for i := range found.Records {
		if r := &found.Records[i]; r.Exists() && r.LeadsTo == "" {
			rows = append(rows, belongings([]columns.Doomed{r.Doomed()})...) // what took its place has another id
		}
	}
	return rows
}

func (a *attempt) recordRow(found *columns.Sight) statement {
	args := columns.RecordArgs(a.claim, a.mode, a.store.clock())
	if from, taken := found.Token(0); taken {
		return statement{pgsql.TakeOver, append(args, from), true}
	}
	return statement{pgsql.Claim, args, true}
}

func (a *attempt) aliasRow(found *columns.Sight) statement {
	args := columns.AliasArgs(a.claim, a.store.clock())
	if from, taken := found.Token(1); taken {
		return statement{pgsql.AliasTakeOver, append(args, from), true}
	}
	return statement{pgsql.Alias, args, true}
}

func (a *attempt) businessRow(scope string, i int, found *columns.Sight) statement {
	args := columns.BusinessArgs(a.claim, scope)
	if i < len(found.Business) && found.Business[i].RecordID != "" {
		return statement{pgsql.BusinessTakeOver, append(args, found.Business[i].RecordID), true}
	}
	return statement{pgsql.Business, args, true}
}
