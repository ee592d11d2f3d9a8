package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "lint [document…]",
		Short:   "Say what is wrong with documents and annotations, and write nothing",
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
