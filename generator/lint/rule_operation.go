package lint

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/names"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// undecided finds POST and PATCH operations that nobody has looked at.
func undecided(r *review) {
	hint := r.doc.Extension + ": {scope: [tenant]}"
	if r.doc.Defaults.Scope.Set {
		hint = r.doc.Extension + ": required"
	}
	for _, c := range r.doc.Candidates {
		r.add(candidateName(c), diag.Diagnostic{Pos: c.Pos, Code: diag.OperationUndecided, Hint: hint + "   # or " + r.doc.Extension + ": {exempt: why}",
			Message: "nobody has decided whether " + candidateTitle(c) + " needs a key"})
	}
}

func candidateTitle(c openapi.Candidate) string {
	return title(&openapi.Operation{Method: c.Method, Path: c.Path, Webhook: c.Webhook})
}

// candidateName is what an acceptance calls an operation that has no contract.
func candidateName(c openapi.Candidate) string {
	if c.ID != "" {
		return c.ID
	}
	return candidateTitle(c)
}

// safeMethods are those of RFC 9110 section 9.2.1, and QUERY.
var safeMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"}

func safeAnnotated(r *review, s *contract.Survey) {
	if slices.Contains(safeMethods, s.Operation.Method) {
		r.add(s.Contract.Name, diag.Diagnostic{Pos: s.Operation.Annotation.Pos, Code: diag.SafeAnnotated, Hint: s.Annotated() + ": exempt",
			Message: s.Title() + " only reads: a retry does no harm, and a stored answer grows old"})
	}
}

// keyOfAttempt finds keys that every attempt has another one of. In a body a request's id may well be the command's.
func keyOfAttempt(r *review, s *contract.Survey) {
	key, n := s.Contract.Key, names.New(s.Contract.Key.Name)
	if s.Operation.Webhook != "" || !n.Trace() && (key.In != openapi.InHeader.String() || !n.RequestHeader()) {
		return
	}
	d := diag.Diagnostic{Pos: s.Operation.Annotation.Key.Pos, Code: diag.KeyOfAttempt, Hint: "key: header.Idempotency-Key",
		Message: s.Title() + " takes " + key.From + " for its key, and by its name every attempt has another one: a retry runs again"}
	if !d.Pos.IsValid() {
		d.Pos = s.Operation.Annotation.Pos
	}
	r.add(s.Contract.Name, d)
}

// scopeUnsecured finds scopes that need a caller whom the document does not ask for. Webhooks are authenticated by other means.
func scopeUnsecured(r *review, s *contract.Survey) {
	supplied := slices.IndexFunc(s.Contract.Scope, func(t contract.ScopeTerm) bool { return t.Dimension >= 0 })
	if supplied < 0 || s.Operation.Secured || s.Operation.Webhook != "" {
		return
	}
	scheme := "bearerAuth"
	if known := r.doc.SecuritySchemes; len(known) > 0 {
		scheme = known[0]
	}
	r.add(s.Contract.Name, diag.Diagnostic{Pos: s.Operation.Pos, Code: diag.ScopeUnsecured, Hint: "security: [{" + scheme + ": []}]",
		Message: fmt.Sprintf("%s has no security requirement, and its scope needs the caller's %s", s.Title(), s.Contract.Scope[supplied].Text),
		Related: []diag.Related{{Pos: s.Operation.Annotation.Scope.Pos, Message: "the scope"}}})
}

// answersUndeclared looks for the answers that duplicates get. Webhooks are described by those who send them.
func answersUndeclared(r *review, s *contract.Survey) {
	if s.Operation.Webhook != "" {
		return
	}
	var hints []string
	var missing []string
	for _, a := range expectedAnswers(r, s) {
		if code := strconv.Itoa(a.status); !declares(s.Operation.Responses.Codes, code) && !slices.Contains(missing, code) {
			missing = append(missing, code)
			hints = append(hints, fmt.Sprintf("'%s': {description: %s}", code, a.means))
		}
	}
	if len(missing) == 0 {
		return
	}
	d := diag.Diagnostic{Pos: s.Operation.Responses.Pos, Code: diag.AnswersUndeclared, Hint: strings.Join(hints, "\n"),
		Message: s.Title() + " does not declare " + strings.Join(missing, " and ") + ", which duplicates are answered with"}
	if !d.Pos.IsValid() {
		d.Pos, d.Hint = s.Operation.Pos, "responses:\n  "+strings.Join(hints, "\n  ")
	}
	r.add(s.Contract.Name, d)
}

