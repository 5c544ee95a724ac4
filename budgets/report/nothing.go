package report

import (
	"fmt"
	"io"
	"strings"
)

// Nothing stands in for the report of a command that came to none, so that a system which
// reads reports shows why.
type Nothing struct {
	Command string // such as "compare"
	Why     string // may have several lines
}

// JUnit writes a test case that is an error: the run did not finish.
func (n Nothing) JUnit(w io.Writer) error {
	first, _, _ := strings.Cut(n.Why, "\n")
	s := suite{Name: "halfsecond " + n.Command, Out: n.Why}
	s.add(testCase{Class: "halfsecond." + n.Command, Name: finishedCase, Error: &trouble{Type: "unfinished", Message: first, Text: n.Why}})
	return s.writeTo(w)
}

// Markdown writes a page that says so.
func (n Nothing) Markdown(w io.Writer) error {
	var m markdown
	m.heading(3, fmt.Sprintf("%s halfsecond %s: no report", undecidedSign, n.Command))
	for line := range strings.SplitSeq(n.Why, "\n") {
		m.paragraph(line)
	}
	return m.writeTo(w)
}

// undecidedSign is what a page begins with where nothing can be told.
const undecidedSign = "⚠️"
