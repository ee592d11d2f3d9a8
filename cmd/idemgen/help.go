package main

import "github.com/spf13/cobra"

// usageTemplate is what follows a verb's description. The usage stands there in one form.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Verbs:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

"{{.UseLine}} --help" says more about a verb.{{end}}
`

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [VERB]",
		Short:                 "Say more about a verb",
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("takes one verb, got %d", len(args))
			}
			return knownVerb(cmd.Root(), args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var verbs []cobra.Completion
			if len(args) == 0 {
				for _, verb := range cmd.Root().Commands() {
					verbs = append(verbs, cobra.CompletionWithDesc(verb.Name(), verb.Short))
				}
			}
			return verbs, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			if len(args) == 1 {
				about = verbOf(about, args[0])
			}
			about.InitDefaultHelpFlag() // cobra adds it only to the verb that runs
			return about.Help()
		},
	}
}
