package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that cobra writes a script for.
var shells = []string{"bash", "fish", "powershell", "zsh"}

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes idemgen's command line in a shell",
		Long:  "Print the script that completes idemgen's command line in a shell: " + strings.Join(shells, ", ") + ".",
		Example: `  source <(idemgen completion bash)
  idemgen completion zsh > "${fpath[1]}/_idemgen"
  idemgen completion fish | source`,
		DisableFlagsInUseLine: true,
		ValidArgs:             shells,
		Args:                  oneShell,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			const descriptions = true
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w, descriptions)
			case "fish":
				return root.GenFishCompletion(w, descriptions)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return root.GenZshCompletion(w) // oneShell knows no other
		},
	}
}

func oneShell(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return usagef("takes one shell (%s), got %d", strings.Join(shells, ", "), len(args))
	case !slices.Contains(shells, args[0]):
		return usagef("no script for %q: %s", args[0], strings.Join(shells, ", "))
	}
	return nil
}
