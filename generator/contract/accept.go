package contract

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Accepted is a change that forgets records and that somebody has answered for. It stays in the lock, for whoever asks later.
type Accepted struct {
	Change string // scope: [tenant] -> [tenant, user]
	Reason string
}

// forgets is a change against what is released, after which earlier requests are not known any more.
type forgets struct {
	what    string // scope, keyspace, key, …
	change  string
	finding diag.Diagnostic
}

// judgeForgotten reports the changes that forget records and that nobody has accepted, and gives c those that somebody has.
func (o *operation) judgeForgotten(c *Contract, opts Options) {
	if locked := opts.Lock.contract(c.Name); locked != nil {
		c.Accepted = locked.Accepted
	}
	if opts.Comparing {
		return
	}
	for _, f := range o.forgotten {
		answered := slices.ContainsFunc(c.Accepted, func(a Accepted) bool { return a.Change == f.change })
		switch {
		case answered:
		case opts.accepts(c.Name, f.what):
			c.Accepted = append(slices.Clip(c.Accepted), Accepted{f.change, opts.Reason})
		default:
			f.finding.Related = append(f.finding.Related, diag.Related{Pos: f.finding.Pos, Message: "if that is wanted: --accept " + c.Name + "." + f.what + " --reason WHY"})
			o.found.Add(f.finding)
		}
	}
}

// accepts reports whether the caller accepts a change: createPayment.scope, or createPayment for all of that contract.
func (o Options) accepts(contract, what string) bool {
	accepted := false
	for _, name := range []string{contract, contract + "." + what} {
		if slices.Contains(o.Accept, name) {
			o.Used[name] = true
			accepted = true
		}
	}
	return accepted
}

func (w *lockWriter) accepted(list []Accepted) {
	if len(list) > 0 {
		w.line(2, "accepted:")
	}
	for _, a := range list {
		w.line(3, "- change: "+yamlText(a.Change, blockText))
		w.line(3, "  reason: "+yamlText(a.Reason, blockText))
	}
}

// accepted reads the member of a contract.
func (r *lockReader) accepted(to *[]Accepted) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.bad(n, "accepted is no list")
			return
		}
		for _, item := range n.Content {
			var a Accepted
			r.record(item, "an accepted change", map[string]func(*yaml.Node){
				"change": r.scalar(&a.Change, "change", someText),
				"reason": r.scalar(&a.Reason, "reason", isReason),
			}, "change", "reason")
			*to = append(*to, a)
		}
	}
}

// isReason accepts a text of one line that says something.
func isReason(s string) bool {
	return strings.TrimSpace(s) == s && s != "" && !strings.ContainsAny(s, "\r\n")
}

// ValidReason reports whether a reason can stand in a lock.
func ValidReason(s string) bool { return isReason(s) }
