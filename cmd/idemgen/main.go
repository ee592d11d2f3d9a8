package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Exit codes, the same for every verb.
const (
	exitOK       = 0
	exitFindings = 1 // errors in the documents, or drift
	exitFailed   = 2 // the job could not be done
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs the command with the arguments after its name and gives the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %s\nusage: %s\n", cmd.CommandPath(), usage.text, cmd.UseLine())
		return exitFailed
	}
	fmt.Fprintf(stderr, "idemgen: %v\n", err)
	return exitFailed
}

var (
	// errFindings says that errors or drift were found, and reported.
	errFindings = errors.New("findings")
	// errReported says that the job could not be done, and that the reason was reported.
	errReported = errors.New("reported")
)

// usageError is a mistake in the command line: one line, followed by the verb's usage line.
type usageError struct {
	text string
}

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// rootCommand assembles the verbs. It has no work of its own: without a verb it says which there are.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:                   "idemgen VERB",
		Short:                 "Generate idempotent HTTP handlers from an OpenAPI document",
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		Args:                  knownVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(cmd.ErrOrStderr())
			if err := cmd.Help(); err != nil {
				return err
			}
			return errReported
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is stricter
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		initCommand(),
		generateCommand(),
		checkCommand(),
		lintCommand(),
		vectorsCommand(),
		explainCommand(),
		docsCommand(),
		diffCommand(),
		pruneCommand(),
		keysCommand(),
		schemaCommand(),
		migrateCommand(),
		completionCommand(),
		versionCommand(),
	)
	return root
}

// verbOf finds a verb by its name; nil when there is none.
func verbOf(root *cobra.Command, name string) *cobra.Command {
	for _, verb := range root.Commands() {
		if verb.Name() == name {
			return verb
		}
	}
	return nil
}

// knownVerb refuses what is no verb, with the nearest one.
func knownVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 || verbOf(root, args[0]) != nil {
		return nil
	}
	var verbs []string
	for _, verb := range root.Commands() {
		verbs = append(verbs, verb.Name())
	}
	near, ok := diag.Nearest(args[0], verbs)
	if begun := root.SuggestionsFor(args[0]); !ok && len(begun) > 0 {
		near, ok = begun[0], true
	}
	if !ok {
		return usagef("unknown verb %q", args[0])
	}
	return usagef("unknown verb %q; did you mean %s?", args[0], near)
}

// noArguments is cobra.NoArgs with this command's way to put it.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("takes no argument, got %q", args[0])
	}
	return nil
}
