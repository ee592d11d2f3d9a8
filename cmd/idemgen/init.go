package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

// toStdout is the file name that means standard output.
const toStdout = "-"

func initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [document]",
		Short: "Propose annotations for the operations that nobody has decided upon",
		Long: `Propose annotations for every POST and PATCH operation of a document that has none, as an OpenAPI Overlay.

The reasons stand as comments beside the lines; what the document alone cannot settle is marked "undecided:", so that a review finds it.
Every proposal is compiled first, so with it the document generates. Operations that are annotated or exempt stay as they are, and an
operation for which nothing can be proposed is named with the reason. An overlay that exists is never replaced.

With --in-place the annotations are put into the document itself and the files that its path items refer to. Lines are only added:
comments, order, quoting, anchors and line ends stay. This needs YAML that is not written in braces.`,
		Example: `  idemgen init payments.yaml
  idemgen init payments.yaml --in-place
  idemgen init vendor.json --out - | less`,
	}
	var how generator.ProposeOptions
	flags := readFlags(cmd)
	cmd.Flags().BoolVar(&how.InPlace, "in-place", false, "put the annotations into the document's own files")
	cmd.Flags().StringVar(&how.Out, "out", "", "overlay `file` to write, - for standard output (default <base>.idempotency.overlay.yaml beside the document)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		switch {
		case err != nil:
			return err
		case len(docs) != 1:
			return usagef("takes one document, got %d", len(docs))
		case how.InPlace && how.Out != "":
			return usagef("--in-place edits the document; --out names an overlay")
		}
		return propose(cmd, flags, docs[0], how)
	}
	return cmd
}

func propose(cmd *cobra.Command, flags *documentFlags, document string, how generator.ProposeOptions) error {
	r := newReport(cmd, flags)
	if how.Out == toStdout {
		r.stdout = r.stderr // the overlay is the product; findings stay apart from it in every format
	}
	proposal, findings, err := generator.Propose(document, flags.opts, how)
	r.findings = findings
	if err != nil || proposal == nil || r.refused() {
		return r.close(err)
	}
	if how.Out == toStdout {
		for _, f := range proposal.Files {
			if _, err := cmd.OutOrStdout().Write(f.Content); err != nil {
				return err
			}
		}
		r.proposed(proposal, nil)
		return r.close(nil)
	}
	changes, err := proposal.Write()
	if err == nil {
		r.findings = proposal.Moved(r.findings)
		r.proposed(proposal, changes)
	}
	return r.close(err)
}

// proposed narrates what was proposed, and what to do next.
func (r *report) proposed(p *generator.Proposal, changes []generator.Change) {
	for _, c := range changes {
		r.narrate("%-9s %s", verbs[c.Action], filepath.ToSlash(c.Path))
	}
	document := filepath.ToSlash(p.Document)
	switch {
	case len(p.Files) == 0:
		r.narrate("%s: nothing to propose, %d left out", document, p.LeftOut)
		return
	case p.Scope:
		r.narrate("%s: a scope proposed for the annotations that have none", document)
	}
	open := "nothing is marked as undecided"
	if p.Undecided > 0 {
		open = plural(p.Undecided, "undecided line") + ": grep undecided"
	}
	r.narrate("%s: annotations for %s proposed, %d of them exempt, %d left out; %s", document,
		plural(p.Proposed, "operation"), p.Exempt, p.LeftOut, open)
}
