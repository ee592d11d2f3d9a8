package contract

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// versions compares what is hashed.
func (d *differ) versions() {
	was, is := d.was, d.is
	switch {
	case was.Unchecked && is.Unchecked:
		return
	case was.Unchecked:
		d.add("fingerprint", "none", "version "+strconv.Itoa(is.Current), VerdictDangerous, d.ofRecords("records that were made before cannot be compared: their retries are answered 503 until they expire"))
		return
	case is.Unchecked:
		d.add("fingerprint", "version "+strconv.Itoa(was.Current), "none", VerdictDangerous, d.ofRecords("another request with the key of an earlier one gets that one's answer"))
		return
	}
	d.lost()
	old, now := was.Versions[was.Current], is.Versions[is.Current]
	if old.ID == now.ID {
		return
	}
	verdict, retry := VerdictVersion, d.recognised()
	if is.version(old.ID) == 0 {
		verdict, retry = VerdictDangerous, d.ofRecords("the new program does not know the version any more: a retry of an earlier request is answered 503 until its record expires")
	}
	d.add("fingerprint", versionText(was.Current, old.ID), versionText(is.Current, now.ID), verdict, retry)
	d.fields(old, now)
}

func versionText(number int, id string) string { return fmt.Sprintf("version %d, id %s", number, id) }

// lost reports versions that went without being pruned. The current one is fingerprint's.
func (d *differ) lost() {
	for _, number := range slices.Sorted(maps.Keys(d.was.Versions)) {
		id := d.was.Versions[number].ID
		switch {
		case number == d.was.Current || d.is.version(id) != 0:
		case slices.Contains(d.is.Retired, retiredText(number, id)):
			d.add("versions", versionText(number, id), "", VerdictSame, d.ofRecords("it was pruned: a record that only it knows answers 503 until it expires"))
		default:
			d.add("versions", versionText(number, id), "", VerdictDangerous, d.ofRecords("records that only it knows are answered 503 until they expire"))
		}
	}
}

// recognised says of a new version what a retry gets: what the same change does to records goes before.
func (d *differ) recognised() string {
	_, was := lockedKey(d.was.Key)
	_, is := lockedKey(d.is.Key)
	if was != is || longerRetention(d.was.Retention, d.is.Retention) {
		return d.ofRecords("where its record is found, " + retryRecognised)
	}
	return d.ofRecords(retryRecognised)
}

// unlessKnown is the rest of a sentence that says what is refused: what has a record is recognised before it is refused, where nobody has decoded
// the request before the key is looked up.
func (d *differ) unlessKnown() string {
	if d.forgotten {
		return ""
	}
	return ", unless its record is known by the older version; a bound strict server (oapi-codegen, ogen) decodes before the key is looked up, " +
		"and what its schema does not take any more it refuses even then, though it was carried out"
}

// fields compares two versions line by line.
func (d *differ) fields(old, now *LockedVersion) {
	was, is := map[string]string{}, map[string]string{}
	for path, rules := range map[*LockedVersion]map[string]string{old: was, now: is} {
		for _, f := range path.Fields {
			rules[f.Path] = f.lockRule()
		}
		for _, ignored := range path.Ignored {
			rules[ignored] = ignoredRule
		}
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was[path] != is[path] {
			verdict, retry := judgeField(was[path], is[path], now.Unknown, d.unlessKnown())
			d.add(path, was[path], is[path], verdict, retry)
		}
	}
	if old.Unknown != now.Unknown {
		verdict, retry := VerdictVersion, "undeclared members mean something else from now on"
		if now.Unknown == rejectPolicy {
			verdict, retry = VerdictRefused, "a request with an undeclared member is refused with 400"+d.unlessKnown()
		}
		d.add("unknown", old.Unknown, now.Unknown, verdict, retry)
	}
	for _, m := range old.media() {
		if !slices.Contains(now.media(), m) {
			d.add("media", m, "", VerdictRefused, "a body of that kind is answered 415"+d.unlessKnown())
		}
	}
}

const (
	ignoredRule  = "ignored"
	rejectPolicy = "reject"
)

// media lists the kinds of bodies in the lock's words.
func (l *LockedVersion) media() (out []string) {
	for _, m := range l.spec(false).Accepts {
		out = append(out, mediaNames()[m])
	}
	return out
}

// judgeField says what a changed line does. Which values a rule takes is known from its head; what is narrower refuses, unless is when not.
func judgeField(was, is, unknown, unless string) (Verdict, string) {
	old, _ := parseRule(strings.TrimSuffix(was, sensitiveTrait))
	now, _ := parseRule(strings.TrimSuffix(is, sensitiveTrait))
	switch {
	case is == "" && unknown == rejectPolicy:
		return VerdictRefused, "a request that has it is refused with 400" + unless
	case is == "":
		return VerdictVersion, "it is an undeclared part from now on"
	case is == ignoredRule:
		return VerdictVersion, "two requests that differ in nothing else are the same command from now on"
	case now.presence == requiredMember && old.presence != requiredMember:
		return VerdictRefused, "a request without it is refused with 400" + unless
	case was == "" || was == ignoredRule:
		return VerdictVersion, "two requests that differ in it are two commands from now on"
	case old.head == now.head && old.null != NullRefused && now.null == NullRefused:
		return VerdictRefused, "a request in which it is null is refused with 400" + unless
	case old.head != now.head && narrower(old.head, now.head):
		return VerdictRefused, "a request whose value " + now.head + " does not read is refused with 400" + unless
	}
	return VerdictVersion, "its spellings are compared otherwise from now on"
}

// narrower reports whether a head refuses values that another one takes.
func narrower(was, is string) bool {
	texts := map[string]bool{"exact/1": true, "ascii-lower/1": true, "ascii-upper/1": true, "ascii-trim/1": true}
	arrays := func(head string) bool {
		return strings.HasPrefix(head, "list/") || strings.HasPrefix(head, "set/") || strings.HasPrefix(head, "multiset/")
	}
	switch {
	case is == "generic/1", texts[was] && texts[is], arrays(was) && arrays(is), was == objectHead && is == mapHead:
		return false
	case was == "int/1" && (is == "decimal/1" || is == "double/1"), was == "decimal/1" && is == "double/1":
		return false
	}
	return true
}
