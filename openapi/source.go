package openapi

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Limits of one file. Public documents of five thousand operations stay below them.
const (
	maxFileBytes  = 64 << 20
	maxDepth      = 1000
	maxAliasNodes = 500_000 // nodes that repeating anchors may add
)

// source is one parsed file. Its nodes know their line and column; those that an overlay put in stand in foreign.
//
// The nodes are a tree of mappings, sequences and scalars: aliases are replaced by copies that keep the anchor's place,
// merge keys by the members they bring, and of a member that is written twice the first is kept. Columns count bytes.
type source struct {
	file    string
	root    *yaml.Node // the document's content node
	foreign map[*yaml.Node]string
}

// pos gives the place of n: in this file, or in the overlay that put it here.
func (s *source) pos(n *yaml.Node) diag.Pos {
	file := s.file
	if from, ok := s.foreign[n]; ok {
		file = from
	}
	return diag.Pos{File: file, Line: n.Line, Col: n.Column}
}

// parseSource reads the text of one file, YAML or JSON. file is its name for diagnostics.
// The source is nil when nothing could be made of the text; else it can be used although the list may hold errors.
func parseSource(file string, data []byte) (*source, diag.List) {
	p := &sourceParser{s: &source{file: filepath.ToSlash(file), foreign: map[*yaml.Node]string{}}}
	p.data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	p.parse()
	if p.s.root == nil {
		return nil, p.ds
	}
	return p.s, p.ds
}

type sourceParser struct {
	s    *source
	data []byte
	ds   diag.List
}

func (p *sourceParser) parse() {
	if len(p.data) > maxFileBytes {
		p.report(0, diag.TooMuch, "the file has %d bytes; up to %d are read", len(p.data), maxFileBytes)
		return
	}
	if at, bad := badText(p.data); bad != "" {
		p.report(at, diag.Syntax, "%s", bad)
		return
	}
	if len(bytes.TrimSpace(p.data)) == 0 {
		p.report(0, diag.Syntax, "the file is empty")
		return
	}
	if p.looksLikeJSON() {
		root, fault := parseJSON(p.data, p.duplicate)
		if fault == nil {
			p.s.root = root
			return
		}
		if strings.EqualFold(filepath.Ext(p.s.file), ".json") {
			p.report(fault.at, fault.code, "%s", fault.message)
			return
		}
		p.ds = diag.List{} // braces begin a YAML document too
	}
	p.parseYAML()
}

func (p *sourceParser) looksLikeJSON() bool {
	return bytes.HasPrefix(bytes.TrimLeft(p.data, " \t\r\n"), []byte("{"))
}

// report adds a finding at a byte offset.
func (p *sourceParser) report(at int, code diag.Code, format string, args ...any) {
	p.ds.Add(diag.Diagnostic{Pos: p.place(at), Code: code, Message: fmt.Sprintf(format, args...)})
}

// place is the position of a byte offset. One at or after the end of the text stands after the last thing in it.
func (p *sourceParser) place(at int) diag.Pos {
	if at >= len(p.data) {
		at = len(bytes.TrimRight(p.data, " \t\r\n"))
	}
	before := p.data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return diag.Pos{File: p.s.file, Line: 1 + bytes.Count(before, []byte("\n")), Col: at - start + 1}
}

// duplicate reports a member's name that stands twice in one object.
func (p *sourceParser) duplicate(first, second *yaml.Node) {
	p.ds.Add(diag.Diagnostic{
		Pos: p.s.pos(second), Code: diag.DuplicateMember,
		Message: fmt.Sprintf("the member %s is written twice", quoteText(second.Value)),
		Related: []diag.Related{{Pos: p.s.pos(first), Message: "the first one"}},
	})
}

// badText finds what neither YAML nor JSON allows in a text, and its offset.
func badText(data []byte) (int, string) {
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return 0, "the file is UTF-16; save it as UTF-8"
	}
	for at := 0; at < len(data); {
		if c := data[at]; c < utf8.RuneSelf {
			if c < 0x20 && c != '\t' && c != '\n' && c != '\r' {
				return at, fmt.Sprintf("the control character U+%04X is not allowed", c)
			}
			at++
			continue
		}
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at, "the file is not UTF-8 here"
		}
		at += size
	}
	return 0, ""
}
