package diag

import "slices"

// Code is the stable name of a kind of diagnostic: IDG and three digits.
// 1xx documents, 2xx annotations, 3xx contracts, 4xx generation and lock, 5xx lint, 6xx servers.
type Code string

// Severity is the severity that c has when a diagnostic does not set its own.
func (c Code) Severity() Severity {
	if info, ok := Lookup(c); ok {
		return info.Severity
	}
	return Error
}

// Info is what `idemgen explain CODE` prints.
type Info struct {
	Code        Code
	Severity    Severity
	Title       string // one line
	Explanation string // what it means, why it is so, what to do
	Bad, Good   string // snippets; empty where a snippet would not help
}

// Lookup finds the table row of c.
func Lookup(c Code) (Info, bool) {
	for _, info := range table {
		if info.Code == c {
			return info, true
		}
	}
	return Info{}, false
}

// Codes gives the whole table, sorted by code.
func Codes() []Info { return append([]Info(nil), table...) }

// table has one part for each room that finds things; each part stands in a file of its own.
var table = slices.Concat(documentCodes, annotationCodes, contractCodes, generateCodes, configCodes, lintCodes, serverCodes)
