package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/given"
	"halfsecond/simulators/scenario"
)

func newInitCmd(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "init voice|ide|load|bench|EXAMPLE|catalog|faults|server",
		Short: "Print a commented scenario, a catalogue, rules of faults or stated servers, to start from",
		Long: `Init prints a built-in scenario with every key written out and explained: change
what is yours. Of any other scenario that 'halfsecond run' knows by name, such as the
presets of voice, it prints the file as it is, with its comments. 'init catalog' prints a file with hardware, a model and an engine of
your own, which --catalog and the key catalog of a scenario name. 'init faults' prints
the rules that 'mock --fault' has built in, of every kind one: a file of yours has the
same form. 'init server' prints servers of stated times, for 'mock --server FILE#ID'.`,
		Example: `  halfsecond init voice > my.yaml
  halfsecond run my.yaml
  halfsecond init preset-local > mine.yaml
  halfsecond init catalog > ours.txt
  halfsecond predict --model Our-7B --hardware Our-Card --engine our-vllm --catalog ours.txt
  halfsecond init faults > rules.yaml
  halfsecond init server > cases.json
  halfsecond mock --server cases.json#two-slots`,
		Annotations: offers("table"),
		Args:        oneArgument("a built-in scenario (" + strings.Join(scenario.Names(), ", ") + "), an example such as preset-local, catalog, faults or server"),
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

// What init prints beside scenarios.
const (
	catalogName = "catalog"
	faultsName  = "faults"
	serverName  = "server"
)

//go:embed init_catalog.txt
var initCatalog string

func runInit(_ context.Context, p *program, name string) error {
	var text string
	var err error
	switch name {
	case catalogName:
		text = initCatalog
	case faultsName:
		text = string(fault.BuiltinFile())
	case serverName:
		text = string(given.Example())
	default:
		text, err = scenario.Init(name)
	}
	if err != nil {
		return usageError(err)
	}
	_, err = io.WriteString(p.out, text)
	return err
}
