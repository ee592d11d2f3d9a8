package generator

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/textgen"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Docs gives a sheet in Markdown for those who call the API: for every operation the key, what makes two requests the same, and all answers.
// The text is nil when the list has errors.
func Docs(document string, opts Options) ([]byte, diag.List, error) {
	u, err := compile(document, opts)
	if err != nil || u.api == nil || u.findings.HasErrors() {
		return nil, u.findings, err
	}
	text, err := textgen.Markdown(u.doc, u.api)
	if err != nil {
		return nil, u.findings, fmt.Errorf("generator: document %s: %w", slash(document), err)
	}
	return text, u.findings, nil
}

// WriteText brings one file to content, as a plan would: beside its place first, and not at all when it is current. It replaces any regular
// file. An error is a *BlockedError.
func WriteText(path string, content []byte) (Change, error) {
	const replaceable = true
	f := File{Path: path, Content: content, Lock: replaceable}
	if err := blocked(inTheWay(f)); err != nil {
		return Change{}, err
	}
	changes, err := (&Plan{Files: []File{f}}).Write()
	if err != nil {
		return Change{}, err
	}
	return changes[0], nil
}
