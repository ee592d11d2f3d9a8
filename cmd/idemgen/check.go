package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/openapi/diag"
)

func checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [document…]",
		Short: "Fail when generated files or the lock are not current",
		Long: `Generate in memory, with the flags that generate was given, and compare with the files on disk.

Nothing is written. The exit code is 1 when a file is missing, differs, or belongs to nothing any more; and when there is a remote called
origin, or CI=true, and it cannot be seen what is released: the default branch of origin, else GITHUB_BASE_REF or
CI_MERGE_REQUEST_TARGET_BRANCH_NAME, else main or master, or --base.`,
		Example: `  idemgen check payments.yaml`,
	}
	flags := writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		r := newReport(cmd, flags)
		plan, findings, err := generator.Prepare(docs, flags.opts)
		r.findings = findings
		if err != nil || findings.HasErrors() {
			return r.close(err)
		}
		r.findings.Append(plan.Blind())
		drift, err := plan.Check()
		for _, d := range drift {
			r.findings.Add(d.Diagnostic)
		}
		result := r.close(err)
		r.drift(plan, drift)
		return result
	}
	return cmd
}

// notes tell what the documents' drift does to requests that were made before.
func (r *report) notes(plan *generator.Plan, drift []generator.Drift) {
	for _, p := range plan.Packages {
		if !slices.ContainsFunc(drift, func(d generator.Drift) bool { return d.Document == p.Document }) {
			continue
		}
		for _, note := range p.Notes {
			r.tell(note + "\n")
		}
	}
}

// drift shows the differences to people, and says so when there are none.
func (r *report) drift(plan *generator.Plan, drift []generator.Drift) {
	if diag.Format(r.flags.format) == diag.FormatText {
		r.notes(plan, drift)
		for _, d := range drift {
			r.tell(d.Diff)
		}
	}
	if len(drift) > 0 {
		return
	}
	for _, p := range plan.Packages {
		if p.Unseen != nil && p.Unseen.Expected { // which is a finding
			continue
		}
		r.narrate("%s: package %s and its lock are current", filepath.ToSlash(p.Document), p.Name)
		r.unseen(p, "the lock was compared with itself alone")
	}
}

// unseen tells that it is not known what is released, what that means, and what to do about it.
func (r *report) unseen(p generator.Package, means string) {
	if p.Unseen == nil {
		return
	}
	help := ""
	if p.Unseen.Help != "" {
		help = "; to have it seen: " + p.Unseen.Help
	}
	r.narrate("%s: what is released could not be seen (%s): %s%s", filepath.ToSlash(p.Document), p.Unseen.Why, means, help)
}
