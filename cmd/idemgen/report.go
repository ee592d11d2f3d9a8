package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/openapi/diag"
)

// report collects what a run found and prints it once.
type report struct {
	flags    *documentFlags
	stdout   io.Writer
	stderr   io.Writer
	findings diag.List
}

func newReport(cmd *cobra.Command, flags *documentFlags) *report {
	return &report{flags: flags, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
}

// close prints the findings and gives what decides the exit code. A failure of the run comes first: its own diagnostics are
// printed with the others.
func (r *report) close(failure error) error {
	var obstacle *generator.BlockedError
	if errors.As(failure, &obstacle) {
		r.findings.Append(obstacle.Diagnostics)
		failure = errReported
	}
	if err := r.print(); err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	if r.refused() {
		return errFindings
	}
	return nil
}

// refused reports whether the findings stop the run.
func (r *report) refused() bool {
	return r.findings.HasErrors() || r.flags.strict && r.findings.Len() > 0
}

// print writes machine formats to standard output and the others to standard error.
func (r *report) print() error {
	format := diag.Format(r.flags.format)
	w := r.stderr
	if format.Machine() {
		w = r.stdout
	}
	printer, err := diag.NewPrinter(format, os.ReadFile)
	if err != nil {
		return err
	}
	if text, ok := printer.(diag.TextPrinter); ok && r.colored(w) {
		text.Paint = paint
		printer = text
	}
	if format == diag.FormatSARIF {
		return printer.Print(w, r.findings.WithAccepted())
	}
	return printer.Print(w, r.findings.All())
}

// paint colours a word for a terminal.
func paint(s diag.Severity, text string) string {
	const red, yellow, reset = "\x1b[31m", "\x1b[33m", "\x1b[0m"
	if s == diag.Warning {
		return yellow + text + reset
	}
	return red + text + reset
}

// narrate tells what is being done, unless -q was given.
func (r *report) narrate(format string, args ...any) {
	if !r.flags.quiet {
		r.tell(fmt.Sprintf(format+"\n", args...))
	}
}

// tell writes text for people. Names and contents of files are not trusted: what could move a terminal's cursor or change the
// order of its characters is replaced.
func (r *report) tell(text string) {
	fmt.Fprint(r.stderr, strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
			return unicode.ReplacementChar
		}
		return c
	}, text))
}

// colored decides by the flag, then by NO_COLOR (https://no-color.org), then by whether people read the stream.
func (r *report) colored(w io.Writer) bool {
	switch {
	case r.flags.color == "always":
		return true
	case r.flags.color == "never" || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return false
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
