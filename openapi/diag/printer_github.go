package diag

import (
	"fmt"
	"io"
	"strings"
)

// GitHubPrinter writes workflow commands of GitHub Actions: each finding becomes an annotation at its line in the pull request.
//
//	::error file=payments.yaml,line=12,col=9,endColumn=15,title=IDG113::the file has no schema Paymnt%0Ahint: …
type GitHubPrinter struct{}

// Print implements [Printer].
func (GitHubPrinter) Print(w io.Writer, ds []Diagnostic) error {
	for _, d := range ds {
		if _, err := io.WriteString(w, workflowCommand(d)); err != nil {
			return fmt.Errorf("diag: print: %w", err)
		}
	}
	return nil
}

// Notice writes d as a notice, under a title of its own: something that a reviewer is told and that is no finding.
func (GitHubPrinter) Notice(w io.Writer, title string, d Diagnostic) error {
	if _, err := io.WriteString(w, command("notice", title, d)); err != nil {
		return fmt.Errorf("diag: print: %w", err)
	}
	return nil
}

func workflowCommand(d Diagnostic) string { return command(d.severity().String(), string(d.Code), d) }

func command(name, title string, d Diagnostic) string {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+workflowProperty.Replace(value)) }
	number := func(name string, n int) {
		if n > 0 {
			add(name, fmt.Sprint(n))
		}
	}
	if d.Pos.File != "" {
		add("file", printable(d.Pos.File))
	}
	number("line", d.Pos.Line)
	number("col", d.Pos.Col)
	if d.Pos.IsValid() && d.End.Line == d.Pos.Line {
		number("endColumn", d.End.Col)
	}
	if title != "" {
		add("title", title)
	}
	message := oneLine(d.Message)
	if d.Hint != "" {
		message += "\nhint: " + d.Hint
	}
	for _, r := range d.Related {
		message += "\n" + r.Pos.String() + ": " + r.Message
	}
	return "::" + strings.TrimSpace(name+" "+strings.Join(properties, ",")) + "::" + workflowData.Replace(message) + "\n"
}

// What the runner takes for the end of a command or of a property is escaped as it reads it back.
var (
	workflowData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
