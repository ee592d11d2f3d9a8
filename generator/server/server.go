package server

import "github.com/idemgen/idemgen/openapi/diag"

// Kind tells the interfaces apart that business code implements.
type Kind uint8

const (
	// Strict is oapi-codegen's StrictServerInterface: typed requests and responses, whatever the framework.
	Strict Kind = iota + 1
	// Plain is oapi-codegen's ServerInterface: business code writes its response by itself.
	Plain
	// Ogen is ogen's Handler.
	Ogen
)

// ogenInterface is what ogen calls its interface.
const ogenInterface = "Handler"

// Framework is what the server stands on.
type Framework uint8

const (
	NetHTTP Framework = iota + 1 // net/http, chi and gorilla
	Gin
	Echo
)

// Package is the team's server.
type Package struct {
	Path, Name string // of the import
	Pattern    string // as it was asked for
	Kind       Kind
	Framework  Framework
	Interface  string   // StrictServerInterface, ServerInterface or Handler
	Methods    []Method // sorted by name
	// Imports are the names of the packages that signatures mention, by path.
	Imports map[string]string
	// Module is the import path of the module's root, and Folder where that is.
	Module, Folder string
}

// Method is one method of the interface.
type Method struct {
	Name string
	Pos  diag.Pos // in the team's generated file; the zero place when it is not known
	// Verb and Path are what the method's comment says of its route; empty where it says nothing.
	Verb, Path string
	Params     []Param
	Results    []Type
	Variadic   bool
}

// Param is a parameter with the name that the team's generator gave it.
type Param struct {
	Name string
	Type Type
}

// TypeKind tells the forms of types apart that signatures are made of.
type TypeKind uint8

const (
	Named   TypeKind = iota + 1 // Path.Name[Args…]; Path is empty for what the language declares
	Pointer                     // *Elem
	Slice                       // []Elem
	Array                       // [Len]Elem
	Map                         // map[Key]Elem
	Any                         // any
)

// Type is a type as a signature spells it.
type Type struct {
	Kind       TypeKind
	Path, Name string
	Args       []Type
	Key, Elem  *Type
	Len        int64
	// Aliased is what an alias stands for; nil where the type is none, or stands for what another package cannot write.
	Aliased *Type
}

// Is reports whether the type is the named one.
func (t Type) Is(path, name string) bool {
	return t.Kind == Named && t.Path == path && t.Name == name && len(t.Args) == 0
}

// IsError reports whether the type is error, by whatever name.
func (t Type) IsError() bool { return t.unaliased().Is("", "error") }

func (t Type) unaliased() Type {
	if t.Aliased != nil {
		return *t.Aliased
	}
	return t
}
