package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// restore makes a version anew from its lines in the lock: what reads requests as yesterday's document said, when that document
// is gone. number is the version's; path is the template that its path parameters belong to.
//
// The result is what Build made when the version was written, but for Go names, which the caller gives. The id is computed again
// from the lines: one that the lock does not have means that the lines were edited, or that this idemgen reads them otherwise.
func (l *LockedVersion) restore(number int, path string) (Version, error) {
	r := &restorer{places: map[string]*Node{}, depth: map[string]int{}, policy: canon.RejectUnknown, template: templateNames(path)}
	if len(l.Fields) > maxLines {
		return Version{}, fmt.Errorf("it has more than %d lines", maxLines)
	}
	if l.Unknown != "" {
		if r.policy = policyOf(l.Unknown); r.policy == 0 {
			return Version{}, fmt.Errorf("policy %q is not known", l.Unknown)
		}
	}
	v := Version{Number: number, RetentionText: l.Retention, Fields: l.Fields, Ignored: l.Ignored, Unknown: r.policy, Vectors: l.Vectors}
	for i, f := range l.Fields {
		if err := r.line(i, f); err != nil {
			return Version{}, fmt.Errorf("field %s: %w", f.Path, err)
		}
		if f.Sensitive {
			v.Sensitive = append(v.Sensitive, i)
		}
	}
	if err := r.finish(l.Ignored); err != nil {
		return Version{}, err
	}
	v.Body, v.View, v.Params = r.places[openapi.InBody.String()], r.view, r.params
	if v.Body != nil {
		v.Spec = l.spec(r.bodyRequired)
	}
	if v.ID = contractID(Scheme, &v, r.deciding); string(v.ID) != l.ID {
		return Version{}, fmt.Errorf("its lines have the id %s and not %s", v.ID, l.ID)
	}
	return v, nil
}

// restorer puts nodes under the places that lines name. Lines stand in the order in which a body is read, so what is above comes first.
type restorer struct {
	policy   canon.UnknownPolicy
	template []string
	places   map[string]*Node // by the place's text: an array's is without the brackets of its line
	depth    map[string]int   // of the same places
	back     []recursion
	params   []canon.Param
	deciding []string

	bodyRequired bool
	view         string
}

// recursion is a node whose target is known when all lines are read.
type recursion struct {
	node *Node
	to   string
}

func (r *restorer) line(field int, f Field) error {
	parsed, err := parseRule(f.Rule)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(f.Path, openapi.InBody.String()) {
		return r.param(field, f.Path, parsed)
	}
	if f.viewed() {
		return r.viewed(field, f, parsed)
	}
	n, err := r.node(parsed)
	if err != nil {
		return err
	}
	n.Sensitive = f.Sensitive
	if n.Kind == LeafNode || n.Kind == ArrayNode {
		n.Field = field
	}
	text, array := strings.CutSuffix(f.Path, "[]")
	if n.Kind != ArrayNode {
		return r.attach(f.Path, n, parsed)
	}
	if !array {
		return errors.New("an array whose path does not end in []")
	}
	if err := r.attach(text, n, parsed); err != nil || parsed.of == nil {
		return err
	}
	if n.Elem, err = r.node(*parsed.of); err == nil && n.Elem.Kind == ArrayNode {
		err = errors.New("an array of arrays has a line for each")
	}
	n.Elem.Sensitive = f.Sensitive
	r.place(f.Path, n.Elem, r.depth[text]+1)
	return err
}

func (r *restorer) place(text string, n *Node, depth int) { r.places[text], r.depth[text] = n, depth }

