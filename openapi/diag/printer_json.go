package diag

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSONPrinter writes one JSON object. Members are only ever added to it; a change of meaning raises version.
//
//	{
//	  "version": 1,
//	  "diagnostics": [{
//	    "file": "payments.yaml",      relative to where the caller stands; "" when no place is known
//	    "line": 12, "col": 9,         from 1, columns in bytes; 0 when not known
//	    "endLine": 12, "endCol": 15,  exclusive; both left out when only a point is known
//	    "severity": "error",          error or warning
//	    "code": "IDG113",
//	    "message": "…",
//	    "hint": "…",                  may hold line breaks; "" when there is none
//	    "related": [{"file": "…", "line": 3, "col": 1, "message": "…"}]
//	  }]
//	}
type JSONPrinter struct{}

type jsonOutput struct {
	Version     int              `json:"version"`
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
}

type jsonDiagnostic struct {
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Col      int           `json:"col"`
	EndLine  int           `json:"endLine,omitempty"`
	EndCol   int           `json:"endCol,omitempty"`
	Severity string        `json:"severity"`
	Code     Code          `json:"code"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint"`
	Related  []jsonRelated `json:"related"`
}

type jsonRelated struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// Print implements [Printer].
func (JSONPrinter) Print(w io.Writer, ds []Diagnostic) error {
	out := jsonOutput{Version: 1, Diagnostics: make([]jsonDiagnostic, 0, len(ds))}
	for _, d := range ds {
		out.Diagnostics = append(out.Diagnostics, toJSON(d))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("diag: print: %w", err)
	}
	return nil
}

func toJSON(d Diagnostic) jsonDiagnostic {
	out := jsonDiagnostic{
		File: d.Pos.File, Line: d.Pos.Line, Col: d.Pos.Col, EndLine: d.End.Line, EndCol: d.End.Col,
		Severity: d.severity().String(), Code: d.Code, Message: d.Message, Hint: d.Hint,
		Related: make([]jsonRelated, 0, len(d.Related)),
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonRelated{File: r.Pos.File, Line: r.Pos.Line, Col: r.Pos.Col, Message: r.Message})
	}
	return out
}
