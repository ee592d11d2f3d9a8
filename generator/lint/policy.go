package lint

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Level is how much findings of one code weigh.
type Level uint8

const (
	Default Level = iota // as the code's table row says
	Off
	Warning
	Error
)

// Levels are the words for levels that a team writes.
var Levels = []string{"off", "warning", "error"}

// ParseLevel reads one of [Levels].
func ParseLevel(word string) (Level, bool) {
	i := slices.Index(Levels, word)
	return Level(i + 1), i >= 0
}

// Policy is what a team has decided about findings. The zero Policy changes nothing.
type Policy struct {
	// Levels has the codes that weigh something else than by default. None of them is an error by default.
	Levels map[diag.Code]Level
	// Accepted are the findings that were looked at and are right as they are.
	Accepted []Acceptance
	// Folder is where the files of acceptances are: the policy's own, relative to the working folder.
	Folder string
	// Whole says that the documents of this run are all that the policy is about, so that an acceptance which matches nothing there
	// matches nothing at all.
	Whole bool

	used map[int]bool
}

// Acceptance says that findings of a code at one place are right, and why.
type Acceptance struct {
	Pos    diag.Pos // where it was written
	Code   diag.Code
	At     string // an operation, by its contract's name, its operationId or its method and path; or file:line
	Reason string
}

// Names are the names that operations have beside their contracts': by operationId, and by method and path.
type Names map[string]string

// NamesOf collects them. An operation without a contract goes by its operationId, else by its method and path.
func NamesOf(doc *openapi.Document, api *contract.API) Names {
	names := Names{}
	contracts := map[route]string{}
	for _, c := range api.Contracts {
		contracts[route{c.Method, c.Path, c.Webhook}] = c.Name
	}
	for _, op := range doc.Operations {
		name, ok := contracts[route{op.Method, op.Path, op.Webhook}]
		if !ok {
			continue
		}
		names[title(op)] = name
		if op.ID != "" {
			names[op.ID] = name
		}
	}
	for _, c := range doc.Candidates {
		names[candidateTitle(c)] = candidateName(c)
	}
	return names
}

type route struct{ method, path, webhook string }

// title is an operation as people name it who have no name for it.
func title(op *openapi.Operation) string {
	if op.Webhook != "" {
		return "webhook " + op.Webhook
	}
	return op.Method + " " + op.Path
}

// Level is how much findings of code weigh.
func (p *Policy) Level(code diag.Code) Level {
	if p == nil {
		return Default
	}
	return p.Levels[code]
}

// WithoutErrors gives the policy with no finding weighing as an error.
func (p *Policy) WithoutErrors() *Policy {
	if p == nil {
		return nil
	}
	out := *p
	out.Levels, out.used = maps.Clone(p.Levels), nil
	for code, level := range out.Levels {
		if level == Error {
			out.Levels[code] = Warning
		}
	}
	return &out
}

// Judge gives what is left of found: without what is off, what is accepted as such, and each finding with its level. Errors stay as they
// are.
func (p *Policy) Judge(found diag.List, names Names) diag.List {
	if p == nil {
		return found
	}
	var out diag.List
	found.Each(func(d diag.Diagnostic) { // one at a place that operations share is accepted when it is for each of them
		if d.Severity == diag.Error {
			out.Add(d)
			return
		}
		reason, accepted := p.accepts(d, names)
		switch {
		case p.Level(d.Code) == Off:
			return
		case accepted:
			out.Accept(d, reason)
			return
		case p.Level(d.Code) == Error:
			d.Severity = diag.Error
		}
		out.Add(d)
	})
	return out
}

// accepts gives why somebody has accepted d, and remembers by what. All acceptances that match are used.
func (p *Policy) accepts(d diag.Diagnostic, names Names) (reason string, accepted bool) {
	for i, a := range p.Accepted {
		if a.Code != d.Code || !p.at(a.At, d, names) {
			continue
		}
		reason, accepted = cmp.Or(reason, a.Reason), true
		if p.used == nil {
			p.used = map[int]bool{}
		}
		p.used[i] = true
	}
	return reason, accepted
}

// FileLine is the form of a place in a file.
var FileLine = regexp.MustCompile(`^(.+):([1-9][0-9]{0,8})$`)

// at reports whether place is that of d.
func (p *Policy) at(place string, d diag.Diagnostic, names Names) bool {
	if d.About != "" && (place == d.About || names[place] == d.About) {
		return true
	}
	m := FileLine.FindStringSubmatch(place)
	if m == nil {
		return false
	}
	line, _ := strconv.Atoi(m[2]) // its form was checked
	return line == d.Pos.Line && sameFile(filepath.Join(p.Folder, filepath.FromSlash(m[1])), filepath.FromSlash(d.Pos.File))
}

func sameFile(a, b string) bool {
	absolute := func(path string) string {
		if full, err := filepath.Abs(path); err == nil {
			return full
		}
		return filepath.Clean(path)
	}
	return absolute(a) == absolute(b)
}

// Unused are warnings about acceptances that matched nothing that was judged. It gives none where that proves nothing: where the policy is
// about other documents too.
func (p *Policy) Unused() (out diag.List) {
	if p == nil || !p.Whole {
		return out
	}
	for i, a := range p.Accepted {
		if !p.used[i] {
			out.Add(diag.Diagnostic{Pos: a.Pos, Code: diag.AcceptanceUnused, Hint: "take the entry away",
				Message: fmt.Sprintf("nothing at %s has the finding %s: what was accepted is not there any more", a.At, a.Code)})
		}
	}
	return (&Policy{Levels: p.Levels}).Judge(out, nil)
}
