package openapi

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// applyOverlay changes s as the OpenAPI Overlay 1.0 document in overlay says, each action on the result of the one before.
// Nodes that it puts in are copies, one for each match, recorded in s.foreign, so that their places point into the overlay.
//
// It is stricter than the specification where silence would mislead: a target that matches nothing is an error, and so
// is an update that would turn a value into another kind. It is more lenient in one point: a plain value can be
// removed, which Overlay 1.0 does not foresee and which can mean only one thing.
// What `extends` names is not compared with s: the caller has chosen the document.
func applyOverlay(s *source, overlay *source, ds *diag.List) {
	reader := overlayReader{s: overlay, ds: ds}
	actions := reader.actions()
	if len(actions) == 0 {
		return
	}
	if s.foreign == nil {
		s.foreign = map[*yaml.Node]string{}
	}
	o := &overlayRun{reader: reader, doc: s, tree: newOverlayTree(s.root)}
	for _, a := range actions {
		o.apply(a)
	}
	s.root = o.tree.root
}

// overlayRun applies the actions of one overlay to one document.
type overlayRun struct {
	reader overlayReader
	doc    *source
	tree   *overlayTree
}

func (o *overlayRun) apply(a overlayAction) {
	matches, err := o.tree.find(a.path)
	if err != nil {
		o.reader.report(a.target, diag.OverlayTarget, "the target cannot be evaluated: %v", err)
		return
	}
	if len(matches) == 0 {
		d := o.reader.finding(a.target, diag.OverlayNoMatch, "")
		d.Message, d.Hint = explainNoMatch(a.path, o.tree.value)
		o.reader.ds.Add(d)
		return
	}
	switch {
	case a.remove:
		// Backwards: what is removed later stands before, or around, what is removed first.
		for i := len(matches) - 1; i >= 0; i-- {
			o.remove(a, matches[i])
		}
	case a.update != nil:
		for _, m := range matches {
			o.update(a, m)
		}
	}
}

func (o *overlayRun) remove(a overlayAction, path overlayPath) {
	if len(path) == 0 {
		o.reader.report(a.target, diag.OverlayRoot, "the target is the whole document, which cannot be removed")
		return
	}
	o.tree.remove(path)
}

func (o *overlayRun) update(a overlayAction, path overlayPath) {
	at := o.tree.locate(path)
	switch at.node.Kind {
	case yaml.MappingNode:
		if a.update.Kind != yaml.MappingNode {
			o.reader.report(a.update, diag.OverlayIncompatible, "the target is an object, so the update is one too, not %s", kindName(a.update))
			return
		}
		o.merge(at.node, at.value.(map[string]any), a.update)
	case yaml.SequenceNode:
		if a.update.Kind == yaml.SequenceNode {
			o.reader.report(a.update, diag.OverlayIncompatible,
				"the target is an array, which takes one new entry from each action; this update is a list")
			return
		}
		entry := o.graft(a.update)
		at.node.Content = append(at.node.Content, entry)
		at.set(append(at.value.([]any), plainValue(entry)))
	default:
		d := o.reader.finding(a.target, diag.OverlayIncompatible,
			"the target is %s; an update needs an object or an array: select the object around it", kindName(at.node))
		d.Hint = parentTarget(a.path)
		d.Related = []diag.Related{{Pos: o.doc.pos(at.node), Message: "this value"}}
		o.reader.ds.Add(d)
	}
}

// merge takes the members of update into node, and into value, which is node's plain form.
func (o *overlayRun) merge(node *yaml.Node, value map[string]any, update *yaml.Node) {
	for i := 0; i+1 < len(update.Content); i += 2 {
		key, with := update.Content[i], update.Content[i+1]
		at := memberIndex(node, key.Value)
		if at < 0 {
			entry := o.graft(with)
			node.Content = append(node.Content, o.graft(key), entry)
			value[key.Value] = plainValue(entry)
			continue
		}
		switch old := node.Content[at+1]; {
		case old.Kind == yaml.MappingNode && with.Kind == yaml.MappingNode:
			o.merge(old, value[key.Value].(map[string]any), with)
		case old.Kind == yaml.SequenceNode && with.Kind == yaml.SequenceNode:
			list := value[key.Value].([]any)
			for _, c := range with.Content {
				entry := o.graft(c)
				old.Content = append(old.Content, entry)
				list = append(list, plainValue(entry))
			}
			value[key.Value] = list
		case isNull(old) || old.Kind == yaml.ScalarNode && with.Kind == yaml.ScalarNode:
			entry := o.graft(with)
			node.Content[at], node.Content[at+1] = o.graft(key), entry
			value[key.Value] = plainValue(entry)
		default:
			o.incompatible(key, with, old)
		}
	}
}

func (o *overlayRun) incompatible(key, with, old *yaml.Node) {
	d := o.reader.finding(with, diag.OverlayIncompatible, "%s is %s in the document and cannot become %s by an update",
		quoteText(key.Value), kindName(old), kindName(with))
	d.Hint = fmt.Sprintf("an action before this one that removes %s", quoteText(key.Value))
	d.Related = []diag.Related{{Pos: o.doc.pos(old), Message: "what stands there"}}
	o.reader.ds.Add(d)
}

// graft copies n into the document and notes where each part of it comes from.
func (o *overlayRun) graft(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	if len(n.Content) > 0 {
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			c.Content[i] = o.graft(child)
		}
	}
	o.doc.foreign[&c] = o.reader.s.file
	return &c
}
