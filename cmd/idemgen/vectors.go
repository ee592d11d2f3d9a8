package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func vectorsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors document",
		Short: "Print the test vectors of a document's contracts as JSON",
		Long: `Print the test vectors of a document's contracts as JSON, for a program in another language that makes fingerprints too.

  {"scheme": "idempotency-fingerprint/1",
   "contracts": [
     {"name": "createPayment", "operation": "POST /accounts/{accountId}/payments", "version": 1, "id": "…",
      "vectors": [
        {"name": "…", "like": "…", "unlike": "…", "refused": true,
         "request": {"contentType": "…", "body": "…", "path": {"accountId": "…"}, "query": "…", "header": {"x-trace": "…"}},
         "canonical": "…", "sha256": "…"}]}]}

Every request is whole: the body's text, decoded path values, the raw query, header lines by their lower-case names; what is empty is left out.
canonical is the text that the request stands for, and sha256, in hexadecimal digits, is that of
scheme "\n" name "\n" id "\n" canonical. Where refused is true there are neither: the request has none.
like and unlike name a vector of the same contract whose sha256 is equal, or is not.
Findings go to standard error. Nothing is written.`,
		Example: `  idemgen vectors payments.yaml > vectors.json`,
	}
	flags := readFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		if len(docs) != 1 {
			return usagef("takes one document, got %d", len(docs))
		}
		r := newReport(cmd, flags)
		r.stdout = r.stderr // the vectors are the product; findings stay apart from them in every format
		text, findings, err := generator.Vectors(docs[0], flags.opts)
		r.findings = findings
		if err == nil && !r.refused() {
			_, err = cmd.OutOrStdout().Write(text)
		}
		if err == nil && findings.Len() == 0 {
			return nil // in JSON even an empty list would be printed
		}
		return r.close(err)
	}
	return cmd
}