type answer struct {
	status int
	means  string
}

// expectedAnswers are those of duplicates. Where nothing is compared only another operation's key is a mismatch.
func expectedAnswers(r *review, s *contract.Survey) []answer {
	key := s.Contract.Key.Name
	if s.Contract.Key.In == openapi.InBody.String() {
		key = "key"
	}
	out := []answer{{s.Contract.Statuses.InFlight, "the first request with this " + key + " has not ended yet"}}
	shared := slices.ContainsFunc(r.doc.Surveys, func(other contract.Survey) bool {
		return other.Contract != s.Contract && other.Contract.Keyspace == s.Contract.Keyspace
	})
	if s.Contract.Compare || shared {
		out = append(out, answer{s.Contract.Statuses.Mismatch, "this " + key + " belongs to another request"})
	}
	return out
}

// declares reports whether a status is among the codes of responses, itself or in a range.
func declares(codes []string, status string) bool {
	return slices.ContainsFunc(codes, func(code string) bool {
		return code == status || code == "default" || strings.EqualFold(code, status[:1]+"XX")
	})
}

func callsInside(r *review, s *contract.Survey) {
	a := s.Operation.Annotation
	if s.Contract.Execution != contract.Transactional || !s.Operation.Calls.IsValid() {
		return
	}
	d := diag.Diagnostic{Pos: a.Pos, Code: diag.CallsInside, Hint: s.LeasedHint(),
		Message: s.Title() + " is transactional and calls another system: a rollback does not take the call back, and a retry makes it again",
		Related: []diag.Related{{Pos: s.Operation.Calls, Message: "declared here"}}}
	if a.Execution.Set {
		d.Pos = a.Execution.Pos
	}
	r.add(s.Contract.Name, d)
}

// patternsNotGo compiles the patterns of all schemas of the request. The key's own is IDG325's.
func patternsNotGo(r *review, s *contract.Survey) {
	w := &schemaWalk{seen: map[*openapi.Schema]bool{}}
	for i := range s.Operation.Parameters {
		p := &s.Operation.Parameters[i]
		if !strings.EqualFold(p.Name, s.Contract.Key.Name) || p.In.String() != s.Contract.Key.In {
			w.visit(p.Schema)
		}
	}
	if s.Operation.Body != nil {
		for _, m := range s.Operation.Body.Media {
			w.visit(m.Schema)
		}
	}
	for _, schema := range w.list {
		_, err := regexp.Compile(schema.Pattern)
		fault := (*syntax.Error)(nil)
		if !errors.As(err, &fault) {
			continue
		}
		r.add(s.Contract.Name, diag.Diagnostic{Pos: schema.PatternPos, Code: diag.PatternsNotGo,
			Message: fmt.Sprintf("Go's regexp cannot read this pattern: %s: %s", fault.Code, strconv.Quote(fault.Expr)),
			Hint:    "write it in RE2's syntax, without look-ahead, look-behind and back references"})
	}
}

// schemaWalk lists schemas with a pattern, each once.
type schemaWalk struct {
	seen map[*openapi.Schema]bool
	list []*openapi.Schema
}

func (w *schemaWalk) visit(s *openapi.Schema) {
	if s == nil || w.seen[s] {
		return
	}
	w.seen[s] = true
	if s.Pattern != "" && s.PatternPos.IsValid() {
		w.list = append(w.list, s)
	}
	for _, p := range s.Properties {
		w.visit(p.Schema)
	}
	for _, list := range [][]*openapi.Schema{s.AllOf, s.OneOf, s.AnyOf} {
		for _, one := range list {
			w.visit(one)
		}
	}
	w.visit(s.Items)
	w.visit(s.Additional.Schema)
}
