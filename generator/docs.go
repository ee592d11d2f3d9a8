package generator

import (
	"fmt"
	"os"

	"github.com/idemgen/idemgen/generator/textgen"
	"github.com/idemgen/idemgen/openapi"
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

// EnrichedDocument gives the document's own text with what clients have to know of its contracts: the key's parameter, the answers, the
// marker of replays, and a paragraph in each operation's description. The text is nil when the list has errors. left are the contracts whose
// operations stand in other files, which are not touched. The error is openapi.ErrNotEditable for a document that is written in a way in which
// nothing can be added safely.
func EnrichedDocument(document string, opts Options) (text []byte, left []string, findings diag.List, err error) {
	u, err := compile(document, opts)
	if err != nil || u.api == nil || u.findings.HasErrors() {
		return nil, nil, u.findings, err
	}
	data, err := os.ReadFile(document)
	if err != nil {
		return nil, nil, u.findings, fmt.Errorf("generator: document %s: %w", slash(document), err)
	}
	editable, err := openapi.ParseText(slash(document), data)
	if err == nil {
		text, left, err = textgen.Enrich(u.doc, u.api, editable)
	}
	if err != nil {
		return nil, nil, u.findings, fmt.Errorf("generator: document %s: %w", slash(document), err)
	}
	return text, left, u.findings, nil
}
