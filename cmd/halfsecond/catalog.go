package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"halfsecond/mockllm/catalog"
)

func newCatalogCmd(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "Hardware, models, engines, hosted components, prices, quality and plugins, with the source of each figure",
		Long: `Catalog lists the figures that predictions and scenarios start from, each with its
source. "unverified" marks rows that were written from memory and still have to be
found in a source. Any figure may be out of date: they were read on ` + catalog.ReadOn + `.

Case and punctuation of a name do not matter.`,
		Example: `  halfsecond catalog hardware
  halfsecond catalog models Llama-3.1-8B
  halfsecond catalog engines --catalog ours.txt
  halfsecond catalog components stt-deepgram-nova-3-general --format json
  halfsecond catalog prices gpt-4o
  halfsecond catalog quality Codestral-22B
  halfsecond catalog plugins throttle_two_pending`,
	}
	asGroup(cmd)
	cmd.AddCommand(
		newCatalogListCmd(p, hardwareList),
		newCatalogListCmd(p, modelList),
		newCatalogListCmd(p, engineList),
		newCatalogListCmd(p, componentList),
		newCatalogListCmd(p, priceList),
		newCatalogListCmd(p, qualityList),
		newCatalogListCmd(p, pluginList),
	)
	return cmd
}

// catalogList is one table of the catalogue.
type catalogList[T any] struct {
	name, about string
	fixed       bool // users cannot have rows of their own
	all         func(*catalog.Catalog) []T
	find        func(c *catalog.Catalog, name string) (T, error)
	columns     []column[T]
	document    func(T) any // the row as a JSON document
	// text, when set, is how a single row is printed in place of its columns.
	text func(T) string
}

// column is one figure of a row. Columns that are not in the list are shown for a
// single row only.
type column[T any] struct {
	name string
	list bool
	cell func(T) string
}

func newCatalogListCmd[T any](p *program, list catalogList[T]) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   list.name + " [NAME]",
		Short: list.about,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("want one name, got %d: quote a name with spaces", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runCatalog(cmd.Context(), p, list, file, args) },
	}
	if !list.fixed {
		cmd.Flags().StringVar(&file, "catalog", "", "`file` whose rows are listed after the built-in ones")
	}
	return cmd
}

// runCatalog prints the whole table, or the row that is named.
func runCatalog[T any](_ context.Context, p *program, list catalogList[T], file string, args []string) error {
	c, err := openCatalog(file)
	if err != nil {
		return usageError(err)
	}
	if len(args) == 0 {
		return list.printAll(p, list.all(c))
	}
	row, err := list.find(c, args[0])
	if err != nil {
		return usageError(err)
	}
	if p.Format == "json" {
		return writeJSON(p.out, list.document(row))
	}
	if list.text != nil {
		_, err = io.WriteString(p.out, list.text(row))
		return err
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 3, ' ', 0)
	for _, c := range list.columns {
		if cell := c.cell(row); cell != "" {
			fmt.Fprintf(t, "%s\t%s\n", c.name, cell)
		}
	}
	return t.Flush()
}

func (l catalogList[T]) printAll(p *program, rows []T) error {
	if p.Format == "json" {
		documents := []any{}
		for _, row := range rows {
			documents = append(documents, l.document(row))
		}
		return writeJSON(p.out, documents)
	}
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	l.writeLine(t, func(c column[T]) string { return strings.ToUpper(c.name) })
	for _, row := range rows {
		l.writeLine(t, func(c column[T]) string { return c.cell(row) })
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeCut(p.out, table.String(), p.width)
}

func (l catalogList[T]) writeLine(w io.Writer, cell func(column[T]) string) {
	var cells []string
	for _, c := range l.columns {
		if c.list {
			cells = append(cells, cell(c))
		}
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// writeCut writes text with every line cut to width columns, unless that is 0.
func writeCut(w io.Writer, text string, width int) error {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if width > 1 && utf8.RuneCountInString(line) > width {
			line = string([]rune(line)[:width-1]) + "…"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// figure prints a number in a unit, or "" when it is 0 for unknown.
func figure(v, unit float64, name string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g %s", v/unit, name)
}

// count prints a number, or "" when it is 0 for none.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// status is the column that marks what rests on memory.
func status(unverified bool) string {
	if unverified {
		return "unverified"
	}
	return "read"
}

// either returns one of two words.
func either(first bool, yes, no string) string {
	if first {
		return yes
	}
	return no
}
