package contract

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// presence says whether a member has to be there. Elements and entries are no members.
type presence uint8

const (
	noMember presence = iota
	requiredMember
	optionalMember
)

// rule is a field's line, part by part; doc.go has its grammar.
type rule struct {
	head        string
	of          *rule // what an array's elements are, unless they are arrays with a line of their own
	presence    presence
	null        NullRule
	unknown     canon.UnknownPolicy // 0: the contract's own
	split       byte
	defaultText string
}

// String writes the line. Everything that decides the hash at this field is in it.
func (r rule) String() string {
	var b strings.Builder
	b.WriteString(r.head)
	if r.of != nil {
		b.WriteString(" of " + r.of.element())
	}
	switch r.presence {
	case requiredMember:
		b.WriteString(" required")
	case optionalMember:
		b.WriteString(" optional")
	case noMember:
	}
	switch r.null {
	case NullDistinct:
		b.WriteString(" null=distinct")
	case NullAbsent:
		b.WriteString(" null=absent")
	case NullRefused:
	}
	if r.unknown != 0 {
		b.WriteString(" unknown=" + r.unknown.String())
	}
	if r.split != 0 {
		b.WriteString(" split=" + quoteJSON(string(r.split)))
	}
	if r.defaultText != "" {
		b.WriteString(" default=" + r.defaultText)
	}
	return b.String()
}

func present(required bool) presence {
	if required {
		return requiredMember
	}
	return optionalMember
}

// leafHead is a normaliser with its version: exact/1.
func leafHead(n canon.Normaliser) string { return n.String() + "/" + strconv.Itoa(n.Version()) }

// arrayVersion stands behind the name of an array kind. A changed meaning would be a new one.
const arrayVersion = 1

// arrayHead is an array kind with its version: list/1.
func arrayHead(k canon.ArrayKind) string { return k.String() + "/" + strconv.Itoa(arrayVersion) }

const (
	objectHead = "object"
	mapHead    = "map"
)

// unionHead names how values of a union are told apart: union(type) by a member, union by JSON type.
func unionHead(discriminator string) string {
	if discriminator == "" {
		return "union"
	}
	return "union(" + labelText(discriminator) + ")"
}

// recursionHead names the place whose line says what stands here.
func recursionHead(text string) string { return "recursion of " + text }

// element writes r as what an array's elements are.
func (r rule) element() string {
	if text := r.String(); strings.Contains(text, " ") {
		return "(" + text + ")"
	}
	return r.head
}
