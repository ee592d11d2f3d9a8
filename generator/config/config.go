package config

import (
	"path/filepath"

	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Config is what idemgen.yaml says. Paths in it can be used from the working folder.
type Config struct {
	File string
	Settings
	Strict    openapi.Val[bool]
	Documents []Document
	Levels    map[diag.Code]lint.Level
	Accepted  []lint.Acceptance
}

// Settings can be said of all documents, and of each.
type Settings struct {
	Extension       openapi.Val[string]
	Webhooks        openapi.Val[bool]
	SkipUnsupported openapi.Val[bool]
	Base            openapi.Val[string]
}

// Document is a document with its own settings.
type Document struct {
	Pos      diag.Pos
	Path     openapi.Val[string]
	Overlays openapi.Val[[]string]
	Out      openapi.Val[string]
	Package  openapi.Val[string]
	Server   openapi.Val[string]
	Bind     openapi.Val[string]
	Lock     openapi.Val[string]
	Settings
}

// Load reads a configuration file. The result is nil when anything is wrong with it: half of it would mean something else. The error says
// that it cannot be read.
func Load(file string) (*Config, diag.List, error) {
	root, found, err := openapi.ReadValue(file)
	if err != nil || root == nil || found.HasErrors() {
		return nil, found, err
	}
	c, more := decode(*root, file)
	found.Append(more)
	return c, found, nil
}

// decode reads the file's value.
func decode(root openapi.Value, file string) (*Config, diag.List) {
	c := &Config{File: file, Levels: map[diag.Code]lint.Level{}}
	r := &reader{folder: filepath.Dir(file)}
	r.object(root, Name, configMembers(c))
	if r.found.HasErrors() {
		return nil, r.found
	}
	return c, r.found
}
