package openapi

// annotationDefs are the parts of the schemas. Words, bounds and patterns are the decoder's own.
func annotationDefs() jsonSchema {
	return jsonSchema{
		"operation": anyOf(
			jsonSchema{"enum": []any{"required", "optional", "exempt", true, false},
				"description": "required: all from above and the defaults; optional: the same, and the key may be missing; exempt: somebody decided against it"},
			ref("block"),
		),
		"block":      blockSchema(onOperation),
		"pathItem":   blockSchema(onPathItem),
		"root":       blockSchema(onRoot),
		"fieldPath":  fieldPathSchema(),
		"singlePath": singlePathSchema(),
		"term": anyOf(
			jsonSchema{"type": "string", "pattern": dimensionPattern(), "not": jsonSchema{"enum": requestParts()}},
			ref("singlePath"),
		),
		"terms":    termsSchema(),
		"duration": jsonSchema{"type": "string", "pattern": durationPattern},
		"name":     jsonSchema{"type": "string", "minLength": 1, "maxLength": maxName, "pattern": namePattern()},
		"header":   jsonSchema{"type": "string", "pattern": tokenPattern(), "not": jsonSchema{"pattern": refusedHeaderPattern()}},
		"status":   integerSchema(minStatus, maxStatus),
		"rule":     ruleSchema(),
	}
}

// blockSchema is an annotation's long form in one of its places.
func blockSchema(place blockPlace) jsonSchema {
	members := jsonSchema{
		"key": described("Where the client puts its key: a field path, or an object.", keySchema(), "header.Idempotency-Key"),
		"scope": described("Whom a key belongs to: words that your authentication supplies, and parts of the request, in order. "+
			"It has to be given somewhere.", scopeSchema(), nil),
		"keyspace":    described("Operations with one keyspace share their keys. Default: the name.", ref("name"), nil),
		"fingerprint": described("What makes two requests the same command.", fingerprintSchema(), fingerprintWords[0]),
		"unique": described("A business key: the values that name what the request makes. It catches duplicates with another key, or with none.",
			listSchema(ref("singlePath"), 1), nil),
		"retention": described("How long a record answers: 90s, 24h, 45d, P30D or forever. Less than a day is a warning.",
			anyOf(jsonSchema{"const": "forever"}, ref("duration")), "24h"),
		"execution": described("transactional: key, writes and answer commit together. leased: the key is committed first, the handler works in phases.",
			wordSchema(executionWords), executionWords[0]),
		"lease": described("Leased only: how long an attempt may stay silent, 5s to 1h.", ref("duration"), "30s"),
		"takeover": described("Leased only: what becomes of an attempt that ended without an outcome. recover: your recovery function gets its command; "+
			"retake: the handler runs again; hold: somebody has to resolve it.", wordSchema(takeoverWords), takeoverWords[0]),
		"attempts":   described("Leased only: after so many the outcome is unknown.", integerSchema(1, maxAttempts), 5),
		"concurrent": described("What a request gets whose key is being worked on: an answer at once, or the outcome if it comes in time.", concurrentSchema(), "reject"),
		"keep":       described("Which answers are final.", keepSchema(), nil),
		"replay":     described("What a replay carries.", replaySchema(), nil),
		"errors":     described("The statuses of problems, and where they are documented.", errorsSchema(), nil),
	}
	s := objectSchema(members)
	switch place {
	case onOperation:
		members["name"] = described("The contract's name, in records, lock and logs. Default: the operationId, else made of method and path.", ref("name"), nil)
		members["exempt"] = described("Why the operation needs no key. It stands alone.", jsonSchema{"type": "string", "minLength": 1}, nil)
		s["if"] = jsonSchema{"required": []string{"exempt"}}
		s["then"] = jsonSchema{"maxProperties": 1}
	case onRoot:
		members["operations"] = described("Annotations by operationId, for operations in files that you cannot write in.",
			jsonSchema{"type": "object", "additionalProperties": ref("operation")}, nil)
	case onPathItem:
	}
	return s
}

func keySchema() jsonSchema {
	length := integerSchema(1, maxKeyLength)
	return anyOf(ref("singlePath"), objectSchema(jsonSchema{
		"from":     described("The field path of the key.", ref("singlePath"), "header.Idempotency-Key"),
		"required": described("false: a request without a key runs, unprotected.", jsonSchema{"type": "boolean"}, true),
		"length": described("The least and the most characters.", jsonSchema{"type": "array", "items": length, "minItems": 2, "maxItems": 2},
			[]int{1, maxKeyLength}),
		"format": described("uuid: compared without case.", wordSchema(keyFormatWords), nil),
	}))
}

