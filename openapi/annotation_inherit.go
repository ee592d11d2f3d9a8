package openapi

import "github.com/idemgen/idemgen/openapi/diag"

// inheritAnnotation gives what holds for an operation: a member given lower replaces the whole member given higher.
// A level without a block is the zero Annotation. checkAnnotation judges the result.
func inheritAnnotation(root, pathItem, operation Annotation) Annotation {
	return operation
}

// checkAnnotation reports what can be judged only after inheritance: members of the operation's own block
// that make no sense with the execution that holds for it. merged is what inheritAnnotation gave for operation.
func checkAnnotation(operation, merged Annotation, ds *diag.List) {}
