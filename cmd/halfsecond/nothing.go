package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"halfsecond/budgets/report"
)

// outlet is standard output, and how much was printed on it.
type outlet struct {
	io.Writer
	n int64
}

// Write implements io.Writer.
func (o *outlet) Write(b []byte) (n int, err error) {
	n, err = o.Writer.Write(b)
	o.n += int64(n)
	return n, err
}

// nothing is the JSON document of a command that came to no report.
type nothing struct {
	Error    string `json:"error"`
	ExitCode int    `json:"exit_code"`
}

// showNothing prints, in place of a document that a program waits for, one that says why
// there is none.
func (p *program) showNothing(cmd *cobra.Command, exit *exitError) error {
	if !p.started || p.printed.n > 0 {
		return nil
	}
	n := report.Nothing{Command: strings.TrimPrefix(cmd.CommandPath(), "halfsecond "), Why: exit.err.Error()}
	switch p.Format {
	case "json":
		return writeJSON(p.out, nothing{n.Why, exit.code})
	case "junit":
		return n.JUnit(p.out)
	case "markdown":
		return n.Markdown(p.out)
	}
	return nil
}
