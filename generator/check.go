package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Drift is one file that is not what the plan says.
type Drift struct {
	// Document is the one that generates the file; empty when none does.
	Document   string
	Diagnostic diag.Diagnostic
	// Diff leads from the file on disk to what is generated, in unified form. It is empty for a missing or left-over file, and
	// for Go files whose lock differs too: they follow from what the lock's diff shows.
	Diff string
}

// Check compares the plan with the files on disk and changes nothing.
func (p *Plan) Check() ([]Drift, error) {
	var out []Drift
	told := map[string]bool{} // documents whose lock differs; a lock comes before its Go files
	for _, f := range p.Files {
		disk, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, p.missing(f))
		case err != nil:
			return nil, fmt.Errorf("generator: check %s: %w", slash(f.Path), err)
		case !sameText(disk, f.Content):
			out = append(out, p.differs(f, disk, told[f.Document]))
			told[f.Document] = told[f.Document] || f.Lock
		}
	}
	for _, path := range p.Stale {
		out = append(out, Drift{Diagnostic: diag.Diagnostic{
			Pos: diag.Pos{File: slash(path)}, Code: diag.DriftLeftOver, Severity: diag.Error,
			Message: "no operation generates this file any more",
		}})
	}
	return out, nil
}

func (p *Plan) missing(f File) Drift {
	return Drift{Document: f.Document, Diagnostic: diag.Diagnostic{
		Pos: diag.Pos{File: slash(f.Path)}, Code: diag.DriftMissing, Severity: diag.Error,
		Message: fmt.Sprintf("missing: %s generates it", slash(f.Document)), Hint: p.opts.command(f.Document),
	}}
}

func (p *Plan) differs(f File, disk []byte, told bool) Drift {
	disk = bytes.ReplaceAll(disk, []byte("\r\n"), []byte("\n"))
	drift := Drift{Document: f.Document, Diagnostic: diag.Diagnostic{
		Pos: diag.Pos{File: slash(f.Path), Line: firstDifference(disk, f.Content), Col: 1}, Code: diag.DriftDiffers, Severity: diag.Error,
		Message: fmt.Sprintf("not what %s generates", slash(f.Document)), Hint: p.opts.command(f.Document),
	}}
	if !told {
		drift.Diff = unifiedDiff(slash(f.Path), string(disk), slash(f.Path)+" (generated)", string(f.Content))
	}
	return drift
}

// firstDifference is the line of the file on disk where the two part; its last one when it is a beginning of the other.
func firstDifference(disk, made []byte) int {
	line := 0
	for text := range bytes.Lines(disk) {
		line++
		if !bytes.HasPrefix(made, text) {
			return line
		}
		made = made[len(text):]
	}
	return max(1, line)
}
