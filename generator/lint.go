package generator

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Rule finds what reading and building accept and a reviewer should still look at.
type Rule func(doc *openapi.Document, api *contract.API) diag.List

// Lint gives every finding about the documents and writes nothing. Rules see documents that have no errors.
// The error says that a document could not be read.
func Lint(documents []string, opts Options, rules ...Rule) (diag.List, error) {
	var findings diag.List
	for _, document := range distinct(documents) {
		u, err := compile(document, opts)
		findings.Append(u.findings)
		if err != nil {
			return findings, err
		}
		if u.api == nil {
			continue
		}
		for _, rule := range rules {
			findings.Append(rule(u.doc, u.api))
		}
	}
	return findings, nil
}
