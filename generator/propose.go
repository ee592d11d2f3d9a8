package generator

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/propose"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

const overlaySuffix = ".idempotency.overlay.yaml"

// ProposeOptions say where a proposal goes. The zero ProposeOptions are the defaults.
type ProposeOptions struct {
	// InPlace puts the annotations into the document's own files, as text, in place of an overlay.
	InPlace bool
	// Out is the overlay's path. Empty means <base>.idempotency.overlay.yaml beside the document.
	Out string
}

// Proposal are annotations for the operations of a document that nobody has decided upon, in memory.
type Proposal struct {
	Document string
	// Files are what would be written: an overlay, or the document's files with lines put in. Empty: there is nothing to propose.
	Files []File
	// Scope says that the document's root gets a scope, whose annotations had none.
	Scope bool
	// Proposed counts the operations that get an annotation; Exempt those of them for which it says that they need no key.
	Proposed, Exempt int
	// LeftOut counts the others; each has a warning.
	LeftOut int
	// Undecided counts the lines that are marked so.
	Undecided int

	inPlace  bool
	overlays []string          // that were applied
	before   map[string][]byte // the files as they were read; in place only
	added    map[place]bool    // the lines that were put into them
}

// Propose guesses annotations for every POST and PATCH operation of the document that has none. The result is compiled: with it the
// document generates. The list holds what is wrong with the document as it is, with errors of which nothing is proposed, and a warning for
// every operation that is left out. The error says that the job could not be done.
func Propose(document string, opts Options, how ProposeOptions) (*Proposal, diag.List, error) {
	opts = opts.of(document)
	opts.Policy = opts.Policy.WithoutErrors() // what a proposal answers must not stop it
	opts.comparing = true                     // what an annotation that is there does to records is generate's to say
	p := &proposing{document: document, opts: opts, how: how, supposed: newSupposition()}
	base, err := compile(document, opts)
	if err != nil {
		return nil, base.findings, err
	}
	findings, unscoped := withoutScopes(tolerable(base.findings))
	p.doc, p.unscoped = base.doc, unscoped
	if findings.HasErrors() || base.doc == nil || unscoped && !p.givesScope() {
		return nil, tolerable(base.findings), nil
	}
	if err := p.run(); err != nil {
		return nil, findings, err
	}
	if findings.Append(p.stuck); findings.HasErrors() {
		return nil, findings, nil
	}
	result := p.proposal()
	for _, d := range p.drafts {
		if d.Left != "" {
			findings.Add(diag.Diagnostic{Pos: d.Candidate.Pos, Code: diag.ProposalLeftOut, Message: d.Title + " gets no proposal: " + d.Left})
		}
	}
	return result, findings, nil
}

// tolerable drops the findings that a proposal answers: that there is nothing to generate yet.
func tolerable(list diag.List) (out diag.List) {
	for _, d := range list.All() {
		if d.Code != diag.NoOperations && d.Code != diag.AllLeftOut {
			out.Add(d)
		}
	}
	return out
}

// withoutScopes drops the findings that a scope at the document's root answers, and reports whether there were any.
func withoutScopes(list diag.List) (out diag.List, some bool) {
	for _, d := range list.All() {
		if d.Code == diag.ScopeMissing {
			some = true
			continue
		}
		out.Add(d)
	}
	return out, some
}

// givesScope reports whether the proposal can give a scope to operations that are annotated.
func (p *proposing) givesScope() bool {
	return !p.how.InPlace || len(p.defaultsInPlace()) > 0
}

// proposing is a proposal on its way.
type proposing struct {
	document string
	opts     Options
	how      ProposeOptions
	doc      *openapi.Document // as it is
	unscoped bool              // an annotated operation has no scope
	supposed supposition
	drafts   []*propose.Draft // of all candidates, in the document's order
	files    []File           // rendered
	stuck    diag.List        // what was found with the proposal, and has nothing to do with it
	placed   map[place]propose.Line
	before   map[string][]byte
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func (p *proposing) run() error {
	if err := p.obstacle(); err != nil {
		return err
	}
	if err := p.suppose(p.doc.Candidates); err != nil {
		return err
	}
	for _, c := range p.doc.Candidates {
		p.drafts = append(p.drafts, p.draft(c))
	}
	return p.refine()
}

// obstacle refuses to edit files in place where not a single operation can be.
func (p *proposing) obstacle() error {
	if !p.how.InPlace || len(p.doc.Candidates) == 0 {
		return nil
	}
	for _, c := range p.doc.Candidates {
		if c.Insert.Refused == "" {
			return nil
		}
	}
	return p.notInPlace(p.doc.Candidates[0].Pos, p.doc.Candidates[0].Insert.Refused)
}

func (p *proposing) notInPlace(pos diag.Pos, why string) error {
	return blocked(one(diag.Diagnostic{
		Pos: pos, Code: diag.NotInPlace, Message: "nothing can be put into the text of " + pos.File + ": " + why + "; an overlay can annotate it",
		Hint: shellWords("idemgen", "init", slash(p.document)),
	}))
}

func (p *proposing) overlayPath() string {
	if p.how.Out != "" {
		return p.how.Out
	}
	return filepath.Join(filepath.Dir(p.document), stem(p.document)+overlaySuffix)
}

// readAs is the name under which the proposed overlay is compiled: one of its own, since its place may hold one that is applied as well.
func (p *proposing) readAs() string { return p.overlayPath() + ".proposed" }

// proposal gives the result.
func (p *proposing) proposal() *Proposal {
	out := &Proposal{Document: p.document, Files: p.files, Scope: p.unscoped, inPlace: p.how.InPlace, overlays: p.opts.Overlays, before: p.before}
	if p.how.InPlace {
		out.added = p.linesAdded()
	}
	for _, d := range p.drafts {
		switch {
		case d.Left != "":
			out.LeftOut++
			continue
		case d.Exempt():
			out.Exempt++
		}
		out.Proposed++
	}
	for _, f := range out.Files {
		out.Undecided += bytes.Count(f.Content, []byte("# undecided:")) - bytes.Count(p.before[f.Path], []byte("# undecided:"))
	}
	return out
}

// said is a finding as a comment tells it, beside the operation that title names.
func said(d diag.Diagnostic, title string) string {
	return fmt.Sprintf("%s [%s]", strings.TrimPrefix(d.Message, title+": "), d.Code)
}
