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
	for _, document := range distinct(documents) {
		u, err := compile(document, opts)
		findings.Append(u.findings)
		if err != nil {
			return findings, err
		}
	}
	if !findings.HasErrors() { // else not every rule was asked
		findings.Append(opts.Policy.Unused())
	}
	return findings, nil
}

// review asks the rules where the contracts could be built, and has the policy judge what was found.
func (u *unit) review(api *contract.API) {
	if u.doc == nil || api == nil {
		u.findings = u.opts.Policy.Judge(u.findings, nil)
		return
	}
	u.findings = u.opts.Policy.Judge(u.findings, lint.NamesOf(u.doc, api))
}
