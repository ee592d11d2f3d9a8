package openapi

import (
	"cmp"
	"time"

	"github.com/idemgen/idemgen/openapi/diag"
)

// newAnnotation is an annotation at pos in which nobody wrote anything.
func newAnnotation(pos diag.Pos) Annotation {
	return Annotation{
		Pos: pos, Mode: unset[Mode](pos), ExemptReason: unset[string](pos),
		Name: unset[string](pos), Key: Val[Key]{Value: newKey(pos), Pos: pos}, Scope: unset[Scope](pos), Keyspace: unset[string](pos),
		Fingerprint: Val[Fingerprint]{Value: newFingerprint(pos), Pos: pos}, Unique: unset[[]FieldPath](pos),
		Retention: unset[Retention](pos), Execution: unset[string](pos), Lease: unset[time.Duration](pos),
		Takeover: unset[string](pos), Attempts: unset[int](pos), Wait: unset[time.Duration](pos),
		KeepExcept: unset[[]Val[int]](pos), Replay: newReplay(pos), Errors: newErrors(pos),
	}
}

func newKey(pos diag.Pos) Key {
	return Key{From: unset[FieldPath](pos), Required: unset[bool](pos), MinLength: unset[int](pos),
		MaxLength: unset[int](pos), Format: unset[string](pos)}
}

func newFingerprint(pos diag.Pos) Fingerprint {
	return Fingerprint{Unknown: unset[string](pos), View: unset[View](pos)}
}

func newReplay(pos diag.Pos) Replay {
	return Replay{Pos: pos, Headers: unset[[]Val[string]](pos), Marker: unset[string](pos)}
}

func newErrors(pos diag.Pos) Errors {
	none := unset[int](pos)
	return Errors{Pos: pos, Missing: none, Malformed: none, Mismatch: none, InFlight: none, Unknown: none,
		Unavailable: none, Docs: unset[string](pos)}
}

func unset[T any](pos diag.Pos) Val[T] { return Val[T]{Pos: pos} }

// inheritAnnotation gives what holds for an operation: a member given lower replaces the whole member given higher.
// A level without a block is the zero Annotation. Mode, ExemptReason and Name are the operation's alone.
// checkAnnotation judges the result.
func inheritAnnotation(root, pathItem, operation Annotation) Annotation {
	out := operation
	for _, above := range []Annotation{pathItem, root} {
		out.Broken = out.Broken || above.Broken
		out.executionUnread = out.executionUnread || above.executionUnread
		out.Key = lower(out.Key, above.Key)
		out.Scope = lower(out.Scope, above.Scope)
		out.Keyspace = lower(out.Keyspace, above.Keyspace)
		out.Fingerprint = lower(out.Fingerprint, above.Fingerprint)
		out.Unique = lower(out.Unique, above.Unique)
		out.Retention = lower(out.Retention, above.Retention)
		out.Execution = lower(out.Execution, above.Execution)
		out.Lease = lower(out.Lease, above.Lease)
		out.Takeover = lower(out.Takeover, above.Takeover)
		out.Attempts = lower(out.Attempts, above.Attempts)
		out.Wait = lower(out.Wait, above.Wait)
		out.KeepExcept = lower(out.KeepExcept, above.KeepExcept)
		if !out.Replay.Set && above.Replay.Set {
			out.Replay = above.Replay
		}
		if !out.Errors.Set && above.Errors.Set {
			out.Errors = above.Errors
		}
	}
	return out
}

func lower[T any](below, above Val[T]) Val[T] {
	if below.Set || !above.Set {
		return below
	}
	return above
}

// checkAnnotation reports what can be judged only after inheritance: members of the operation's own block
// that make no sense with the execution that holds for it. merged is what inheritAnnotation gave for operation.
// The same members inherited from above are no fault: there they are defaults for the leased operations below.
func checkAnnotation(operation, merged Annotation, ds *diag.List) {
	if merged.Execution.Value == executionLeased || merged.executionUnread || operation.Mode.Value == ModeExempt {
		return
	}
	members := []struct {
		name string
		set  bool
		pos  diag.Pos
	}{
		{"lease", operation.Lease.Set, operation.Lease.Pos},
		{"takeover", operation.Takeover.Set, operation.Takeover.Pos},
		{"attempts", operation.Attempts.Set, operation.Attempts.Pos},
	}
	for _, m := range members {
		if !m.set {
			continue
		}
		d := diag.Diagnostic{Pos: m.pos, Code: diag.AnnotationLeasedOnly, Hint: "take " + m.name + " away",
			Message: m.name + " has a meaning only with execution: leased; this operation is " +
				cmp.Or(merged.Execution.Value, executionTransactional)}
		if merged.Execution.Set {
			d.Related = []diag.Related{{Pos: merged.Execution.Pos, Message: "the execution is chosen here"}}
		}
		ds.Add(d)
	}
}
