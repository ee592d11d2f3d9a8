package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// What becomes of records when the place that they are found under changes.
const (
	unrecognised = "keys of earlier requests are no longer recognised, so a retry of one runs again"
	otherCommand = "a retry of an earlier request is answered as another command's"
)

// earlier finds what the lock knows of a contract: what it has for the operation, under the same name if possible, else what it
// has under the name. A contract that vanished while another appeared is not guessed at.
func (l *Lock) earlier(operation, name string) (string, *LockedContract) {
	if l == nil {
		return "", nil
	}
	if was := l.pinned(operation, name); was != "" {
		return was, l.Contracts[was]
	}
	return name, l.Contracts[name]
}

// reportForgotten compares c with what is released, or with the lock where nobody knows, and reports changes after which records are not
// found, or no longer kept.
func (o *operation) reportForgotten(c *Contract, opts Options) {
	lock := opts.Lock
	if opts.Released != nil {
		lock = opts.Released
	}
	name, was := lock.earlier(operationText(o.src), c.Name)
	if was == nil || o.found.HasErrors() { // what could not be read is not compared
		o.judgeForgotten(c, opts)
		return
	}
	o.compareName(c, name, was)
	o.compareScope(c, was)
	o.compareKey(c, was)
	o.compareUnique(c, was)
	if longerRetention(was.Retention, c.RetentionText) {
		r := o.src.Annotation.Retention
		o.forget(r.Pos, "retention", was.Retention, c.RetentionText, "a retry that comes later than that runs again",
			o.memberHint(r.Set, "retention: "+was.Retention))
	}
	o.judgeForgotten(c, opts)
}

// compareScope compares where records stand. While a scope changes they stand under two, and one that both programs know is enough.
func (o *operation) compareScope(c *Contract, was *LockedContract) {
	now := scopeTexts(c.Scope)
	for _, scope := range [][]string{now, scopeTexts(c.Before)} {
		if len(scope) > 0 && (slices.Equal(scope, was.Scope) || slices.Equal(scope, was.Before)) {
			return
		}
	}
	o.forget(o.src.Annotation.Scope.Pos, "scope", listText(was.Scope), listText(now), unrecognised,
		"scope: {now: "+listText(now)+", before: "+listText(was.Scope)+"}")
}

// compareUnique compares business keys: one that is made otherwise finds no earlier one.
func (o *operation) compareUnique(c *Contract, was *LockedContract) {
	if was.Unique == nil {
		return
	}
	now, hint := "none", o.memberHint(false, "unique: "+listText(was.Unique.paths()))
	if c.Unique != nil {
		if now = string(c.Unique.Version.ID); now == was.Unique.ID {
			return
		}
		if hint = "unique: " + listText(was.Unique.paths()); slices.Equal(c.Unique.Paths, was.Unique.paths()) {
			hint = "" // the values are the same, and read otherwise
		}
	}
	o.forget(o.src.Annotation.Unique.Pos, "business key", was.Unique.ID, now,
		"a duplicate of an earlier request that comes with another key, or with none, runs again", hint)
}

// compareName compares name and keyspace: the one that nobody wrote follows the other.
func (o *operation) compareName(c *Contract, name string, was *LockedContract) {
	a := &o.src.Annotation
	if c.Name != name {
		effect := otherCommand
		if c.Keyspace != was.Keyspace {
			effect = unrecognised
		}
		o.forget(a.Name.Pos, "name", name, c.Name, effect, o.memberHint(a.Name.Set, "name: "+yamlText(name, blockText)))
	}
	followed := c.Name != name && !a.Keyspace.Set && was.Keyspace == name
	if c.Keyspace != was.Keyspace && !followed {
		o.forget(a.Keyspace.Pos, "keyspace", was.Keyspace, c.Keyspace, unrecognised,
			o.memberHint(a.Keyspace.Set, "keyspace: "+yamlText(was.Keyspace, blockText)))
	}
}

func (o *operation) compareKey(c *Contract, was *LockedContract) {
	k := o.src.Annotation.Key
	from, format := lockedKey(was.Key)
	if from != c.Key.From {
		hint := "key: " + yamlText(from, blockText)
		switch {
		case o.shortForm() && !k.Set:
			hint = fmt.Sprintf("%s: {key: %s}", o.annotated(), o.movedKey(from))
		case k.Value.Required.Set || k.Value.MinLength.Set || k.Value.MaxLength.Set || k.Value.Format.Set:
			hint = "from: " + yamlText(from, blockText)
		}
		o.forget(validPos(k.Value.From.Pos, k.Pos), "key", from, c.Key.From, unrecognised, hint)
	}
	if format != c.Key.Format {
		hint := "take format away"
		if format != "" {
			hint = "format: " + format
		}
		o.forget(validPos(k.Value.Format.Pos, k.Pos), "format of the key", cmp.Or(format, "any"), cmp.Or(c.Key.Format, "any"),
			"keys of earlier requests that have capital letters are no longer recognised, so a retry of one runs again", hint)
	}
}

// movedKey is the key at another place, for the long form of an annotation that is short.
func (o *operation) movedKey(from string) string {
	if o.key.Required {
		return yamlText(from, flowText)
	}
	return "{from: " + yamlText(from, flowText) + ", required: false}"
}

func (o *operation) forget(pos diag.Pos, what, was, is, effect, hint string) {
	name := strings.ReplaceAll(what, " ", "-")
	o.forgotten = append(o.forgotten, forgets{what: name, change: fmt.Sprintf("%s: %s -> %s", name, was, is), finding: diag.Diagnostic{
		Pos: validPos(pos, o.src.Annotation.Pos), Code: diag.RecordsForgotten, Hint: hint,
		Message: fmt.Sprintf("%s: the %s is %s in the lock and %s now: %s", o.title(), what, was, is, effect)}})
}

func validPos(pos, otherwise diag.Pos) diag.Pos {
	if pos.IsValid() {
		return pos
	}
	return otherwise
}

// lockedKey takes place and format out of what keyText wrote.
func lockedKey(text string) (from, format string) {
	text, uuid := strings.CutSuffix(text, " uuid")
	if uuid {
		format = "uuid"
	}
	for _, word := range []string{requiredWord(true), requiredWord(false)} {
		if at := strings.LastIndex(text, " "+word+" "); at >= 0 {
			return text[:at], format
		}
	}
	return text, format
}

func scopeTexts(terms []ScopeTerm) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Text
	}
	return out
}

// listText writes a list as a hint has it.
func listText(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = yamlText(item, flowText)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
