package generator

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/generator/propose"
	"github.com/idemgen/idemgen/openapi/diag"
)

// maxRounds bounds the work of refine. Every round takes something back, all that is refused at once; more than a handful never come.
const maxRounds = 50

// refine renders the drafts and compiles them until the generator takes what is left. What it refuses is taken back, line by line where
// the finding stands at a line that can go.
func (p *proposing) refine() error {
	for range maxRounds {
		if err := p.render(); err != nil {
			return err
		}
		if len(p.files) == 0 {
			return nil
		}
		changed, err := p.check()
		if err != nil || !changed {
			return err
		}
	}
	return fmt.Errorf("generator: propose %s: no proposal was accepted in %d rounds", slash(p.document), maxRounds)
}

// check compiles what is rendered. It reports whether a draft was changed by what was found; where nothing was, the proposal generates.
func (p *proposing) check() (changed bool, err error) {
	opts := p.opts
	opts.texts = map[string][]byte{}
	if p.how.InPlace {
		for _, f := range p.files {
			opts.texts[f.Path] = f.Content
		}
	} else {
		opts.texts[p.readAs()] = p.files[0].Content
		opts.Overlays = append(slices.Clone(opts.Overlays), p.readAs())
	}
	u, err := compile(p.document, opts)
	if err != nil {
		return false, err
	}
	if u.doc != nil {
		changed = p.judge(u)
	}
	rest := tolerable(u.findings)
	if !changed {
		for _, d := range rest.All() {
			if d.Severity == diag.Error && p.refuse(d) {
				changed = true
			}
		}
	}
	switch {
	case changed:
		return true, nil
	case rest.HasErrors(): // about something else: the lock, say
		p.stuck = rest
		return false, nil
	case u.api == nil: // every proposal says that nothing is to be generated
		return false, nil
	}
	_, err = u.emit()
	return false, err
}

// judge builds each proposed operation by itself, refuses what has errors and keeps the warnings to be told beside it.
func (p *proposing) judge(u *unit) (changed bool) {
	for _, op := range u.doc.Operations {
		at := op.Annotation.Pos
		if d := p.placed[place{at.File, at.Line}].Draft; d != nil {
			_, found := p.contractOf(op)
			changed = p.settle(d, found) || changed
		}
	}
	return changed
}

// settle takes what was found about one operation into its draft.
func (p *proposing) settle(d *propose.Draft, found diag.List) (changed bool) {
	var told []string
	whole := ""
	for _, f := range found.All() {
		line := p.placed[place{f.Pos.File, f.Pos.Line}]
		switch {
		case f.Severity == diag.Warning:
			if text := said(f, d.Title); !slices.Contains(told, text) {
				told = append(told, text)
			}
		case line.Draft == d && line.Entry != nil:
			d.Refuse(line.Entry, said(f, d.Title))
			changed = true
		case whole == "":
			whole = said(f, d.Title)
		}
	}
	if whole != "" && !changed {
		d.LeaveOut(whole)
		return true
	}
	if !slices.Equal(told, d.Told) {
		d.Told, changed = told, true
	}
	return changed
}

// refuse takes back what a finding about the document as a whole speaks of: it stands at a line of the proposal.
func (p *proposing) refuse(f diag.Diagnostic) bool {
	for _, at := range append([]diag.Pos{f.Pos}, related(f)...) {
		line := p.placed[place{at.File, at.Line}]
		d := line.Draft
		if d == nil {
			continue
		}
		switch {
		case f.Code == diag.NameClash && d.Name == "":
			d.Name = p.nameByPath(d)
		case line.Entry != nil:
			d.Refuse(line.Entry, said(f, d.Title))
		default:
			d.LeaveOut(said(f, d.Title))
		}
		return true
	}
	return false
}

// nameByPath is the contract's name that the operation would have without an operationId.
func (p *proposing) nameByPath(d *propose.Draft) string {
	op := *p.supposed.operations[keyOfCandidate(d.Candidate)]
	op.ID = ""
	c, _ := p.contractOf(&op)
	return c.Name
}

func related(f diag.Diagnostic) (out []diag.Pos) {
	for _, r := range f.Related {
		out = append(out, r.Pos)
	}
	return out
}

// render gives the files with the drafts as they are, and remembers which line says what.
func (p *proposing) render() error {
	defaults := p.unscoped || slices.ContainsFunc(p.drafts, func(d *propose.Draft) bool { return d.Left == "" && d.NeedsScope })
	p.placed, p.files = map[place]propose.Line{}, nil
	if p.how.InPlace {
		return p.renderInPlace(defaults)
	}
	lines := propose.Overlay(propose.About{Title: p.doc.Title, Document: filepath.Base(p.document), Extension: p.opts.extension(),
		Scope: defaults, Keyed: p.doc.Defaults.Key.Set}, p.drafts)
	if len(lines) == 0 {
		return nil
	}
	for i, l := range lines {
		p.placed[place{slash(p.readAs()), i + 1}] = l
	}
	p.files = []File{{Path: p.overlayPath(), Content: propose.Text(lines), Document: p.document}}
	return nil
}
