package storetest

import (
	"strings"

	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

// transactionsOf are the transactions and phases that are open at a place of a trace, by actor and key.
type transactionsOf map[string]bool

// beside reports whether a step writes in a transaction of its own while another one is open, and keeps account of what is open.
func (o *transactionsOf) beside(s *trace.Step) bool {
	if *o == nil {
		*o = transactionsOf{}
	}
	verb, others := s.Verb.Name(), len(*o) > 0
	switch verb {
	case "claims", "opens":
		begins := strings.HasPrefix(s.Want, "ours") || verb == "opens"
		if begins {
			(*o)[s.Actor+" "+s.Key()] = true
		}
		return others && begins
	case "completes", "releases", "commits", "undoes":
		delete(*o, s.Actor+" "+s.Key())
		return false
	case "leases":
		return others && strings.HasPrefix(s.Want, "ours")
	case "looks", "lists", "inspects", "writes":
		return false
	}
	return others
}
