package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/openapi/diag"
)

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [code | operation [document]]",
		Short: "Say what a diagnostic means, or what an operation makes of a request",
		Long: `Say what a diagnostic means and what to do about it; without a code, list all of them.

With an operation (its contract's name) and --request, say what it makes of that request under each live version of its contract:
the canonical text, and the digest. With two requests, say whether they are the same command, and which fields make them two.
A request is an HTTP message as it goes over the wire, a .http file with one request, or a curl command line; - is standard input.
In place of a file its parts may be given: --body, --query, --path, --header. Where bodies count through a view of the program, --view
says what it makes of each. Values of sensitive fields are masked.

With --database it also shows the record that stands under the request's key, and what the request would get: a run, the stored answer, a
mismatch and its fields. Of what is stored it shows states, times, sizes and the names of headers, and nothing that a client sent or got.
--scope says whose key it is, for each dimension of the operation's scope. Nothing is changed.`,
		Example: "  idemgen explain " + string(diag.NoOperations) + `
  idemgen explain createPayment --request first.http --request retry.http
  idemgen explain createPayment payments.yaml --path accountId=acc_1 --body '{"amount":"10"}'
  idemgen explain createPayment -r retry.http --database "$DATABASE_URL" --scope tenant=acme`,
		ValidArgsFunction: completeCodes,
	}
	flags := explainFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && !flags.given(cmd):
			listCodes(cmd.OutOrStdout())
			return nil
		case len(args) == 0:
			return usagef("name the operation whose request it is")
		case len(args) > 2:
			return usagef("takes a code, or an operation and a document; got %d arguments", len(args))
		case flags.given(cmd) || !looksLikeCode(args[0]):
			return flags.explain(cmd, args[0], args[1:])
		case len(args) > 1:
			return usagef("takes one code, got %d arguments", len(args))
		}
		info, ok := diag.Lookup(codeOf(args[0]))
		if !ok {
			return usagef("no diagnostic is called %q; idemgen explain lists them", args[0])
		}
		_, err := io.WriteString(cmd.OutOrStdout(), info.Text())
		return err
	}
	return cmd
}

func completeCodes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var codes []string
	for _, info := range diag.Codes() {
		codes = append(codes, string(info.Code)+"\t"+info.Title)
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

// looksLikeCode tells a diagnostic from an operation. An operation that is called like one is explained as soon as a request is given.
func looksLikeCode(text string) bool { return codeForm.MatchString(text) }

var codeForm = regexp.MustCompile(`^(?i:IDG)?[0-9]+$`)

// codeOf takes a code in any case, and its number alone.
func codeOf(text string) diag.Code {
	return diag.Code("IDG" + strings.TrimPrefix(strings.ToUpper(text), "IDG"))
}

func listCodes(w io.Writer) {
	for _, info := range diag.Codes() {
		fmt.Fprintf(w, "%s %-7s %s\n", info.Code, info.Severity, info.Title)
	}
}
