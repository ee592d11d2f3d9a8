package openapi

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// place is a node with the file that it stands in. name is the component's name when a $ref led here.
type place struct {
	s    *source
	node *yaml.Node
	name string
}

func (p place) pos() diag.Pos { return p.s.pos(p.node) }

// in gives the member of an object, in the same file.
func (p place) in(name string) place { return place{s: p.s, node: child(p.node, name)} }

// resolver follows references. Every reference is resolved, and reported on, once.
type resolver struct {
	files   *files
	ds      *diag.List
	done    map[*yaml.Node]place                 // by the $ref's value; the zero place when it leads nowhere
	found   map[refText]place                    // what leads somewhere, for the next one that says the same
	indexes map[*yaml.Node]map[string]*yaml.Node // members of large objects
	anchors map[*source]map[string]*yaml.Node    // $anchor names, collected when first asked for
}

type refText struct {
	s    *source
	text string
}

func newResolver(f *files, ds *diag.List) *resolver {
	return &resolver{files: f, ds: ds, done: map[*yaml.Node]place{}, found: map[refText]place{},
		indexes: map[*yaml.Node]map[string]*yaml.Node{}, anchors: map[*source]map[string]*yaml.Node{}}
}

// refOf gives the value of $ref when n is an object that has one.
func refOf(n *yaml.Node) *yaml.Node { return child(n, "$ref") }

// follow goes from p through references to the first object that is none.
// ok is false when that object does not exist; the reason has been reported then.
func (r *resolver) follow(p place) (_ place, ok bool) {
	return r.followUntil(p, func(*yaml.Node) bool { return false })
}

// followUntil is follow that takes at least one step and stops at a reference that says more than where it leads.
func (r *resolver) followUntil(p place, stop func(*yaml.Node) bool) (_ place, ok bool) {
	seen := map[*yaml.Node]bool{}
	var way []place
	for {
		ref := refOf(p.node)
		if ref == nil || len(way) > 0 && stop(p.node) {
			return p, true
		}
		if seen[ref] {
			r.cycle(way, ref)
			return place{}, false
		}
		seen[ref] = true
		way = append(way, place{s: p.s, node: ref})
		if p, ok = r.resolve(p.s, ref); !ok {
			return place{}, false
		}
	}
}

// cycle reports references that lead to each other, at the one that stands first: the same one wherever the circle is entered.
func (r *resolver) cycle(way []place, closing *yaml.Node) {
	for way[0].node != closing {
		way = way[1:]
	}
	first := way[0]
	for _, p := range way {
		if before(p.pos(), first.pos()) {
			first = p
		}
	}
	r.ds.Add(diag.Diagnostic{
		Pos: first.pos(), Code: diag.RefCycle,
		Message: fmt.Sprintf("the $ref %s leads back to itself without reaching anything", quoteText(first.node.Value)),
	})
}

