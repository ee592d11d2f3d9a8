package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Format is the name of an output format, as a command line flag takes it.
type Format string

const (
	FormatText   Format = "text"   // for people: excerpt, caret, hint
	FormatShort  Format = "short"  // one line each, for editors and grep
	FormatJSON   Format = "json"   // for programs
	FormatSARIF  Format = "sarif"  // for code-scanning services
	FormatGitHub Format = "github" // for annotations of a pull request
)

// Formats gives the formats that [NewPrinter] knows, in the order in which help texts list them.
func Formats() []Format {
	return []Format{FormatText, FormatShort, FormatJSON, FormatSARIF, FormatGitHub}
}

// Machine reports whether programs read the format. Then it belongs on standard output, alone.
func (f Format) Machine() bool { return f == FormatJSON || f == FormatSARIF || f == FormatGitHub }

// Printer writes diagnostics in one format. It keeps their order; [List.All] gives the right one.
type Printer interface {
	Print(w io.Writer, ds []Diagnostic) error
}

// NewPrinter gives the printer of format. read gives the excerpts of [TextPrinter] and the columns of [SARIFPrinter].
func NewPrinter(format Format, read ReadFunc) (Printer, error) {
	switch format {
	case FormatText:
		return TextPrinter{Read: read}, nil
	case FormatShort:
		return ShortPrinter{}, nil
	case FormatJSON:
		return JSONPrinter{}, nil
	case FormatSARIF:
		return SARIFPrinter{Read: read}, nil
	case FormatGitHub:
		return GitHubPrinter{}, nil
	}
	return nil, fmt.Errorf("diag: choose printer: unknown format %q", format)
}

// String gives the word that diagnostics are printed with.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "unknown"
}

// String gives file:line:col, as much of it as is known.
func (p Pos) String() string {
	switch {
	case !p.IsValid():
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// String gives the diagnostic as the short format prints it.
func (d Diagnostic) String() string {
	place := ""
	if at := d.Pos.String(); at != "" {
		place = printable(at) + ": "
	}
	code := ""
	if d.Code != "" {
		code = " [" + string(d.Code) + "]"
	}
	return fmt.Sprintf("%s%s: %s%s", place, d.severity(), oneLine(d.Message), code)
}

func (d Diagnostic) severity() Severity {
	if d.Severity == 0 {
		return d.Code.Severity()
	}
	return d.Severity
}

// ShortPrinter writes each diagnostic on one line: file:line:col: severity: message [IDGnnn].
type ShortPrinter struct{}

// Print implements [Printer].
func (ShortPrinter) Print(w io.Writer, ds []Diagnostic) error {
	for _, d := range ds {
		if _, err := fmt.Fprintln(w, d); err != nil {
			return fmt.Errorf("diag: print: %w", err)
		}
	}
	return nil
}

// oneLine is text with its line breaks turned into spaces.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }

// printable replaces what could move a terminal's cursor or change its colours: documents are not trusted.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
