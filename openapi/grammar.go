package openapi

// kind is a kind of object of an OpenAPI document, as far as they are told apart when looking for annotations.
type kind uint8

const (
	leafKind kind = iota // nothing below it is an object of OpenAPI: examples, defaults, extensions
	documentKind
	pathsKind
	pathItemKind
	operationKind
	parameterKind
	bodyKind
	mediaKind
	encodingKind
	schemaKind
	responsesKind
	responseKind
	callbackKind
	componentsKind
	plainKind // any other object that may be extended
)

// form says how a member holds objects.
type form uint8

const (
	single form = iota
	list
	dict // by names, which are no members: an x- among them is a name
)

type memberRule struct {
	form form
	kind kind
}

// grammar says which members of an object hold objects of which kind. rest is for the members that are not named.
type grammar struct {
	members map[string]memberRule
	rest    kind
}

func one(k kind) memberRule    { return memberRule{single, k} }
func many(k kind) memberRule   { return memberRule{list, k} }
func byName(k kind) memberRule { return memberRule{dict, k} }

var operationRule = one(operationKind)

// grammars follows OpenAPI 3.0 to 3.2. A property may be called x-idempotency and an example may hold the word:
// only knowing what an object is tells them from an annotation.
var grammars = map[kind]grammar{
	documentKind: {members: map[string]memberRule{
		"info": one(plainKind), "servers": many(plainKind), "paths": one(pathsKind), "webhooks": byName(pathItemKind),
		"components": one(componentsKind), "tags": many(plainKind), "externalDocs": one(plainKind),
	}},
	pathsKind: {rest: pathItemKind},
	pathItemKind: {members: map[string]memberRule{
		"get": operationRule, "put": operationRule, "post": operationRule, "delete": operationRule, "options": operationRule,
		"head": operationRule, "patch": operationRule, "trace": operationRule, "query": operationRule,
		"additionalOperations": byName(operationKind), "servers": many(plainKind), "parameters": many(parameterKind),
	}},
	operationKind: {members: map[string]memberRule{
		"externalDocs": one(plainKind), "parameters": many(parameterKind), "requestBody": one(bodyKind),
		"responses": one(responsesKind), "callbacks": byName(callbackKind), "servers": many(plainKind),
	}},
	parameterKind: {members: map[string]memberRule{"schema": one(schemaKind), "content": byName(mediaKind)}},
	bodyKind:      {members: map[string]memberRule{"content": byName(mediaKind)}},
	mediaKind: {members: map[string]memberRule{
		"schema": one(schemaKind), "itemSchema": one(schemaKind), "encoding": byName(encodingKind),
		"prefixEncoding": many(encodingKind), "itemEncoding": one(encodingKind),
	}},
	encodingKind:  {members: map[string]memberRule{"headers": byName(parameterKind), "encoding": byName(encodingKind)}},
	responsesKind: {rest: responseKind},
	responseKind: {members: map[string]memberRule{
		"headers": byName(parameterKind), "content": byName(mediaKind), "links": byName(plainKind),
	}},
	callbackKind: {rest: pathItemKind},
	schemaKind: {members: map[string]memberRule{
		"properties": byName(schemaKind), "patternProperties": byName(schemaKind), "$defs": byName(schemaKind),
		"dependentSchemas": byName(schemaKind), "additionalProperties": one(schemaKind), "unevaluatedProperties": one(schemaKind),
		"propertyNames": one(schemaKind), "items": one(schemaKind), "prefixItems": many(schemaKind), "contains": one(schemaKind),
		"unevaluatedItems": one(schemaKind), "allOf": many(schemaKind), "oneOf": many(schemaKind), "anyOf": many(schemaKind),
		"not": one(schemaKind), "if": one(schemaKind), "then": one(schemaKind), "else": one(schemaKind),
		"contentSchema": one(schemaKind), "discriminator": one(plainKind), "xml": one(plainKind), "externalDocs": one(plainKind),
	}},
	componentsKind: {members: map[string]memberRule{
		"schemas": byName(schemaKind), "responses": byName(responseKind), "parameters": byName(parameterKind),
		"requestBodies": byName(bodyKind), "headers": byName(parameterKind), "securitySchemes": byName(plainKind),
		"links": byName(plainKind), "callbacks": byName(callbackKind), "pathItems": byName(pathItemKind), "mediaTypes": byName(mediaKind),
	}},
	plainKind: {},
}

// noun is what a kind is called in a message.
func (k kind) noun() string {
	switch k {
	case pathsKind:
		return "paths"
	case pathItemKind:
		return "a path item that no path uses"
	case operationKind:
		return "an operation that no path uses"
	case parameterKind:
		return "a parameter or header"
	case bodyKind:
		return "a request body"
	case mediaKind:
		return "a media type"
	case encodingKind:
		return "an encoding"
	case schemaKind:
		return "a schema"
	case responsesKind, responseKind:
		return "a response"
	case callbackKind:
		return "a callback"
	case componentsKind:
		return "components"
	case leafKind, documentKind, plainKind:
	}
	return "this object"
}
