package contract

import (
	"maps"

	"github.com/idemgen/idemgen/openapi"
)

// Moved puts together what is released of a document whose lock is not where the release has one, from released locks that are not at
// their places any more. local is what the document's lock file holds now; elsewhere reports contracts that the lock of another document
// has. Locks that come earlier decide where two are equally near. Nil: none of them is about the document, and lost says that one is about
// no document.
func Moved(doc *openapi.Document, local []*Lock, gone []*Lock, elsewhere func(name string) bool) (found *Lock, lost bool) {
	m := &mover{operations: map[string]string{}, elsewhere: elsewhere}
	for _, lock := range local {
		for name, c := range lock.Contracts {
			m.operations[name] = c.Operation
		}
	}
	for _, op := range doc.Operations {
		var was *Lock
		if len(local) > 0 {
			was = local[0]
		}
		m.operations[contractName(op, was).name] = operationText(op)
	}
	best, most := -1, 0
	for i, lock := range gone {
		if near := m.near(lock); near > most {
			best, most = i, near
		}
		for name := range lock.Contracts {
			lost = lost || !elsewhere(name)
		}
	}
	if best < 0 {
		return nil, lost
	}
	out := &Lock{Scheme: Scheme, Contracts: map[string]*LockedContract{}, Gone: gone[best].Gone}
	maps.Copy(out.Contracts, m.contracts(gone[best], true))
	for i, lock := range gone {
		if i == best {
			continue
		}
		for name, c := range m.contracts(lock, false) { // two documents became one
			if out.Contracts[name] == nil {
				out.Contracts[name] = c
			}
		}
	}
	return out, false
}

// mover knows the operations of a document by their contracts' names.
type mover struct {
	operations map[string]string
	elsewhere  func(name string) bool
}

// own says how sure it is that a released contract is the document's: 2 by name and operation, 1 by one of them and nobody else's.
func (m *mover) own(name string, c *LockedContract) int {
	operation, named := m.operations[name]
	if named && operation == c.Operation {
		return 2
	}
	for _, is := range m.operations {
		named = named || is == c.Operation
	}
	if named && !m.elsewhere(name) {
		return 1
	}
	return 0
}

func (m *mover) near(lock *Lock) (sum int) {
	for name, c := range lock.Contracts {
		sum += m.own(name, c)
	}
	return sum
}

// contracts are those of a lock that are the document's; with rest those too that are nobody's, which are gone then.
func (m *mover) contracts(lock *Lock, rest bool) map[string]*LockedContract {
	out := map[string]*LockedContract{}
	for name, c := range lock.Contracts {
		if m.own(name, c) > 0 || rest && !m.elsewhere(name) {
			out[name] = c
		}
	}
	return out
}
