package lint

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// rule finds what one code is about. One of its functions is set.
type rule struct {
	code      diag.Code
	document  func(*review)
	operation func(*review, *contract.Survey)
	part      func(*review, *contract.Survey, *contract.Surveyed)
}

// rules has one for each code of IDG5xx, but for [diag.AcceptanceUnused], which is about a policy.
var rules = []rule{
	{code: diag.OperationUndecided, document: undecided},
	{code: diag.SafeAnnotated, operation: safeAnnotated},
	{code: diag.RequiredIgnored, part: requiredIgnored},
	{code: diag.HeaderUnlisted, part: headerUnlisted},
	{code: diag.KeyCounts, part: keyCounts},
	{code: diag.AttemptCounts, part: attemptCounts},
	{code: diag.StampCounts, part: stampCounts},
	{code: diag.DefaultDistinct, operation: defaultDistinct},
	{code: diag.MoneyDouble, part: moneyDouble},
	{code: diag.MoneyNumber, part: moneyNumber},
	{code: diag.SecretGuessable, operation: secretGuessable},
	{code: diag.KeyOfAttempt, operation: keyOfAttempt},
	{code: diag.ScopeUnsecured, operation: scopeUnsecured},
	{code: diag.AnswersUndeclared, operation: answersUndeclared},
	{code: diag.CallsInside, operation: callsInside},
	{code: diag.PatternsNotGo, operation: patternsNotGo},
}

// Document is what rules look at.
type Document struct {
	*openapi.Document
	Surveys []contract.Survey
	// Extension is the annotation's name, for hints.
	Extension string
}

// All wants every rule.
func All(diag.Code) bool { return true }

// Wanted reports whether any rule is wanted.
func Wanted(want func(diag.Code) bool) bool {
	for _, r := range rules {
		if want(r.code) {
			return true
		}
	}
	return false
}

// Check asks the rules whose codes are wanted.
func Check(doc Document, want func(diag.Code) bool) diag.List {
	r := &review{doc: doc}
	for _, of := range rules {
		if want(of.code) {
			r.ask(of)
		}
	}
	return r.found
}

// review is one look at a document.
type review struct {
	doc   Document
	found diag.List
}

func (r *review) ask(of rule) {
	if of.document != nil {
		of.document(r)
		return
	}
	for i := range r.doc.Surveys {
		s := &r.doc.Surveys[i]
		if of.operation != nil {
			of.operation(r, s)
			continue
		}
		for j := range s.Parts {
			of.part(r, s, &s.Parts[j])
		}
	}
}

// add takes a finding about the operation called about.
func (r *review) add(about string, d diag.Diagnostic) {
	d.About = about
	r.found.Add(d)
}

// addPart takes a finding about how a part counts. It stands at the entry that names the part, else where fields are chosen.
func (r *review) addPart(s *contract.Survey, p *contract.Surveyed, code diag.Code, message, hint string) {
	d := diag.Diagnostic{Pos: p.Said, Code: code, Message: message, Hint: hint, Related: []diag.Related{{Pos: p.Pos, Message: "declared here"}}}
	if !d.Pos.IsValid() {
		d.Pos = s.FieldsPos()
	}
	r.add(s.Contract.Name, d)
}
