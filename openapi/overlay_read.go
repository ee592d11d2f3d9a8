package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// overlayAction is one action that can be applied.
type overlayAction struct {
	target *yaml.Node
	path   *jsonpath.Path
	update *yaml.Node // nil when there is none
	remove bool       // update does not count then
}

// overlayReader reads the overlay's own objects strictly. s is the overlay.
type overlayReader struct {
	s  *source
	ds *diag.List
}

func (r overlayReader) finding(n *yaml.Node, code diag.Code, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Pos: r.s.pos(n), Code: code, Message: fmt.Sprintf(format, args...)}
}

func (r overlayReader) report(n *yaml.Node, code diag.Code, format string, args ...any) {
	r.ds.Add(r.finding(n, code, format, args...))
}

// overlayVersion is what the schema of Overlay 1.0 allows; the patch number makes no difference.
var overlayVersion = regexp.MustCompile(`^1\.0\.\d+$`)

// actions gives what can be applied, in order. Of a file that is no Overlay 1.0 that is nothing.
func (r overlayReader) actions() []overlayAction {
	root := r.s.root
	if root.Kind != yaml.MappingNode || memberIndex(root, "overlay") < 0 {
		r.report(root, diag.OverlayForm, "this is not an overlay: it has no member overlay with the version 1.0.0")
		return nil
	}
	members := r.members(root, "the overlay", []string{"overlay", "info", "extends", "actions"})
	if v := members["overlay"]; !isText(v) || !overlayVersion.MatchString(v.Value) {
		d := r.finding(v, diag.OverlayForm, "only Overlay 1.0 is read, not %s", kindName(v))
		if v.Kind == yaml.ScalarNode && strings.HasPrefix(v.Value, "1.0") {
			d.Hint = "overlay: 1.0.0"
		}
		r.ds.Add(d)
		return nil
	}
	r.info(root, members["info"])
	if extends := members["extends"]; extends != nil {
		r.text(extends, "extends")
	}
	return r.actionList(root, members["actions"])
}

// members gives an object's values by name. Members that begin with x- are anybody's and left alone.
func (r overlayReader) members(n *yaml.Node, what string, known []string) map[string]*yaml.Node {
	members := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case slices.Contains(known, key.Value):
			members[key.Value] = n.Content[i+1]
		case !strings.HasPrefix(key.Value, "x-"):
			d := r.finding(key, diag.OverlayMember, "%s has no member %s; it has %s", what, quoteText(key.Value), strings.Join(known, ", "))
			if near, ok := diag.Nearest(key.Value, known); ok {
				d.Hint = near
			}
			r.ds.Add(d)
		}
	}
	return members
}

// text reports whether n is text that is not empty.
func (r overlayReader) text(n *yaml.Node, what string) bool {
	if isText(n) && n.Value != "" {
		return true
	}
	d := r.finding(n, diag.OverlayMember, "%s is text, not %s", what, kindName(n))
	if n.Kind == yaml.ScalarNode && !isText(n) && !isNull(n) {
		d.Hint = fmt.Sprintf("%s: %q", what[strings.LastIndexAny(what, ". ")+1:], n.Value)
	}
	r.ds.Add(d)
	return false
}

func (r overlayReader) info(root, info *yaml.Node) {
	if info == nil {
		r.report(root, diag.OverlayMember, "the overlay has no info with title and version")
		return
	}
	if info.Kind != yaml.MappingNode {
		r.report(info, diag.OverlayMember, "info is an object with title and version, not %s", kindName(info))
		return
	}
	names := []string{"title", "version"}
	members := r.members(info, "info", names)
	for _, name := range names {
		if n := members[name]; n != nil {
			r.text(n, "info."+name)
			continue
		}
		r.report(info, diag.OverlayMember, "info has no %s", name)
	}
}

func (r overlayReader) actionList(root, list *yaml.Node) []overlayAction {
	switch {
	case list == nil:
		r.report(root, diag.OverlayMember, "the overlay has no actions")
		return nil
	case list.Kind != yaml.SequenceNode:
		r.report(list, diag.OverlayMember, "actions is a list, not %s", kindName(list))
		return nil
	case len(list.Content) == 0:
		r.report(list, diag.OverlayMember, "actions is an empty list; an overlay has at least one")
	}
	var actions []overlayAction
	for _, n := range list.Content {
		if a, ok := r.action(n); ok {
			actions = append(actions, a)
		}
	}
	return actions
}

func (r overlayReader) action(n *yaml.Node) (overlayAction, bool) {
	if n.Kind != yaml.MappingNode {
		r.report(n, diag.OverlayMember, "an action is an object with target and update or remove, not %s", kindName(n))
		return overlayAction{}, false
	}
	before := r.ds.Len()
	members := r.members(n, "an action", []string{"target", "description", "update", "remove"})
	if d := members["description"]; d != nil && !isText(d) {
		r.text(d, "an action's description")
	}
	a := overlayAction{target: members["target"], update: members["update"]}
	a.remove = r.removal(members["remove"])
	switch {
	case a.remove && a.update != nil:
		r.report(a.update, diag.OverlayNoEffect, "the update has no effect, because the action removes its target")
	case !a.remove && a.update == nil && r.ds.Len() == before: // a misspelt member says enough
		r.report(n, diag.OverlayNoEffect, "the action has no effect: it has neither update nor remove: true")
	}
	if a.target == nil {
		r.report(n, diag.OverlayMember, "an action has no target")
		return a, false
	}
	return a, r.targetPath(&a)
}

// removal reads `remove`, which is false when it is not there.
func (r overlayReader) removal(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.report(n, diag.OverlayMember, "an action's remove is true or false, not %s", kindName(n))
		return false
	}
	return lowerASCII(n.Value) == "true"
}

func (r overlayReader) targetPath(a *overlayAction) bool {
	if !r.text(a.target, "an action's target") {
		return false
	}
	path, hint, err := parseTarget(a.target.Value)
	if err != nil {
		d := r.finding(a.target, diag.OverlayTarget, "the target is not JSONPath: %v", err)
		d.Hint = hint
		r.ds.Add(d)
		return false
	}
	a.path = path
	return true
}
