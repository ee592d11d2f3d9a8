package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func generateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate [document…]",
		Short: "Write the Go package and the lock of each document",
		Long: `Write the Go package and the lock of each document.

Without a document, the one openapi.yaml, openapi.yml or openapi.json of the working folder is taken.
Where a server of oapi-codegen or ogen is generated from the document too, a binding is written that fits it; run that generator first.
Nothing is written when anything is wrong; files that are current keep their modification time.`,
		Example: `  idemgen generate payments.yaml
  idemgen generate vendor.json --overlay annotations.yaml --out internal/vendoridem`,
	}
	flags := writeFlags(cmd)
	cmd.Flags().StringArrayVar(&flags.opts.Accept, "accept", nil,
		"accept that records are forgotten by a `change`: a contract's, or one of it (createPayment.scope); may be repeated")
	cmd.Flags().StringVar(&flags.opts.Reason, "reason", "", "`why` what --accept names is wanted; it is written into the lock")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		if len(flags.opts.Accept) > 0 && !generator.ValidReason(flags.opts.Reason) {
			return usagef("--accept needs --reason with a line of text")
		}
		r := newReport(cmd, flags)
		plan, findings, err := generator.Prepare(docs, flags.opts)
		r.findings = findings
		if err != nil || r.refused() {
			return r.close(err)
		}
		changes, err := plan.Write()
		r.changes(plan, changes)
		return r.close(err)
	}
	return cmd
}

// verbs are the words of the narration.
var verbs = map[generator.Action]string{
	generator.Written: "wrote", generator.Unchanged: "unchanged", generator.Deleted: "deleted",
}

// changes narrates what was written: a line for each file, then a summary for each document.
func (r *report) changes(plan *generator.Plan, changes []generator.Change) {
	count := map[generator.Action]int{}
	for _, c := range changes {
		count[c.Action]++
		r.narrate("%-9s %s", verbs[c.Action], filepath.ToSlash(c.Path))
	}
	for _, p := range plan.Packages {
		for _, note := range p.Notes {
			r.narrate("%s", note)
		}
		if p.Binding != "" {
			r.narrate("%s: bound to %s", filepath.ToSlash(p.Document), p.Binding)
		}
		if !p.NewLock {
			r.unseen(p, "all versions of the lock count as released, and every change of a fingerprint adds one")
		}
		r.narrate("%s: package %s, %s", filepath.ToSlash(p.Document), p.Name, plural(p.Operations, "operation"))
	}
	r.narrate("%s written, %d unchanged, %d deleted",
		plural(count[generator.Written], "file"), count[generator.Unchanged], count[generator.Deleted])
}
