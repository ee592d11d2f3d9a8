package trace

import (
	"slices"
	"strings"
)

// kind is what a word may be.
type kind int

const (
	text     kind = iota
	flag          // an option without a value
	number        // not negative
	status        // of HTTP: three digits
	duration      // as in Go, in whole milliseconds
	state         // a state of a record, see States
)

// param is an argument or an option of a verb.
type param struct {
	name string
	kind kind
	// many: one or more, up to the end; the last argument only.
	many bool
	// needless: may be left out, with everything after it; the last arguments only.
	needless bool
}

// Verb is what an actor can do.
type Verb struct {
	name    string
	args    []param
	options []param
	// Purpose says it in a few words.
	Purpose string
}

// Name is the verb as it is written.
func (v *Verb) Name() string { return v.name }

var (
	key        = param{name: "KEY"}
	keys       = param{name: "KEY", many: true}
	outcome    = []param{key, {name: "STATUS", kind: status}, {name: "BODY", needless: true}}
	claiming   = []param{{name: "scope"}, {name: "before"}, {name: "keyspace"}, {name: "operation"}, {name: "command"}, {name: "business"}, {name: "retention", kind: duration}, {name: "again", kind: flag}}
	completing = []param{{name: "not-kept", kind: flag}, {name: "retention", kind: duration}}
)

var verbs = []Verb{
	{"claims", []param{key}, claiming, "takes a key in a transaction"},
	{"writes", []param{key, {name: "NAME"}}, nil, "writes in the open transaction or phase of a key"},
	{"completes", outcome, append(slices.Clone(completing), param{name: "rolling-back", kind: flag}), "stores an outcome, and commits; from status 400 on a failure"},
	{"releases", []param{key}, nil, "rolls back"},
	{"leases", []param{key}, append(slices.Clone(claiming), param{name: "lease", kind: duration}), "takes a key for a lease"},
	{"looks", []param{key}, []param{{name: "scope"}, {name: "keyspace"}}, "reads the record of a key"},
	{"takes", []param{key}, []param{{name: "lease", kind: duration}}, "takes over what the actor found last under a key"},
	{"opens", []param{key}, nil, "begins a phase of its attempt"},
	{"commits", []param{key, {name: "NAME"}, {name: "RESULT", needless: true}}, append(slices.Clone(completing), param{name: "ending", kind: status}, param{name: "body"}), "commits the phase, ending with an outcome if there is a status"},
	{"undoes", []param{key}, nil, "rolls the phase back"},
	{"settles", []param{key, {name: "STATE", kind: state}, {name: "STATUS", kind: status, needless: true}, {name: "BODY", needless: true}}, append(slices.Clone(completing), param{name: "after", kind: duration}), "ends its attempt without a phase"},
	{"extends", []param{keys}, nil, "sends a heartbeat for its attempts"},
	{"recovers", []param{{name: "LIMIT", kind: number}}, []param{{name: "operation"}}, "takes over what is due"},
	{"sweeps", []param{{name: "LIMIT", kind: number}}, nil, "deletes expired records"},
	{"erases", []param{{name: "VALUE", many: true}}, nil, "deletes the records of a scope"},
	{"lists", []param{{name: "LIMIT", kind: number}}, nil, "lists stuck records"},
	{"inspects", []param{key}, nil, "reads the record that stood under a key last"},
	{"resolves", outcome, completing, "stores an outcome for a stuck record"},
	{"frees", []param{key}, nil, "deletes a stuck record"},
	{"counts", []param{{name: "NAME"}}, nil, "counts the writes that were committed under a name"},
}

// Verbs gives every verb.
func Verbs() []Verb { return slices.Clone(verbs) }

func verbOf(name string) (*Verb, bool) {
	i := slices.IndexFunc(verbs, func(v Verb) bool { return v.name == name })
	if i < 0 {
		return nil, false
	}
	return &verbs[i], true
}

// Usage is how the verb is written.
func (v *Verb) Usage() string {
	var b strings.Builder
	b.WriteString(v.name)
	for _, p := range v.args {
		switch {
		case p.needless:
			b.WriteString(" [" + p.name + "]")
		case p.many:
			b.WriteString(" " + p.name + "…")
		default:
			b.WriteString(" " + p.name)
		}
	}
	for _, p := range v.options {
		if p.kind == flag {
			b.WriteString(" [" + p.name + "]")
			continue
		}
		b.WriteString(" [" + p.name + " " + kindNames[p.kind] + "]")
	}
	return b.String()
}

var kindNames = map[kind]string{text: "TEXT", number: "NUMBER", status: "STATUS", duration: "DURATION", state: "STATE"}
