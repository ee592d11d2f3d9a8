package columns

import "github.com/idemgen/idemgen/runtime/idem"

// The parameters of the statements that claim, which every dialect numbers alike. now takes the place of the database's clock; nil
// leaves it.

// RecordArgs are those of the record's row. A takeover has the token that was found after them.
func RecordArgs(c *idem.Claim, mode idem.ExecutionMode, now any) []any {
	scopes := ScopesOf(c)
	var alias, lease any
	if len(scopes) > 1 {
		alias = scopes[1]
	}
	if mode == idem.Leased {
		lease = Millis(c.Lease)
	}
	return []any{scopes[0], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(),
		NotNull(c.Fingerprints), c.Fields, RetentionMillis(c.Retention), LockMillis(c.LockTimeout), TimeoutMillis(c.IdleTimeout),
		now, lease, c.Request, c.Business, alias}
}

// AliasArgs are those of the row under the second scope. A takeover has the token that was found after them.
func AliasArgs(c *idem.Claim, now any) []any {
	scopes := ScopesOf(c)
	return []any{scopes[1], c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(), scopes[0],
		RetentionMillis(c.Retention), LockMillis(c.LockTimeout), now}
}

// BusinessArgs are those of the business key's row under a scope. A takeover has the record's id that was found after them.
func BusinessArgs(c *idem.Claim, scope string) []any {
	return []any{scope, c.Keyspace, c.Business, ScopesOf(c)[0], c.Key, c.RecordID.String(), c.Token.String(), LockMillis(c.LockTimeout)}
}

// AddressOf are the parameters that name an attempt.
func AddressOf(l idem.LeaseRef) []any {
	return []any{HomeOf(l.Scope, l.Before), l.Keyspace, l.Key, l.Token.String()}
}
