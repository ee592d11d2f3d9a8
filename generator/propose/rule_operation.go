package propose

import (
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/names"
	"github.com/idemgen/idemgen/openapi"
)

// operationNames are the names that rules about a whole operation look at.
type operationNames struct {
	id       names.Name
	segments []names.Name // of the path, variables left out
	last     names.Name   // the path's last segment, or the verb after its colon; empty where it is a variable
}

func namesOf(c openapi.Candidate) operationNames {
	n := operationNames{id: names.New(c.ID)}
	for segment := range strings.SplitSeq(strings.Trim(c.Path, "/"), "/") {
		segment, verb, _ := strings.Cut(segment, ":")
		n.last = names.Name{}
		for _, text := range []string{segment, verb} {
			if text != "" && !strings.ContainsAny(text, "{}") {
				n.last = names.New(text)
				n.segments = append(n.segments, n.last)
			}
		}
	}
	return n
}

// readRule recognises operations that change nothing that a retry could change twice.
type readRule struct {
	name   string
	fits   func(operationNames) bool
	reason string // of the exemption
}

var readRules = []readRule{
	{"graphql", func(n operationNames) bool { return n.last.Is("graphql") }, "GraphQL: one route for queries and mutations"},
	{"sign-in", signsIn, "signs in: every request may get a new session or token"},
	{"trial", tries, "tries out or computes, and keeps nothing"},
	{"search", searches, "reads only"},
}

// exemption gives the reason why an operation needs no key, and the rule; both are empty where none fits.
func exemption(c openapi.Candidate) (reason, rule string) {
	if c.Method != http.MethodPost || c.Webhook != "" {
		return "", ""
	}
	n := namesOf(c)
	for _, r := range readRules {
		if r.fits(n) {
			return r.reason, r.name
		}
	}
	return "", ""
}

// signsIn are logins and token endpoints. POST /tokens makes one to keep.
func signsIn(n operationNames) bool {
	if n.last.Is("login", "signin", "logon", "authenticate", "introspect") || n.begins("login", "signin", "authenticate", "introspect") {
		return true
	}
	auth := slices.ContainsFunc(n.segments, func(s names.Name) bool { return s.Is("oauth", "oauth2", "auth", "connect", "openid", "sts") })
	return n.last.Is("token") && (auth || len(n.segments) == 1)
}

func tries(n operationNames) bool {
	verbs := []string{"preview", "validate", "simulate", "estimate", "calculate"}
	return n.last.Is(verbs...) || n.begins(verbs...)
}

func searches(n operationNames) bool {
	verbs := []string{"search", "query", "find", "lookup"}
	return n.last.Is(verbs...) || n.begins(append(verbs, "list", "get")...)
}

// begins reports whether the operationId begins with a verb, and with no second one that writes.
func (n operationNames) begins(verbs ...string) bool {
	if words := n.id.Words(); len(words) == 0 || !slices.Contains(verbs, words[0]) {
		return false
	}
	_, writes := n.id.Has("create", "add", "insert", "update", "set", "save", "replace", "delete", "remove", "submit", "send", "start", "or", "and")
	return !writes
}

// outward are words for what usually happens in somebody else's system.
var outward = []string{"capture", "charge", "transfer", "payout", "refund", "withdraw", "withdrawal", "disburse", "disbursement", "settle",
	"settlement", "notify", "ship", "dispatch"}

// callsOut says why the operation may call another system; empty where nothing speaks for it.
func callsOut(c openapi.Candidate) string {
	if c.Calls.IsValid() {
		return "the document has callbacks or links to another server"
	}
	n := namesOf(c)
	for _, of := range append(slices.Clone(n.segments), n.id) {
		if word, ok := of.Has(outward...); ok {
			return `it is about "` + word + `"`
		}
	}
	return ""
}
