package contract

import "github.com/idemgen/idemgen/openapi/diag"

// Lock is the content of <base>.idempotency.lock.yaml (FINGERPRINT section 4).
type Lock struct {
	Scheme    string
	Contracts map[string]*LockedContract
}

// LockedContract is one contract in the lock.
type LockedContract struct {
	Pos                                                         diag.Pos
	Operation, Key, Scope, Keyspace, Retention, Execution, Keep string
	Current                                                     int
	Versions                                                    map[int]*LockedVersion
}

// LockedVersion is one version of a contract in the lock.
type LockedVersion struct {
	ID        string
	Retention string
	Fields    []Field
	Unknown   string
	Ignored   []string
}

// ParseLock reads a lock file strictly; file is its name for diagnostics.
func ParseLock(data []byte, file string) (*Lock, diag.List) {
	panic("contract: ParseLock is built in this slice")
}

// EncodeLock writes the lock of api. The bytes depend on the contracts alone.
func EncodeLock(api *API) []byte { panic("contract: EncodeLock is built in this slice") }
