package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"halfsecond/simulators/scenario"
)

func newInitCmd(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "init voice|ide|load|bench",
		Short: "Print a commented scenario to start from",
		Long: `Init prints a built-in scenario with every key written out and explained: change
what is yours.`,
		Example: `  halfsecond init voice > my.yaml
  halfsecond run my.yaml`,
		Annotations: offers("table"),
		Args:        oneArgument("a built-in scenario: voice, ide, load or bench"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInit(cmd.Context(), p, args[0])
		},
	}
}

// oneArgument asks for exactly one argument, which is what.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("an argument is missing: %s", what)
		case 1:
			return nil
		}
		return fmt.Errorf("unexpected argument %q: want one, %s", args[1], what)
	}
}

func runInit(_ context.Context, p *program, name string) error {
	text, err := scenario.Init(name)
	if err != nil {
		return usageError(err)
	}
	_, err = io.WriteString(p.out, text)
	return err
}
