package gogen

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// operationVar declares the descriptor: everything of the contract that is not the hash.
func operationVar(op *contract.Contract) jen.Code {
	fields := []jen.Code{
		member("Name", jen.Lit(op.Name)),
	}
	if op.Method != "" { // a webhook is received where the program wants it
		fields = append(fields, member("Method", jen.Lit(op.Method)), member("Path", jen.Lit(op.Path)))
	}
	fields = append(fields,
		member("Key", keySource(op.Key)),
		scopeFields(op))
	optional := func(present bool, name string, value jen.Code) {
		if present {
			fields = append(fields, member(name, value))
		}
	}
	fields = append(fields, member("Keyspace", jen.Lit(op.Keyspace)), member("Retention", retention(op)))
	fields = append(fields, executionFields(op)...)
	optional(op.Wait > 0, "Wait", duration(op.Wait))
	optional(len(op.KeepExcept) > 0, "KeepExcept", intList(op.KeepExcept))
	optional(len(op.ReplayHeaders) > 0, "ReplayHeaders", stringList(op.ReplayHeaders))
	optional(op.ReplayMarker != "", "ReplayMarker", jen.Lit(op.ReplayMarker))
	fields = append(fields, member("Statuses", statuses(op.Statuses)))
	optional(op.Docs != "", "Docs", jen.Lit(op.Docs))
	optional(op.Compare, "Versions", versions(op))
	if op.Unique != nil {
		fields = append(fields, member("Unique", businessKey(op)))
	}
	return doc(operationDoc(op)...).Var().Id(op.Names.Operation).Op("=").Add(idem("Operation")).Add(lines(fields...))
}

// operationDoc says in the annotation's words what a reviewer has to agree with.
func operationDoc(op *contract.Contract) []string {
	head := op.Names.Operation + " is the contract of " + endpoint(op)
	if summary := excerpt(op.Summary); summary != "" {
		head += ": " + summary
	}
	fingerprint := "none: every request with the same key counts as the same command"
	if op.Compare {
		fingerprint = fmt.Sprintf("version %d, id %s", op.Version.Number, op.Version.ID)
		if op.Version.View != "" {
			fingerprint += ", the body through the view " + op.Version.View
		}
		for i, v := range op.Older {
			fingerprint += []string{"; older ones still live: ", ", "}[min(i, 1)] + strconv.Itoa(v.Number)
		}
	}
	scope := scopeText(op.Scope)
	if len(op.Before) > 0 {
		scope += "; before: " + scopeText(op.Before) + ", under which records stand too"
	}
	about := []string{
		head,
		"",
		"  - key: " + excerpt(op.Key.From) + ", " + keyDemands(op.Key),
		"  - scope: " + scope,
		"  - keyspace: " + excerpt(op.Keyspace),
		"  - retention: " + excerpt(op.RetentionText),
		"  - fingerprint: " + fingerprint,
	}
	if text := executionText(op); text != "" {
		about = append(about, "  - execution: "+text)
	}
	if op.Unique != nil {
		about = append(about, "  - unique: "+excerpt(strings.Join(op.Unique.Paths, ", ")))
	}
	return about
}

// scopeFields are the descriptor's fields about whom a key belongs to.
func scopeFields(op *contract.Contract) jen.Code {
	now := member("Scope", scopeParts(op.Scope))
	if len(op.Before) == 0 {
		return now
	}
	return jen.List(now, member("Before", scopeParts(op.Before)))
}

func scopeText(terms []contract.ScopeTerm) string {
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.Text
	}
	return excerpt(strings.Join(texts, ", "))
}

// keyDemands says what a key must be.
func keyDemands(k contract.Key) string {
	text := "optional"
	if k.Required {
		text = "required"
	}
	if k.Format != "" {
		text += ", a " + k.Format
	}
	if k.MinLength == k.MaxLength {
		return fmt.Sprintf("%s, %d characters", text, k.MinLength)
	}
	return fmt.Sprintf("%s, %d to %d characters", text, k.MinLength, k.MaxLength)
}

