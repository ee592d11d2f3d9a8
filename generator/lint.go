package generator

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Lint gives every finding about the documents, the rules' too, and writes nothing. Rules see documents that have no errors.
// The error says that a document could not be read.
func Lint(documents []string, opts Options) (diag.List, error) {
	var findings diag.List
	opts.linting = true
	reviewed := true // every rule was asked
	for _, document := range distinct(documents) {
		u, err := compile(document, opts)
		findings.Append(u.findings)
		if err != nil {
			return findings, err
		}
		reviewed = reviewed && u.api != nil
	}
	if reviewed {
		findings.Append(opts.Policy.Unused())
	}
	return findings, nil
}

// review asks the rules where the contracts could be built, and has the policy judge what was found. Outside of Lint only those are asked
// whose findings are errors by the policy.
func (u *unit) review(api *contract.API) {
	want := lint.All
	if !u.opts.linting {
		want = func(code diag.Code) bool { return u.opts.Policy.Level(code) == lint.Error }
	}
	if u.api != nil && lint.Wanted(want) {
		u.findings.Append(lint.Check(lint.Document{
			Document: u.doc, Surveys: contract.Surveys(u.doc, u.api, u.opts.extension()), Extension: u.opts.extension(),
		}, want))
	}
	var names lint.Names
	if u.doc != nil && api != nil {
		names = lint.NamesOf(u.doc, api)
	}
	u.findings = u.opts.Policy.Judge(u.findings, names)
}
