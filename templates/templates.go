// Package templates holds the texts that a person wrote with holes in them: the Markdown sheet for an API's consumers, and the paragraph
// that stands in an operation's description.
//
// # Usage
//
//	template.ParseFS(templates.Files, "*.md.tmpl")
//
// # Guarantees
//
// Every hole takes a value of textgen's that is Markdown already. A template neither escapes nor decides anything but what is left out.
//
// # Not included
//
// Go code, which is built, and data, which is encoded.
package templates

import "embed"

// Files are the templates by their names.
//
//go:embed *.tmpl
var Files embed.FS
