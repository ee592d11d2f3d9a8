package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// written is an operation as it stands in the document, annotated or not.
type written struct {
	path     *yaml.Node // the key of the path or webhook
	webhook  bool
	item     []place // the path item, then what its $ref leads to; earlier ones win
	method   string  // as written, lower case
	key      place   // the method's key
	node     place   // the operation
	own      *yaml.Node
	assigned bool // the member operations at the root has a block for it
	supposed bool // nothing was written, and it is read as if an empty block were
	block    Annotation
}

func (w *written) annotated() bool { return w.own != nil || w.assigned }

func (w *written) id() string { return scalar(child(w.node.node, "operationId")) }

// methods are the members of a path item that are operations; QUERY came with 3.2.
func (l *loading) methods() []string {
	list := []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
	if l.version.minor >= 2 {
		list = append(list, "query")
	}
	return list
}

// operations gives every operation below paths, and below webhooks where they may be annotated, in document order.
func (l *loading) operations() (out []*written) {
	root := place{s: l.root, node: l.root.root}
	sections := []string{"paths"}
	if l.opts.Webhooks {
		sections = append(sections, "webhooks")
	}
	for _, name := range sections {
		section := root.in(name)
		if section.node != nil && !isObject(section.node) && !isNull(section.node) {
			l.report(section, diag.WrongShape, "", "%s is %s, not an object", name, kindName(section.node))
		}
		for key, value := range entries(section.node) {
			if !strings.HasPrefix(key.Value, "x-") {
				out = append(out, l.itemOperations(key, place{s: l.root, node: value}, name == "webhooks")...)
			}
		}
	}
	return out
}

func (l *loading) itemOperations(path *yaml.Node, item place, webhook bool) (out []*written) {
	chain := l.pathItem(item)
	l.itemDefaults(chain) // its faults count even when no operation below it is annotated
	seen := map[string]bool{}
	for _, part := range chain {
		l.reached[part.node] = true
		for key, value := range entries(part.node) {
			if seen[key.Value] || !slices.Contains(l.methods(), key.Value) {
				continue
			}
			seen[key.Value] = true
			w := &written{path: path, webhook: webhook, item: chain, method: key.Value,
				key: place{s: part.s, node: key}, node: place{s: part.s, node: value}}
			if l.usable(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// pathItem gives the parts of a path item: itself, and what its $ref leads to.
func (l *loading) pathItem(item place) (chain []place) {
	if !isObject(item.node) {
		if !isNull(item.node) {
			l.report(item, diag.WrongShape, "", "a path item is an object, not %s", kindName(item.node))
		}
		return nil
	}
	chain = append(chain, item)
	if refOf(item.node) == nil {
		return chain
	}
	if end, ok := l.refs.follow(item); ok && isObject(end.node) {
		chain = append(chain, end)
	}
	return chain
}

// usable reports whether w is an operation at all, and finds its own annotation.
func (l *loading) usable(w *written) bool {
	if !isObject(w.node.node) {
		if !isNull(w.node.node) {
			l.report(w.node, diag.WrongShape, "", "an operation is an object, not %s", kindName(w.node.node))
		}
		return false
	}
	l.reached[w.node.node] = true
	if ref := refOf(w.node.node); ref != nil {
		hint := ""
		if file, _, _ := strings.Cut(scalar(ref), "#"); file != "" {
			hint = w.path.Value + ":\n  $ref: '" + file + "'"
		}
		l.report(place{s: w.node.s, node: ref}, diag.RefOnOperation, hint,
			"the operation %s %s is a $ref; only a whole path item can be one", strings.ToUpper(w.method), w.path.Value)
		return false
	}
	w.own = child(w.node.node, l.extension)
	return true
}

// assign gives operations the blocks that stand at the document's root under their operationId.
func (l *loading) assign(all []*written, blocks map[string]Annotation) {
	root := place{s: l.root, node: l.root.root}
	byID := map[string][]*written{}
	var ids []string
	for _, w := range all {
		if id := w.id(); id != "" {
			byID[id] = append(byID[id], w)
			ids = append(ids, id)
		}
	}
	for key := range entries(root.in(l.extension).in("operations").node) {
		at := place{s: l.root, node: key}
		block, known := blocks[key.Value]
		switch ws := byID[key.Value]; {
		case !known: // the block could not be read, and that has been reported
		case len(ws) == 0:
			hint, _ := diag.Nearest(key.Value, ids)
			l.report(at, diag.UnknownOperation, hint, "no operation has the operationId %s", quoteText(key.Value))
		case len(ws) > 1:
			d := l.finding(at, diag.UnknownOperation, "", "%d operations have the operationId %s", len(ws), quoteText(key.Value))
			for _, w := range ws {
				d.Related = append(d.Related, diag.Related{Pos: w.key.pos(), Message: "this one"})
			}
			l.ds.Add(d)
		case ws[0].own != nil:
			d := l.finding(at, diag.AnnotatedTwice, "", "the operation %s has an annotation of its own", quoteText(key.Value))
			own, _ := entry(ws[0].node.node, l.extension)
			d.Related = []diag.Related{{Pos: ws[0].node.s.pos(own), Message: "it stands here"}}
			l.ds.Add(d)
		default:
			ws[0].assigned, ws[0].block = true, block
		}
	}
}

// annotation gives what holds for w, everything inherited.
func (l *loading) annotation(w *written) Annotation {
	l.stray(w)
	own := w.block
	switch {
	case w.supposed:
		own = newAnnotation(w.key.pos())
		own.Mode = Val[Mode]{Value: ModeObject, Pos: own.Pos, Set: true}
	case !w.assigned:
		own = decodeAnnotation(w.node.s, w.own, l.ds)
	}
	merged := inheritAnnotation(l.defaults, l.itemDefaults(w.item), own)
	checkAnnotation(own, merged, l.ds)
	return merged
}

// itemDefaults decodes the annotation of a path item once.
func (l *loading) itemDefaults(item []place) Annotation {
	for _, part := range item {
		n := child(part.node, l.extension)
		if n == nil {
			continue
		}
		got, ok := l.itemBlocks[n]
		if !ok {
			got = decodePathDefaults(part.s, n, l.ds)
			l.itemBlocks[n] = got
		}
		return got
	}
	return Annotation{}
}

// misspelt warns of a member of an operation that looks like the annotation. w has no annotation.
func (l *loading) misspelt(w *written) {
	for key := range entries(w.node.node) {
		name := strings.ToLower(key.Value)
		if key.Value != l.extension && strings.Contains(name, "idempot") {
			l.report(place{s: w.node.s, node: key}, diag.AnnotationSpelled, l.extension,
				"%s is not read, and the operation is not annotated", quoteText(key.Value))
		}
	}
}