func scopeSchema() jsonSchema {
	return anyOf(ref("terms"), objectSchema(jsonSchema{
		"now":    described("The scope from now on.", ref("terms"), nil),
		"before": described("The scope of programs that may still run: records stand under both.", ref("terms"), nil),
	}, "now", "before"))
}

// termsSchema is a list in which global stands alone.
func termsSchema() jsonSchema {
	s := listSchema(ref("term"), 1)
	s["if"] = jsonSchema{"contains": jsonSchema{"const": ScopeGlobal}}
	s["then"] = jsonSchema{"maxItems": 1}
	return s
}

func fingerprintSchema() jsonSchema {
	name := jsonSchema{"type": "string", "maxLength": maxName, "pattern": identifierPattern}
	boolean := jsonSchema{"type": "boolean"}
	return anyOf(wordSchema(fingerprintWords), objectSchema(jsonSchema{
		"fields": described("What counts: all that is not ignored, or a list. With a list everything that is declared is in it or in ignored.",
			anyOf(jsonSchema{"const": "all"}, listSchema(ref("rule"), 0)), "all"),
		"ignored": described("What does not count.", listSchema(ref("fieldPath"), 0), nil),
		"unknown": described("What an undeclared member of the body means: reject refuses the request, include counts it, ignore leaves it out.",
			wordSchema(unknownWords), nil),
		"view": described("A function of the program that makes of the body what counts of it.", anyOf(name, objectSchema(jsonSchema{
			"name":      described("The function's name, a Go identifier.", name, nil),
			"sensitive": described("Nobody may guess what it gives from a stored digest.", boolean, false),
		}, "name")), nil),
	}))
}

// ruleSchema is an entry of fields.
func ruleSchema() jsonSchema {
	long := objectSchema(jsonSchema{
		"as":        described("The normaliser: which spellings are one value.", wordSchema(normalisers), nil),
		"null":      described("absent: a null is the same as a missing member.", wordSchema(nullWords), nullWords[0]),
		"default":   described("materialise: a missing member is the same as its default.", wordSchema(defaultWords), defaultWords[0]),
		"sensitive": described("Nobody may guess the value from a stored digest. The program needs a key ring.", jsonSchema{"type": "boolean"}, false),
	})
	return anyOf(ref("fieldPath"), jsonSchema{
		"type": "object", "minProperties": 1, "maxProperties": 1,
		"propertyNames": ref("fieldPath"), "additionalProperties": anyOf(wordSchema(normalisers), long),
	})
}

func concurrentSchema() jsonSchema {
	return anyOf(jsonSchema{"const": "reject"}, objectSchema(jsonSchema{
		"wait": described("How long a duplicate waits for the outcome, 1m at most.", ref("duration"), nil),
	}, "wait"))
}

func keepSchema() jsonSchema {
	return objectSchema(jsonSchema{
		"except": described("Statuses that are no outcome: nothing is kept, and the key is free.", listSchema(ref("status"), 0),
			[]int{408, 425, 429, 502, 503, 504}),
	}, "except")
}

func replaySchema() jsonSchema {
	return objectSchema(jsonSchema{
		"headers": described("Headers that are stored with status and body.", listSchema(ref("header"), 0), []string{"Location", "ETag"}),
		"marker":  described("The header that tells a replay.", ref("header"), "Idempotent-Replayed"),
	})
}

func errorsSchema() jsonSchema {
	status := func(text string, otherwise int) jsonSchema { return described(text, ref("status"), otherwise) }
	return objectSchema(jsonSchema{
		"missing":     status("The key is missing.", 400),
		"malformed":   status("The key is malformed.", 400),
		"mismatch":    status("The key belongs to another request.", 422),
		"inFlight":    status("The first request has not ended yet.", 409),
		"unknown":     status("Nobody can tell the outcome of the first request.", 409),
		"unavailable": status("The store is down, or does not know the record's contract.", 503),
		"docs":        described("Where problems are documented: an absolute URL.", jsonSchema{"type": "string", "pattern": docsPattern}, nil),
	})
}