func before(a, b diag.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// resolve gives what ref, the value of a $ref in s, names. It takes one step; the result may be a $ref again.
func (r *resolver) resolve(s *source, ref *yaml.Node) (place, bool) {
	got, ok := r.done[ref]
	if ok {
		return got, got.node != nil
	}
	text := refText{s, ref.Value}
	if got, ok = r.found[text]; !ok || ref.Kind != yaml.ScalarNode {
		r.done[ref] = place{} // whoever comes back here on the way has gone in a circle
		if got = r.find(s, ref); got.node != nil {
			r.found[text] = got
		}
	}
	r.done[ref] = got
	return got, got.node != nil
}

func (r *resolver) find(s *source, ref *yaml.Node) place {
	if ref.Kind != yaml.ScalarNode || !isText(ref) || ref.Value == "" {
		r.report(s, ref, diag.RefMalformed, "", "a $ref is a text, not %s", kindName(ref))
		return place{}
	}
	file, fragment, hasFragment := strings.Cut(ref.Value, "#")
	target, ok := r.file(s, ref, file)
	if !ok {
		return place{}
	}
	if !hasFragment || fragment == "" || fragment == "/" {
		name := path.Base(target.file)
		return place{s: target, node: target.root, name: strings.TrimSuffix(name, path.Ext(name))}
	}
	decoded, err := url.PathUnescape(fragment)
	if err != nil {
		r.report(s, ref, diag.RefMalformed, "", "the $ref %s has a %% without two hexadecimal digits", quoteText(ref.Value))
		return place{}
	}
	if !strings.HasPrefix(decoded, "/") {
		return r.anchor(s, ref, target, decoded)
	}
	return r.walk(s, ref, target, strings.Split(decoded[1:], "/"))
}

func (r *resolver) report(s *source, at *yaml.Node, code diag.Code, hint, format string, args ...any) {
	r.ds.Add(diag.Diagnostic{Pos: s.pos(at), Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

var (
	absolute = regexp.MustCompile(`^(/([^/]|$)|[A-Za-z]:|(?i:file):)`) // a drive letter is no scheme: schemes are longer
	remote   = regexp.MustCompile(`^(//|[A-Za-z][A-Za-z0-9+.-]+:)`)
)

// file gives the parsed file that the part before # names, relative to s.
func (r *resolver) file(s *source, ref *yaml.Node, file string) (*source, bool) {
	shown := quoteText(ref.Value)
	switch {
	case file == "":
		return s, true
	case absolute.MatchString(file):
		r.report(s, ref, diag.RefAbsolute, "", "the $ref %s is an absolute path; it must be relative to %s", shown, s.file)
		return nil, false
	case remote.MatchString(file):
		r.report(s, ref, diag.RefRemote, "", "the $ref %s is not a file beside this one; nothing is fetched from elsewhere", shown)
		return nil, false
	case strings.Contains(file, `\`):
		r.report(s, ref, diag.RefMalformed, "$ref: "+strings.ReplaceAll(ref.Value, `\`, "/"), "the $ref %s has backslashes; paths have /", shown)
		return nil, false
	}
	decoded, err := url.PathUnescape(file)
	if err != nil {
		decoded = file // a name may hold a percent sign
	}
	name := path.Join(path.Dir(s.file), decoded)
	got, err := r.files.load(name)
	if err != nil {
		hint := ""
		if near, ok := diag.Nearest(path.Base(name), r.files.names(path.Dir(name))); ok && near != path.Base(name) {
			hint = "$ref: " + strings.Replace(ref.Value, path.Base(decoded), near, 1)
		}
		r.report(s, ref, diag.RefFileMissing, hint, "the file %s of the $ref cannot be read: %s", name, reason(err))
		return nil, false
	}
	return got, got != nil // what keeps it from being parsed has been reported
}

// reason is the same on every system for the usual case.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it does not exist"
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// walk goes down from the root of target.
func (r *resolver) walk(s *source, ref *yaml.Node, target *source, steps []string) place {
	at := place{s: target, node: target.root}
	for i, step := range steps {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		next := r.stepInto(at.node, step)
		if next == nil && refOf(at.node) != nil { // the way leads through another reference
			if through, ok := r.follow(at); ok {
				at, next = through, r.stepInto(through.node, step)
			}
		}
		if next == nil {
			r.missing(s, ref, at, steps, i, step)
			return place{}
		}
		at = place{s: at.s, node: next, name: step}
	}
	return at
}

// stepInto gives a member or an element. Many references go through the same few large objects, so those get an index.
func (r *resolver) stepInto(n *yaml.Node, step string) *yaml.Node {
	const large = 2 * 32
	switch {
	case n.Kind == yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) && strconv.Itoa(i) == step {
			return n.Content[i]
		}
		return nil
	case len(n.Content) < large:
		return child(n, step)
	}
	index, ok := r.indexes[n]
	if !ok {
		index = make(map[string]*yaml.Node, len(n.Content)/2)
		for key, value := range entries(n) {
			index[key.Value] = value
		}
		r.indexes[n] = index
	}
	return index[step]
}

// missing reports a step that leads nowhere, with the nearest name there is.
func (r *resolver) missing(s *source, ref *yaml.Node, at place, steps []string, i int, step string) {
	hint := ""
	file, _, _ := strings.Cut(ref.Value, "#")
	if near, ok := diag.Nearest(step, names(at.node)); ok {
		better := append([]string(nil), steps...)
		better[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(near)
		hint = "$ref: '" + file + "#/" + strings.Join(better, "/") + "'"
	} else if last := steps[len(steps)-1]; componentSchema(at.s, last) != nil {
		hint = "$ref: '" + file + "#/components/schemas/" + last + "'"
	}
	where := "the document"
	if at.s.file != s.file {
		where = at.s.file
	}
	if i > 0 {
		where += " at /" + strings.Join(steps[:i], "/")
	}
	r.report(s, ref, diag.RefMissing, hint, "the $ref %s points to nothing: %s has no %s", quoteText(ref.Value), where, quoteText(step))
}

// anchor gives the schema that calls itself name with $anchor.
func (r *resolver) anchor(s *source, ref *yaml.Node, target *source, name string) place {
	known, ok := r.anchors[target]
	if !ok {
		known = map[string]*yaml.Node{}
		collectAnchors(target.root, known)
		r.anchors[target] = known
	}
	if n := known[name]; n != nil {
		return place{s: target, node: n, name: name}
	}
	hint := ""
	if componentSchema(target, name) != nil {
		hint = "$ref: '" + strings.TrimSuffix(ref.Value, name) + "/components/schemas/" + name + "'"
	}
	r.report(s, ref, diag.RefMissing, hint, "the $ref %s points to nothing: no schema has the $anchor %s", quoteText(ref.Value), quoteText(name))
	return place{}
}

func componentSchema(s *source, name string) *yaml.Node {
	return child(child(child(s.root, "components"), "schemas"), name)
}

func collectAnchors(n *yaml.Node, into map[string]*yaml.Node) {
	if a := child(n, "$anchor"); a != nil && into[a.Value] == nil {
		into[a.Value] = n
	}
	for _, c := range n.Content {
		collectAnchors(c, into)
	}
}
