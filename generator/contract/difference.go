package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Verdict says what a change does to retries that are under way while it is deployed.
type Verdict string

const (
	// VerdictSame: requests are the same commands as before, and records are found.
	VerdictSame Verdict = "same"
	// VerdictVersion: what makes two requests the same command has changed; a version was added, and the older one is known to both programs.
	VerdictVersion Verdict = "new version"
	// VerdictRefused: some requests that were accepted are not any more.
	VerdictRefused Verdict = "retries refused"
	// VerdictDangerous: records are not found, or not compared, so a retry may run twice, be refused or get another answer.
	VerdictDangerous Verdict = "dangerous"
)

// Difference is one change of a contract between two locks.
type Difference struct {
	Contract string
	Pos      diag.Pos // of the contract in the newer lock, else in the older one
	What     string   // scope, retention, body.amount, …; empty: the contract as a whole
	Was, Is  string   // empty: it was not there, or is not
	Verdict  Verdict
	// Retry says what happens to a retry of an earlier request, in a sentence.
	Retry string
	// Accepted is the reason that somebody gave for a dangerous change.
	Accepted string
}

// What becomes of a retry, in sentences. Those of changes that forget records are shared with IDG357.
const (
	retryRecognised = "a retry of an earlier request is recognised by the version that it was made under, by the old program and the new one"
	retryNotFound   = "it decides about later requests alone: records of earlier ones are not found"
)

