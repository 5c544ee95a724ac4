package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is flags of a command that its help shows together, under a title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// group returns the flags that are added to it, in that order.
func group(title string, add ...func(f *pflag.FlagSet)) flagGroup {
	g := flagGroup{title, pflag.NewFlagSet(title, pflag.ContinueOnError)}
	g.flags.SortFlags = false
	for _, a := range add {
		a(g.flags)
	}
	return g
}

// helpWidth is where lines of help are broken.
const helpWidth = 110

// inGroups gives a command its flags, which are too many for one list.
func inGroups(cmd *cobra.Command, groups ...flagGroup) {
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.flags)
	}
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		out := cmd.OutOrStderr()
		fmt.Fprintf(out, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		others := group("Other flags", func(f *pflag.FlagSet) {
			f.AddFlag(cmd.Flag("help"))
			f.AddFlagSet(cmd.InheritedFlags())
		})
		for _, g := range append(groups, others) {
			fmt.Fprintf(out, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
		}
		return nil
	})
}
