package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint [document…]",
		Short: "Say what is wrong with documents and annotations, and write nothing",
		Long: `Say what is wrong with documents and annotations, and what a careful reviewer would ask about those that are right. Nothing is written.

The reviewer's rules (IDG5xx) are warnings of this verb: operations that nobody decided upon, required parts that do not count, values
that change with every attempt, secrets that can be guessed from a digest, answers that the document does not declare, and others.
idemgen explain lists them. In idemgen.yaml each is off, a warning or an error, which generate and check then keep too, and single
findings are accepted with a reason.`,
		Example: `  idemgen lint payments.yaml --strict --format json`,
	}
	flags := readFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		r := newReport(cmd, flags)
		findings, err := generator.Lint(docs, flags.opts)
		r.findings = findings
		if err == nil && findings.Len() == 0 {
			for _, d := range docs {
				r.narrate("%s: nothing to say", filepath.ToSlash(d))
			}
		}
		return r.close(err)
	}
	return cmd
}
