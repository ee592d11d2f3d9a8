package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// The forms of the lock's values, as EncodeLock writes them.
var (
	operationForm = regexp.MustCompile(`^([A-Z]+ /.*|(?s:webhook .+))$`)
	keyForm       = regexp.MustCompile(`^(header|body|path|query)\S.* (required|optional) [0-9]+\.\.[0-9]+( uuid)?$`)
	keepForm      = regexp.MustCompile(`^all( except \[[1-9][0-9]{2}(, [1-9][0-9]{2})*\])?$`)
	idForm        = regexp.MustCompile(`^[0-9a-f]{16}$`)
	policyForm    = regexp.MustCompile(`^(reject|ignore|include)$`)
	ruleForm      = regexp.MustCompile(`^(view\([A-Za-z_][A-Za-z0-9_]*\)/[1-9][0-9]*|` + headForm + `)( of (` + headForm + `|\(` + headForm + `( null=distinct)?( unknown=[a-z]+)?\)))?` +
		`( required| optional)?( null=(distinct|absent))?( unknown=(reject|ignore|include))?( split="[ |,]")?( default=.+?)?( sensitive)?$`)
)

const (
	quotedForm = `"([^"\\]|\\.)*"`
	// pathForm is what a recursion points to; isFieldPath looks closer at the paths of lines.
	pathForm = `body([^ "()]|` + quotedForm + `)*`
	headForm = `(object|map|union(\(([^ "(){}]+|` + quotedForm + `)\))?|recursion of ` + pathForm + `|[a-z][a-z0-9-]*/[1-9][0-9]*)`
)

func someText(s string) bool { return s != "" }

func wholeText(s string) bool { return wholeNumber.MatchString(s) }

func oneOf(words ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}

func isRetention(s string) bool {
	_, ok := parseRetention(s)
	return ok
}

func isDuration(s string) bool {
	_, ok := parseDuration(s)
	return ok
}

func isWait(s string) bool {
	d, ok := strings.CutPrefix(s, waitPrefix)
	return ok && isDuration(d)
}

func isTemplate(s string) bool { return strings.HasPrefix(s, "/") }

func isRetired(s string) bool {
	_, ok := parseRetired(s)
	return ok
}

func isFieldPath(s string) bool {
	plain, ok := plainPath(s)
	_, err := openapi.ParseFieldPath(plain)
	return ok && err == nil
}

// lock reads the whole file.
func (r *lockReader) lock(root *yaml.Node) *Lock {
	out := &Lock{Contracts: map[string]*LockedContract{}}
	r.record(root, "the lock", map[string]func(*yaml.Node){
		"scheme": func(n *yaml.Node) {
			if out.Scheme = n.Value; out.Scheme != Scheme {
				r.report(r.pos(n), diag.LockScheme, fmt.Sprintf("the lock's scheme is %q, this idemgen knows %s", oneLine(n.Value), Scheme), "")
			}
		},
		"contracts": func(n *yaml.Node) {
			for _, p := range r.mapping(n, "contracts") {
				if !validName(p.name.Value) {
					r.bad(p.name, "%q is no contract name", p.name.Value)
				}
				out.Contracts[p.name.Value] = r.contract(p.name, p.value)
			}
		},
		"gone": r.gone(&out.Gone),
	}, "scheme", "contracts")
	return out
}

func (r *lockReader) contract(name, n *yaml.Node) *LockedContract {
	c := &LockedContract{Pos: r.pos(name), Versions: map[int]*LockedVersion{}}
	what := "contract " + name.Value
	var fingerprint, current string
	before := r.found.Len()
	r.record(n, what, map[string]func(*yaml.Node){
		"operation":   r.scalar(&c.Operation, "operation", operationForm.MatchString),
		"key":         r.scalar(&c.Key, "key", keyForm.MatchString),
		"scope":       r.list(&c.Scope, "scope", someText),
		"before":      r.list(&c.Before, "before", someText),
		"keyspace":    r.scalar(&c.Keyspace, "keyspace", someText),
		"retention":   r.scalar(&c.Retention, "retention", isRetention),
		"execution":   r.scalar(&c.Execution, "execution", oneOf(Transactional, Leased)),
		"lease":       r.scalar(&c.Lease, "lease", isDuration),
		"takeover":    r.scalar(&c.Takeover, "takeover", oneOf(TakeoverRecover, TakeoverRetake, TakeoverHold)),
		"attempts":    r.scalar(&c.Attempts, "attempts", wholeText),
		"concurrent":  r.scalar(&c.Wait, "concurrent", isWait),
		"keep":        r.scalar(&c.Keep, "keep", keepForm.MatchString),
		"unique":      func(n *yaml.Node) { c.Unique = r.unique(n, what) },
		"fingerprint": r.scalar(&fingerprint, "fingerprint", oneOf("none")),
		"current":     r.scalar(&current, "current", wholeText),
		"versions":    func(n *yaml.Node) { r.versions(c, n) },
		"accepted":    r.accepted(&c.Accepted),
		"retired":     r.list(&c.Retired, "retired", isRetired),
	}, "operation", "key", "scope", "keyspace", "retention", "execution", "keep")
	c.Wait = strings.TrimPrefix(c.Wait, waitPrefix)
	c.Unchecked = fingerprint != ""
	c.Current, _ = strconv.Atoi(current) // its form was checked; 0 when it is missing
	if r.found.Len() == before {
		r.checkLease(c, n, what)
	}
	r.checkVersions(c, n, what)
	return c
}

