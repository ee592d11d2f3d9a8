package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// parseYAML reads the text as one YAML document.
func (p *sourceParser) parseYAML() {
	index := newTextIndex(p.data)
	first, second, err := readYAML(p.data)
	if err != nil {
		p.yamlFault(err, index)
		return
	}
	if second != nil {
		at := index.offset(second.Line, second.Column)
		p.report(at, diag.Syntax, "the file holds a second YAML document; only one is read")
		return
	}
	if first == nil {
		p.report(0, diag.Syntax, "the file is empty")
		return
	}
	z := &normaliser{p: p, index: index, open: map[*yaml.Node]bool{}}
	if root := z.node(first, 0); !z.tooMuch {
		p.s.root = root
	}
}

// readYAML gives the content of the first document, and that of a second one that is not empty.
func readYAML(data []byte) (first, second *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader failed: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var documents []*yaml.Node
	for range 3 { // the end of the stream, or one more than there may be
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if len(doc.Content) == 1 && !emptyYAML(doc.Content[0]) {
			documents = append(documents, doc.Content[0])
		}
	}
	switch len(documents) {
	case 0:
		return nil, nil, nil
	case 1:
		return documents[0], nil, nil
	}
	return documents[0], documents[1], nil
}

// emptyYAML tells a document in which nothing was written.
func emptyYAML(n *yaml.Node) bool { return isNull(n) && n.Value == "" }

// yamlFault reports why the YAML reader gave up, and where.
func (p *sourceParser) yamlFault(err error, index *textIndex) {
	var fault *yaml.LoadError
	if !errors.As(err, &fault) {
		p.report(0, diag.Syntax, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	d := diag.Diagnostic{Code: diag.Syntax, Message: fault.Message, Pos: diag.Pos{File: p.s.file, Line: 1, Col: 1}}
	if strings.Contains(fault.Message, "exceeded max depth") {
		d.Code = diag.TooMuch
	}
	if fault.Mark.Line > 0 {
		d.Pos = p.place(index.offset(fault.Mark.Line, fault.Mark.Column))
	}
	if fault.ContextMsg != "" {
		d.Message += " " + fault.ContextMsg
		if fault.ContextMark.Line > 0 && fault.ContextMark != fault.Mark {
			at := p.place(index.offset(fault.ContextMark.Line, fault.ContextMark.Column))
			d.Related = []diag.Related{{Pos: at, Message: "it begins here"}}
		}
	}
	p.ds.Add(d)
}

// normaliser turns the YAML reader's nodes into the plain tree that source promises.
type normaliser struct {
	p       *sourceParser
	index   *textIndex
	open    map[*yaml.Node]bool // anchored nodes around the current one
	copied  int                 // nodes that aliases added
	tooMuch bool
}

// node gives the plain form of n. It works in place, except that an alias becomes a copy.
func (z *normaliser) node(n *yaml.Node, depth int) *yaml.Node {
	z.fixPlace(n)
	if depth > maxDepth {
		z.refuse(n, fmt.Sprintf("values are nested deeper than %d levels", maxDepth))
	}
	if z.tooMuch {
		return n
	}
	if n.Kind == yaml.AliasNode {
		return z.alias(n)
	}
	if n.Anchor != "" {
		z.open[n] = true
		defer delete(z.open, n)
	}
	if n.Kind == yaml.MappingNode {
		z.mapping(n, depth)
		return n
	}
	for i, c := range n.Content {
		n.Content[i] = z.node(c, depth+1)
	}
	return n
}

func (z *normaliser) fixPlace(n *yaml.Node) {
	n.Line, n.Column = z.index.place(n.Line, n.Column)
}

func (z *normaliser) refuse(n *yaml.Node, message string) {
	if !z.tooMuch {
		z.tooMuch = true
		z.p.ds.Add(diag.Diagnostic{Pos: z.p.s.pos(n), Code: diag.TooMuch, Message: message})
	}
}

func (z *normaliser) fault(n *yaml.Node, format string, args ...any) {
	z.p.ds.Add(diag.Diagnostic{Pos: z.p.s.pos(n), Code: diag.Syntax, Message: fmt.Sprintf(format, args...)})
}

// alias gives a copy of what n stands for. Anchors come before their aliases, so the target is plain already,
// unless it is around n.
func (z *normaliser) alias(n *yaml.Node) *yaml.Node {
	if n.Alias == nil || z.open[n.Alias] {
		z.fault(n, "the alias *%s stands inside its own anchor", n.Value)
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
	}
	return z.copy(n.Alias, n)
}

func (z *normaliser) copy(n, alias *yaml.Node) *yaml.Node {
	if z.copied++; z.copied > maxAliasNodes {
		z.refuse(alias, fmt.Sprintf("repeating anchors adds more than %d values", maxAliasNodes))
	}
	c := *n
	c.Anchor, c.Alias = "", nil
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, child := range n.Content {
		if z.tooMuch {
			break
		}
		c.Content = append(c.Content, z.copy(child, alias))
	}
	return &c
}

// mapping makes the members of n plain, takes in what its merge keys bring, and drops names that repeat.
func (z *normaliser) mapping(n *yaml.Node, depth int) {
	names := nameSet{}
	var merges []*yaml.Node
	out := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := z.node(n.Content[i], depth+1)
		value := z.node(n.Content[i+1], depth+1)
		switch {
		case key.Kind != yaml.ScalarNode:
			z.fault(key, "a member's name is text, not %s", kindName(key))
		case key.ShortTag() == "!!merge":
			merges = append(merges, value)
		default:
			if first := names.add(key); first != nil {
				z.p.duplicate(first, key)
				continue
			}
			out = append(out, key, value)
		}
	}
	n.Content = out
	for _, m := range merges {
		z.merge(n, m, &names)
	}
}

// merge adds the members of from that n does not have yet; of a list of objects the earlier ones win.
func (z *normaliser) merge(n, from *yaml.Node, names *nameSet) {
	if from.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(from.Content); i += 2 {
			if names.add(from.Content[i]) == nil {
				n.Content = append(n.Content, from.Content[i], from.Content[i+1])
			}
		}
		return
	}
	if from.Kind != yaml.SequenceNode {
		z.fault(from, "<< takes an object or a list of objects, not %s", kindName(from))
		return
	}
	for _, c := range from.Content {
		if c.Kind != yaml.MappingNode {
			z.fault(c, "<< takes objects, not %s", kindName(c))
			continue
		}
		z.merge(n, c, names)
	}
}