// Differences compares two locks of one document, contract by contract. Two equal locks have none.
func Differences(was, is *Lock) []Difference {
	var out []Difference
	names := map[string]bool{}
	for _, l := range []*Lock{was, is} {
		for name := range l.Contracts {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d := &differ{contract: name, was: was.Contracts[name], is: is.Contracts[name]}
		switch {
		case d.was == nil:
			d.appeared(was, is)
		case d.is == nil:
			d.gone(is)
		default:
			d.compare()
		}
		out = append(out, d.found...)
	}
	return out
}

// differ collects the differences of one contract.
type differ struct {
	contract string
	was, is  *LockedContract
	found    []Difference
	// forgotten: no record of an earlier request is found any more, so that nothing else may be said to become of one.
	forgotten bool
}

func (d *differ) add(what, was, is string, verdict Verdict, retry string) {
	out := Difference{Contract: d.contract, What: what, Was: was, Is: is, Verdict: verdict, Retry: retry}
	if d.is != nil {
		out.Pos = d.is.Pos
		out.Accepted = d.is.answered(what, was, is)
	} else {
		out.Pos = d.was.Pos
	}
	d.found = append(d.found, out)
}

// answered gives the reason for which somebody has accepted a change; empty when nobody has.
func (c *LockedContract) answered(what, was, is string) (reason string) {
	change := fmt.Sprintf("%s: %s -> %s", what, was, is)
	for _, a := range c.Accepted {
		if a.Change == change {
			reason = a.Reason
		}
	}
	return reason
}

// changed adds a difference if the two differ.
func (d *differ) changed(what, was, is string, verdict Verdict, retry string) {
	if was != is {
		d.add(what, was, is, verdict, retry)
	}
}

// appeared judges a contract that the older lock does not have. Its operation may have had another name.
func (d *differ) appeared(was, is *Lock) {
	for _, name := range slices.Sorted(maps.Keys(was.Contracts)) {
		if was.Contracts[name].Operation == d.is.Operation && is.Contracts[name] == nil {
			d.add("", "", d.is.Operation, VerdictSame, "the operation is the one of "+name+", whose change of name says what becomes of retries")
			return
		}
	}
	d.add("", "", d.is.Operation, VerdictSame, "the operation had no contract: its retries ran again until now")
}

// gone judges a contract that the newer lock does not have. Its operation may have another name now.
func (d *differ) gone(is *Lock) {
	for _, name := range slices.Sorted(maps.Keys(is.Contracts)) {
		now := is.Contracts[name]
		if now.Operation != d.was.Operation {
			continue
		}
		retry := unrecognised
		if now.Keyspace == d.was.Keyspace {
			retry = otherCommand
		}
		d.add("name", d.contract, name, VerdictDangerous, retry)
		d.found[0].Accepted = now.answered("name", d.contract, name)
		return
	}
	d.add("", d.was.Operation, "", VerdictDangerous, "the operation has no contract any more: "+runsAgain)
	for _, g := range is.Gone {
		if g.Contract == d.contract && g.Operation == d.was.Operation {
			d.found[0].Accepted = g.Reason
		}
	}
}

func (d *differ) compare() {
	was, _ := lockedKey(d.was.Key)
	is, _ := lockedKey(d.is.Key)
	d.forgotten = d.otherScope() || d.was.Keyspace != d.is.Keyspace || was != is
	d.records()
	d.terms()
	d.versions()
}

// otherScope reports whether records stand under no scope that both programs know.
func (d *differ) otherScope() bool {
	both := func(scope []string) bool {
		return len(scope) > 0 && (slices.Equal(scope, d.was.Scope) || slices.Equal(scope, d.was.Before))
	}
	return !both(d.is.Scope) && !both(d.is.Before)
}

// ofRecords is what becomes of a retry whose record is found.
func (d *differ) ofRecords(retry string) string {
	if d.forgotten {
		return retryNotFound
	}
	return retry
}

// records compares where records stand.
func (d *differ) records() {
	was, is := d.was, d.is
	d.changed("operation", was.Operation, is.Operation, VerdictSame, d.ofRecords("keys stay what they were; clients that ask for the old path get what the server says there"))
	if !slices.Equal(was.Scope, is.Scope) || !slices.Equal(was.Before, is.Before) {
		verdict, retry := VerdictSame, d.ofRecords("records stand under both scopes, so the old program and the new one find them")
		if d.otherScope() {
			verdict, retry = VerdictDangerous, unrecognised
		}
		d.add("scope", listText(was.Scope)+before(was.Before), listText(is.Scope)+before(is.Before), verdict, retry)
	}
	d.changed("keyspace", was.Keyspace, is.Keyspace, VerdictDangerous, unrecognised)
	fromWas, formatWas := lockedKey(was.Key)
	fromIs, formatIs := lockedKey(is.Key)
	switch {
	case fromWas != fromIs:
		d.add("key", was.Key, is.Key, VerdictDangerous, unrecognised)
	case formatWas != formatIs:
		d.add("format-of-the-key", cmp.Or(formatWas, "any"), cmp.Or(formatIs, "any"), VerdictDangerous, "keys that have capital letters or are no UUIDs are not recognised")
	case was.Key != is.Key:
		d.add("key", was.Key, is.Key, VerdictRefused, "a request whose key does not fit is refused with 400, or runs without a key where none is required")
	}
	d.unique()
}

func before(scope []string) string {
	if len(scope) == 0 {
		return ""
	}
	return " before " + listText(scope)
}

func (d *differ) unique() {
	text := func(u *LockedUnique) string {
		if u == nil {
			return "none"
		}
		return u.ID
	}
	was, is := text(d.was.Unique), text(d.is.Unique)
	if d.was.Unique == nil {
		d.changed("business-key", was, is, VerdictSame, "duplicates of requests that come from now on are found, those of earlier ones are not")
		return
	}
	d.changed("business-key", was, is, VerdictDangerous, "a duplicate of an earlier request that comes with another key, or with none, runs again")
}

// terms compares what decides about answers.
func (d *differ) terms() {
	was, is := d.was, d.is
	verdict, retry := VerdictSame, "a record that was made before keeps its end"
	if longerRetention(was.Retention, is.Retention) {
		verdict, retry = VerdictDangerous, "a retry that comes later than that runs again"
	}
	d.changed("retention", was.Retention, is.Retention, verdict, retry)
	d.changed("execution", was.Execution, is.Execution, VerdictSame, d.ofRecords("a record that is completed answers as before; "+executionChange(is.Execution)))
	d.changed("lease", was.Lease, is.Lease, VerdictSame, "an attempt that is running keeps the lease that it has")
	d.changed("takeover", was.Takeover, is.Takeover, VerdictSame, "an attempt that ended without an outcome is treated by the program that finds it")
	d.changed("attempts", was.Attempts, is.Attempts, VerdictSame, "attempts are counted on")
	d.changed("concurrent", cmp.Or(was.Wait, "reject"), cmp.Or(is.Wait, "reject"), VerdictSame, "only duplicates of a running request notice")
	d.changed("keep", was.Keep, is.Keep, VerdictSame, "what is stored stays stored")
}

// executionChange says what becomes of a record that is not completed. A transactional program takes over no leased attempt.
func executionChange(is string) string {
	if is == Leased {
		return "a leased attempt that is in flight, or was cut off, is answered 409 by programs that are still transactional, until a new one has finished it"
	}
	return "a leased attempt that was cut off is answered 409 until a program that is still leased has finished it, or somebody resolves it"
}

// DifferenceFindings are the differences that a reviewer has to look at: the dangerous ones that nobody has answered for, and those after
// which requests are refused.
func DifferenceFindings(all []Difference) diag.List {
	var found diag.List
	for _, d := range all {
		out := diag.Diagnostic{Pos: d.Pos, Message: d.String() + ": " + d.Retry}
		switch {
		case d.Verdict == VerdictDangerous && d.Accepted != "":
			out.Code = diag.RecordsForgotten
			found.Accept(out, d.Accepted)
			continue
		case d.Verdict == VerdictDangerous:
			out.Code = diag.RecordsForgotten
		case d.Verdict == VerdictRefused:
			out.Code = diag.RetriesRefused
		default:
			continue
		}
		found.Add(out)
	}
	return found
}

// String says what has changed, without a verdict: pay: scope: [tenant] -> [user].
func (d Difference) String() string {
	text := d.Contract
	if d.What != "" {
		text += ": " + d.What
	}
	switch {
	case d.Was == "":
		return text + ": new: " + d.Is
	case d.Is == "":
		return text + ": gone: " + d.Was
	}
	return text + ": " + d.Was + " -> " + d.Is
}