// checkLease demands what a leased contract has, and of a transactional one that it has none of that.
func (r *lockReader) checkLease(c *LockedContract, n *yaml.Node, what string) {
	for _, m := range []struct{ name, value string }{{"lease", c.Lease}, {"takeover", c.Takeover}, {"attempts", c.Attempts}} {
		switch {
		case c.Execution == Leased && m.value == "":
			r.report(r.pos(n), diag.LockMember, what+" is leased and has no "+m.name, "")
		case c.Execution == Transactional && m.value != "":
			r.bad(n, "%s is transactional and has a %s", what, m.name)
		}
	}
}

// checkVersions holds a contract to the version that it calls its current one, and to ids that are each another one.
func (r *lockReader) checkVersions(c *LockedContract, n *yaml.Node, what string) {
	switch {
	case n.Kind != yaml.MappingNode:
	case c.Unchecked && (c.Current != 0 || len(c.Versions) > 0):
		r.bad(n, "%s has fingerprint: none and versions", what)
	case c.Unchecked:
	case c.Current == 0:
		r.report(r.pos(n), diag.LockMember, what+" has no current", "")
	case c.Versions[c.Current] == nil:
		r.bad(n, "%s has no version %d, which it calls current", what, c.Current)
	}
	ids := map[string]int{}
	for number, v := range c.Versions {
		if first := ids[v.ID]; first != 0 {
			r.report(r.pos(n), diag.LockVersions, fmt.Sprintf("%s has the id %s in version %d and in version %d", what, v.ID, min(first, number), max(first, number)), "")
		}
		ids[v.ID] = number
	}
}

func (r *lockReader) versions(c *LockedContract, n *yaml.Node) {
	for _, p := range r.mapping(n, "versions") {
		if !wholeText(p.name.Value) {
			r.bad(p.name, "%q is no version number", p.name.Value)
			continue
		}
		number, _ := strconv.Atoi(p.name.Value) // its form was checked
		c.Versions[number] = r.version(p.value, "version "+p.name.Value)
	}
}

func (r *lockReader) version(n *yaml.Node, what string) *LockedVersion {
	v := &LockedVersion{Pos: r.pos(n)}
	policy := false
	r.record(n, what, map[string]func(*yaml.Node){
		"id":        r.scalar(&v.ID, "id", idForm.MatchString),
		"retention": r.scalar(&v.Retention, "retention", isRetention),
		"path":      r.scalar(&v.Path, "path", isTemplate),
		"unknown": func(n *yaml.Node) {
			policy = true
			r.scalar(&v.Unknown, "unknown", policyForm.MatchString)(n)
		},
		"ignored": r.list(&v.Ignored, "ignored", isFieldPath),
		"media":   r.mediaList(v),
		"types":   r.list(&v.Types, "types", someText),
		"parts":   r.parts(v),
		"fields":  r.fields(&v.Fields),
		"vectors": func(n *yaml.Node) { r.vectors(v, n) },
	}, "id", "retention", "fields")
	if !policy && slices.ContainsFunc(v.Fields, func(f Field) bool { return f.inBody() && !f.viewed() }) {
		r.report(r.pos(n), diag.LockMember, what+" has no unknown", "")
	}
	return v
}

func (r *lockReader) unique(n *yaml.Node, of string) *LockedUnique {
	u := &LockedUnique{}
	r.record(n, "unique of "+of, map[string]func(*yaml.Node){
		"id":     r.scalar(&u.ID, "id", idForm.MatchString),
		"fields": r.fields(&u.Fields),
	}, "id", "fields")
	return u
}

func (r *lockReader) fields(to *[]Field) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, p := range r.mapping(n, "fields") {
			if !isFieldPath(p.name.Value) {
				r.bad(p.name, "%q is no field path", p.name.Value)
			}
			f := Field{Path: p.name.Value}
			r.scalar(&f.Rule, "a field's rule", ruleForm.MatchString)(p.value)
			f.Rule, f.Sensitive = strings.CutSuffix(f.Rule, sensitiveTrait)
			*to = append(*to, f)
		}
	}
}