// endpoint names the operation as its callers do.
func endpoint(op *contract.Contract) string {
	if op.Method == "" {
		return "the webhook " + excerpt(cmp.Or(op.Webhook, op.Name))
	}
	return excerpt(op.Method + " " + op.Path)
}

func keySource(k contract.Key) jen.Code {
	fields := []jen.Code{member("In", idem(places[k.In]))}
	if k.Name != "" {
		fields = append(fields, member("Name", jen.Lit(k.Name)))
	}
	if len(k.Path) > 0 {
		fields = append(fields, member("Path", stringList(k.Path)))
	}
	if k.Required {
		fields = append(fields, member("Required", jen.True()))
	}
	fields = append(fields, member("MinLength", jen.Lit(k.MinLength)), member("MaxLength", jen.Lit(k.MaxLength)))
	if k.Format != "" {
		fields = append(fields, member("Format", idem(keyFormats[k.Format])))
	}
	if k.Numbers {
		fields = append(fields, member("Numbers", jen.True()))
	}
	return idem("KeySource").Values(fields...)
}

func scopeParts(terms []contract.ScopeTerm) jen.Code {
	parts := make([]jen.Code, len(terms))
	for i, t := range terms {
		parts[i] = jen.Values(scopePart(t)...)
	}
	return jen.Index().Add(idem("ScopePart")).Values(parts...)
}

func scopePart(t contract.ScopeTerm) []jen.Code {
	dimension := member("Dimension", jen.Lit(t.Dimension))
	if t.Dimension >= 0 {
		return []jen.Code{dimension}
	}
	if t.Literal != "" {
		return []jen.Code{dimension, member("Literal", jen.Lit(t.Literal))}
	}
	from := []jen.Code{member("In", idem(places[t.In]))}
	if t.Name != "" {
		from = append(from, member("Name", jen.Lit(t.Name)))
	}
	if t.In == "path" {
		from = append(from, member("Index", jen.Lit(t.Index)))
	}
	if len(t.Path) > 0 {
		from = append(from, member("Path", stringList(t.Path)))
	}
	if t.As != 0 {
		from = append(from, member("As", canon(normalisers[t.As])))
	}
	return []jen.Code{dimension, member("From", idem("RequestPart").Values(from...))}
}

// retention spells the duration; below zero a record never expires.
func retention(op *contract.Contract) jen.Code {
	if op.Retention < 0 {
		return idem("Forever")
	}
	return duration(op.Retention)
}

func statuses(s contract.Statuses) jen.Code {
	return idem("Statuses").Values(
		member("Missing", jen.Lit(s.Missing)), member("Malformed", jen.Lit(s.Malformed)), member("Mismatch", jen.Lit(s.Mismatch)),
		member("InFlight", jen.Lit(s.InFlight)), member("Unknown", jen.Lit(s.Unknown)), member("Unavailable", jen.Lit(s.Unavailable)))
}

// versions lists the live versions, newest first.
func versions(op *contract.Contract) jen.Code {
	var rows []jen.Code
	for _, v := range op.Versions() {
		version := []jen.Code{
			member("Number", jen.Lit(v.Number)), member("ID", jen.Lit(string(v.ID))),
			member("Fields", jen.Id(v.Names.Fields)), member("Fingerprint", jen.Id(v.Names.Fingerprint)),
		}
		if len(v.Sensitive) > 0 {
			version = append(version, member("Sensitive", intList(v.Sensitive)))
		}
		if v.View != "" {
			version = append(version, member("View", jen.Lit(v.View)), member("ViewBody", jen.Op("&").Id(v.Names.Body)))
		}
		rows = append(rows, jen.Values(version...))
	}
	if len(rows) == 1 {
		return jen.Index().Add(idem("Version")).Values(rows...)
	}
	return jen.Index().Add(idem("Version")).Add(lines(rows...))
}

// The spellings of the contract and the runtime's names for them. check refuses every other one.
var (
	executions = map[string]string{contract.Transactional: "Transactional", contract.Leased: "Leased"}
	keyFormats = map[string]string{"": "AnyKey", "uuid": "UUIDKey"}
	places     = map[string]string{"header": "KeyInHeader", "query": "KeyInQuery", "body": "KeyInBody", "path": "KeyInPath"}
)
