package openapi

import (
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// source is one parsed file. Its nodes know their line and column; those that an overlay put in stand in foreign.
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