// node makes what a rule says of a value.
func (r *restorer) node(of rule) (*Node, error) {
	n := &Node{Field: -1, Null: of.null}
	if to, ok := strings.CutPrefix(of.head, recursionHead("")); ok {
		n.Kind = RecursionNode
		r.back = append(r.back, recursion{n, to})
		return n, nil
	}
	switch {
	case of.head == objectHead:
		n.Kind, n.Unknown = ObjectNode, of.unknown
		if n.Unknown == 0 {
			n.Unknown = r.policy
		}
		return n, nil
	case of.head == mapHead:
		n.Kind = MapNode
		return n, nil
	case of.head == unionHead(""):
		n.Kind, n.Union = UnionNode, &Union{}
		return n, nil
	case strings.HasPrefix(of.head, "union("):
		label, err := labelOf(strings.TrimSuffix(strings.TrimPrefix(of.head, "union("), ")"))
		n.Kind, n.Union = UnionNode, &Union{Discriminator: label}
		return n, err
	}
	return n, n.readHead(of)
}

// readHead reads the head of a leaf or an array: a name and its version.
func (n *Node) readHead(of rule) error {
	name, _, _ := strings.Cut(of.head, "/")
	if kind, ok := canon.ParseArrayKind(name); ok && of.head == arrayHead(kind) {
		n.Kind, n.Array = ArrayNode, kind
		return nil
	}
	as, ok := canon.ParseNormaliser(name)
	if !ok || of.head != leafHead(as) {
		return fmt.Errorf("this idemgen has no %s", of.head)
	}
	n.Kind, n.As = LeafNode, as
	if as == canon.Generic && n.Null != NullAbsent {
		n.Null = NullDistinct
	}
	return nil
}

// attach puts n at its place, below the one that its text names.
func (r *restorer) attach(text string, n *Node, of rule) error {
	if text == openapi.InBody.String() && len(r.places) == 0 {
		r.bodyRequired = of.presence == requiredMember
		r.place(text, n, 0)
		return nil
	}
	above, step, err := splitPlace(text)
	if err != nil {
		return err
	}
	parent := r.places[above]
	switch {
	case parent == nil:
		return fmt.Errorf("no line says what %s is", above)
	case r.places[text] != nil:
		return fmt.Errorf("two lines about %s", text)
	case r.depth[above] >= maxDepth:
		return fmt.Errorf("more than %d levels", maxDepth)
	}
	r.place(text, n, r.depth[above]+1)
	switch {
	case step.labels != nil && parent.Union != nil:
		for _, label := range step.labels {
			parent.Union.Branches = append(parent.Union.Branches, Branch{label, n})
		}
	case step.kind == openapi.SegElement && parent.Kind == ArrayNode, step.kind == openapi.SegWildcard && parent.Kind == MapNode:
		parent.Elem = n
	case step.kind == openapi.SegName && (parent.Kind == ObjectNode || parent.Kind == MapNode):
		parent.Members = append(parent.Members, Member{
			Name: step.name, Key: quoteJSON(step.name) + ":", Required: of.presence == requiredMember, Default: of.defaultText, Node: n,
		})
	default:
		return fmt.Errorf("%s has no such part", above)
	}
	return nil
}

// param reads a line of a parameter.
func (r *restorer) param(field int, text string, of rule) error {
	path, err := openapi.ParseFieldPath(text)
	if err != nil || len(path.Segments) == 0 {
		return errors.New("it names no parameter")
	}
	p := canon.Param{
		In: canonIn(path.In), Name: path.Segments[0].Name, Required: of.presence == requiredMember, Field: field, Split: of.split, Default: of.defaultText,
	}
	value := &Node{}
	if err := value.readHead(of); err != nil {
		return err
	}
	if p.Array = value.Array; p.Array != 0 {
		if of.of == nil {
			return errors.New("an array of nothing")
		}
		if err := value.readHead(*of.of); err != nil {
			return err
		}
	}
	p.As = value.As
	if path.In == openapi.InPath {
		if p.Index = slices.Index(r.template, p.Name); p.Index < 0 {
			return errors.New("the path of this version has no such parameter")
		}
	}
	r.params = append(r.params, p)
	return nil
}
