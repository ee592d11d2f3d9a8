package openapi

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Options say how a document is read.
type Options struct {
	// Overlays are OpenAPI Overlay 1.0 files, applied in order.
	Overlays []string
	// Extension is the annotation's name. Empty means x-idempotency.
	Extension string
	// Webhooks allows annotations below `webhooks`.
	Webhooks bool
	// Texts are read in place of the files of these names, be they on disk or not.
	Texts map[string][]byte
	// Suppose reads candidates for which it is true as if `x-idempotency: {}` stood at them. Nil: none.
	Suppose func(Candidate) bool
}

// Load reads the document in file with all that it refers to, and gives its annotated operations resolved.
// Everything that is wrong with the document is in the list, all at once; the document is nil when nothing could be made of it.
// The error says that the job could not be done at all: a file that cannot be read.
func Load(file string, opts Options) (*Document, diag.List, error) {
	var from folder = disk{}
	if len(opts.Texts) > 0 {
		from = newLayered(from, opts.Texts)
	}
	return load(from, file, opts)
}

func load(from folder, file string, opts Options) (*Document, diag.List, error) {
	ds := &diag.List{}
	l := newLoading(from, opts, ds)
	doc, err := l.document(filepath.ToSlash(file))
	return doc, *ds, err
}

func newLoading(from folder, opts Options, ds *diag.List) *loading {
	l := &loading{
		opts: opts, extension: opts.Extension, ds: ds,
		files:   &files{folder: from, ds: ds, open: map[string]*openFile{}},
		kin:     readReduced,
		reached: map[*yaml.Node]bool{}, itemBlocks: map[*yaml.Node]Annotation{},
	}
	if l.extension == "" {
		l.extension = defaultExtension
	}
	l.refs = newResolver(l.files, ds)
	return l
}

// defaultExtension is the annotation's name where nobody chooses another one.
const defaultExtension = "x-idempotency"

// loading is one document on its way.
type loading struct {
	opts      Options
	extension string
	files     *files
	refs      *resolver
	ds        *diag.List
	kin       func(text []byte) (*openapi3.T, error) // readReduced, or what a test puts in its place

	root       *source
	version    version
	defaults   Annotation                // of the document root
	itemBlocks map[*yaml.Node]Annotation // of path items, by the extension's value
	reached    map[*yaml.Node]bool       // path items and operations that a path leads to
}

func (l *loading) finding(at place, code diag.Code, hint, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Pos: at.pos(), Code: code, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

func (l *loading) report(at place, code diag.Code, hint, format string, args ...any) {
	l.ds.Add(l.finding(at, code, hint, format, args...))
}

func (l *loading) document(file string) (*Document, error) {
	root, err := l.files.load(file)
	if err != nil {
		return nil, err
	}
	overlays, err := l.overlays()
	if err != nil || root == nil {
		return nil, err
	}
	l.root = root
	for _, o := range overlays {
		applyOverlay(root, o, l.ds)
	}
	v, ok := readVersion(root, l.ds)
	if !ok {
		return nil, nil
	}
	l.version = v
	doc := &Document{File: root.file, Version: v.text, Title: scalar(child(child(root.root, "info"), "title"))}
	doc.SecuritySchemes = names(child(child(root.root, "components"), "securitySchemes"))
	doc.BasePath = basePath(root, child(root.root, "servers"), l.ds)
	l.fill(doc)
	return doc, nil
}

// overlays reads the overlay files. One that cannot be parsed is left out; its findings are errors.
func (l *loading) overlays() (out []*source, err error) {
	for _, name := range l.opts.Overlays {
		s, err := l.files.load(filepath.ToSlash(name))
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// fill puts the operations into doc.
func (l *loading) fill(doc *Document) {
	all := l.operations()
	if n := child(l.root.root, l.extension); n != nil {
		defaults, blocks := decodeDefaults(l.root, n, l.ds)
		l.defaults = defaults
		l.assign(all, blocks)
	}
	doc.Defaults, doc.Insert, doc.InsertDefault = l.defaults, rootInsertion(l.root), l.defaultInsertion()
	candidates := l.candidates(all)
	var chosen []*parts
	for _, w := range all {
		if _, err := templateNames(w.path.Value); err == nil && !w.webhook {
			doc.Routes = append(doc.Routes, Route{strings.ToUpper(w.method), w.path.Value})
		}
		if !w.annotated() {
			l.misspelt(w)
			if !w.webhook && slices.Contains([]string{"post", "put", "patch", "delete"}, w.method) {
				doc.Undecided++
			}
			c, ok := candidates[w]
			if !ok {
				continue
			}
			doc.Candidates = append(doc.Candidates, c)
			if l.opts.Suppose == nil || !l.opts.Suppose(c) {
				continue
			}
			w.supposed = true
		}
		ann := l.annotation(w)
		if ann.Mode.Value == ModeExempt {
			doc.Exempt = append(doc.Exempt, l.outline(w, ann))
			continue
		}
		chosen = append(chosen, l.parts(w, ann, doc.BasePath))
	}
	doc.Operations = l.schemas(chosen)
	l.misplaced()
}
