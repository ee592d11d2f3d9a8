// Package lint looks at annotated documents like a careful reviewer: everything in them can be generated, and some of it is probably not
// meant. It also knows what a team has decided about findings: how much each kind weighs, and which single ones are accepted.
//
// # Usage
//
//	found := lint.Check(doc, contract.Surveys(doc, api, options), lint.All)
//	found = policy.Judge(found, lint.NamesOf(doc, api))
//
// # Guarantees
//
// Each rule has a code of its own, IDG5xx, and each such code one rule. A finding stands where it can be mended, and its hint can be pasted
// there. The result is a function of the document and the policy.
//
// A policy makes warnings heavier, lighter or silent. Errors about documents and contracts it never touches.
//
// # Not included
//
// What is wrong with a document: that is found where it is read and where contracts are built.
//
// This package reads and writes no files.
package lint
