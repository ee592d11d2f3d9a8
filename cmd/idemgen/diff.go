package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/openapi/diag"
)

const formatMarkdown = "markdown"

func diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [document…]",
		Short: "Say what changes of the contracts do to retries that are under way",
		Long: `Say what changes of the contracts do to retries that are under way: each change with a verdict and a sentence.

  same             requests are the same commands as before, and records are found
  new version      what is hashed has changed; the older version stays known to both programs
  retries refused  some requests that were accepted are not any more
  dangerous        records are not found or not compared: a retry may run twice

The contracts of the document as it is now are compared with the lock at the merge base with what is released, or --against a git
revision or another lock file. The exit code is 1 when a dangerous change is not accepted; --strict counts refused retries too.`,
		Example: `  idemgen diff payments.yaml --against origin/main
  idemgen diff payments.yaml --format markdown > comment.md`,
	}
	flags := readFlags(cmd)
	cmd.Flags().Lookup("format").Usage = "`format`: text, markdown, json, sarif or github"
	against := cmd.Flags().String("against", "", "git `revision`, or a lock file (default: the merge base with what is released)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		markdown := flags.format == formatMarkdown
		if markdown {
			flags.format = string(diag.FormatText)
		}
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		r := newReport(cmd, flags)
		var all []*generator.Comparison
		for _, document := range docs {
			c, findings, err := generator.Compare(document, *against, flags.opts)
			r.findings.Append(findings)
			if err != nil || c == nil {
				return r.close(err)
			}
			all = append(all, c)
		}
		return r.differences(all, markdown)
	}
	return cmd
}

// differences prints comparisons: as findings where the format is one of findings, else as they are.
func (r *report) differences(all []*generator.Comparison, markdown bool) error {
	refused := false
	for _, c := range all {
		refused = refused || c.Refused()
		found := c.Findings()
		if r.flags.strict {
			refused = refused || found.Len() > 0
		}
		switch format := diag.Format(r.flags.format); {
		case markdown:
			fmt.Fprint(r.stdout, diffMarkdown(c))
		case format == diag.FormatText || format == diag.FormatShort:
			fmt.Fprint(r.stdout, diffText(c))
		case format == diag.FormatGitHub:
			r.findings.Append(found)
			if err := r.notices(c); err != nil {
				return err
			}
		case format == diag.FormatSARIF:
			r.findings.Append(found)
		}
	}
	if diag.Format(r.flags.format) == diag.FormatJSON {
		if err := writeJSON(r.stdout, diffsJSON(all)); err != nil {
			return err
		}
	} else if err := r.print(); err != nil {
		return err
	}
	if refused {
		return errFindings
	}
	return nil
}

// notices are the annotations beside those of findings: how much has changed, each new version, and what somebody has accepted.
func (r *report) notices(c *generator.Comparison) error {
	if len(c.Differences) == 0 {
		return nil
	}
	summary := diag.Diagnostic{Pos: diag.Pos{File: filepath.ToSlash(c.Document)}, Message: fmt.Sprintf("against %s: %s", c.Against, diffSummary(c))}
	if err := (diag.GitHubPrinter{}).Notice(r.stdout, "idempotency contracts", summary); err != nil {
		return err
	}
	for _, d := range c.Differences {
		message, title := d.String()+": "+d.Retry, string(d.Verdict)
		switch {
		case d.Accepted != "":
			message, title = message+"; accepted: "+d.Accepted, title+", accepted"
		case d.Verdict != generator.VerdictVersion:
			continue
		}
		if err := (diag.GitHubPrinter{}).Notice(r.stdout, title, diag.Diagnostic{Pos: d.Pos, Message: message}); err != nil {
			return err
		}
	}
	return nil
}

// diffText is a comparison for a terminal.
func diffText(c *generator.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s: %s\n", plain(c.Document), plain(c.Against), diffSummary(c))
	for _, d := range c.Differences {
		fmt.Fprintf(&b, "\n  %-15s %s\n                  %s\n", d.Verdict, plain(d.String()), d.Retry)
		if d.Accepted != "" {
			fmt.Fprintf(&b, "                  accepted: %s\n", plain(d.Accepted))
		}
	}
	return b.String()
}

// diffSummary counts by verdict. What somebody has accepted is counted as that.
func diffSummary(c *generator.Comparison) string {
	if len(c.Differences) == 0 {
		return "no contract changes"
	}
	count := map[string]int{}
	var order []string
	for _, d := range c.Differences {
		word := string(d.Verdict)
		if d.Accepted != "" {
			word = "accepted"
		}
		if count[word]++; count[word] == 1 {
			order = append(order, word)
		}
	}
	parts := make([]string, len(order))
	for i, verdict := range order {
		parts[i] = fmt.Sprintf("%d %s", count[verdict], verdict)
	}
	return plural(len(c.Differences), "change") + ": " + strings.Join(parts, ", ")
}

// diffMarkdown is a comparison as a comment of a pull request.
func diffMarkdown(c *generator.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Idempotency contracts of %s\n\n%s, against %s.\n\n", markdownText(c.Document), diffSummary(c), markdownText(c.Against))
	if len(c.Differences) == 0 {
		return b.String()
	}
	b.WriteString("| verdict | contract | change | a retry during the deploy |\n| --- | --- | --- | --- |\n")
	for _, d := range c.Differences {
		change := markdownText(strings.TrimPrefix(strings.TrimPrefix(d.String(), d.Contract), ": "))
		retry := d.Retry
		if d.Accepted != "" {
			retry += "; accepted: " + markdownText(d.Accepted)
		}
		fmt.Fprintf(&b, "| **%s** | %s | %s | %s |\n", d.Verdict, markdownText(d.Contract), change, retry)
	}
	b.WriteString("\n")
	return b.String()
}

// markdownText keeps what a document says from meaning something to a renderer.
func markdownText(s string) string {
	return markdownEscapes.Replace(plain(s))
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "!", `\!`, "@", "&#64;")

// diffJSON is a comparison for programs. Its members are only ever added to.
type diffJSON struct {
	Document string       `json:"document"`
	Against  string       `json:"against"`
	Changes  []changeJSON `json:"changes"`
}

type changeJSON struct {
	Contract string `json:"contract"`
	What     string `json:"what"`
	Was      string `json:"was"`
	Is       string `json:"is"`
	Verdict  string `json:"verdict"`
	Retry    string `json:"retry"`
	Accepted string `json:"accepted,omitempty"`
}

func diffsJSON(all []*generator.Comparison) []diffJSON {
	out := make([]diffJSON, len(all))
	for i, c := range all {
		out[i] = diffJSON{Document: c.Document, Against: c.Against, Changes: make([]changeJSON, len(c.Differences))}
		for j, d := range c.Differences {
			out[i].Changes[j] = changeJSON{d.Contract, d.What, d.Was, d.Is, string(d.Verdict), d.Retry, d.Accepted}
		}
	}
	return out
}
