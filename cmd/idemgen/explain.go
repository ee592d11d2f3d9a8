package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/openapi/diag"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "explain [code]",
		Short:                 "Say what a diagnostic means and what to do about it",
		Long:                  "Say what a diagnostic means and what to do about it. Without a code, list all of them.",
		Example:               "  idemgen explain " + string(diag.NoOperations),
		DisableFlagsInUseLine: true,
		Args:                  atMostOneCode,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, info := range diag.Codes() {
				codes = append(codes, string(info.Code)+"\t"+info.Title)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				listCodes(cmd.OutOrStdout())
				return nil
			}
			info, ok := diag.Lookup(codeOf(args[0]))
			if !ok {
				return usagef("no diagnostic is called %q; idemgen explain lists them", args[0])
			}
			_, err := io.WriteString(cmd.OutOrStdout(), info.Text())
			return err
		},
	}
}

// codeOf takes a code in any case, and its number alone.
func codeOf(text string) diag.Code {
	return diag.Code("IDG" + strings.TrimPrefix(strings.ToUpper(text), "IDG"))
}

func atMostOneCode(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("takes one code, got %d", len(args))
	}
	return nil
}

func listCodes(w io.Writer) {
	for _, info := range diag.Codes() {
		fmt.Fprintf(w, "%s %-7s %s\n", info.Code, info.Severity, info.Title)
	}
}
