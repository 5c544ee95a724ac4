package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// suites is a JUnit document: what CI systems read of it. Of a test case GitLab shows the
// class as its suite, and the name. Sources: GitLab issue 299086; schema
// junit-4.xsd of Jenkins in the Rust package junit-report 0.9.1; both read 2026-11-29.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []suite  `xml:"testsuite"`
}

type suite struct {
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Errors     int        `xml:"errors,attr"`
	Skipped    int        `xml:"skipped,attr"`
	Time       seconds    `xml:"time,attr,omitempty"` // left out where there is none, as of two runs compared
	Properties []property `xml:"properties>property"`
	Cases      []testCase `xml:"testcase"`
	Out        string     `xml:"system-out"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    seconds  `xml:"time,attr"`
	Failure *trouble `xml:"failure"`
	Error   *trouble `xml:"error"`
	Skipped *trouble `xml:"skipped"`
}

// trouble is why a test case did not pass.
type trouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// seconds is a time as JUnit has it, with every digit of a nanosecond.
type seconds time.Duration

// MarshalXMLAttr returns the seconds as a decimal number.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	text := strconv.FormatInt(int64(s)/int64(time.Second), 10) + fmt.Sprintf(".%09d", int64(s)%int64(time.Second))
	return xml.Attr{Name: name, Value: strings.TrimRight(strings.TrimRight(text, "0"), ".")}, nil
}

// add files one test case and counts it.
func (s *suite) add(c testCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func (s suite) writeTo(w io.Writer) error { return writeSuites(w, s) }

// writeSuites writes a document of suites.
func writeSuites(w io.Writer, all ...suite) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites{Suites: all}); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// JUnit writes the run as JUnit XML: a test case for each budget, and one that the run
// finished. A budget that failed is a failure. One that could not be measured is an
// error, and not skipped: CI systems take what is skipped for good, and nobody knows
// that this is. The time of a case is the latency that was measured, in seconds; that
// of the suite is how long the run took.
func (r *Report) JUnit(w io.Writer) error { return r.suite().writeTo(w) }

func (r *Report) suite() suite {
	s := suite{Name: fmt.Sprintf("%s on %s", r.Scenario, r.Target), Time: seconds(r.took()), Out: strings.TrimSpace(r.said() + "\n" + r.why()), Properties: []property{
		{"scenario_hash", r.ScenarioHash}, {"target", r.Target}, {"seed", strconv.FormatUint(r.Seed, 10)}, {"n", strconv.Itoa(r.N)},
		{"version", r.Version}, {"verdict", r.Verdict.String()},
	}}
	class := "halfsecond." + r.Target + "." + r.Scenario
	for i := range r.analysis.Judgements {
		j := &r.analysis.Judgements[i]
		c := budgetCase(class, j)
		if r.gives(j) {
			c.Failure.Text += "\n" + *r.Ghost.Reason
		}
		s.add(c)
	}
	finished := testCase{Class: class, Name: finishedCase, Time: s.Time}
	if !r.Finished {
		why := "it left no word why"
		if r.UnfinishedReason != nil {
			why = *r.UnfinishedReason
		}
		finished.Error = &trouble{Type: "unfinished", Message: fmt.Sprintf("the run did not finish (%s): this is %d of %d %s", why, r.N, r.NAsked, r.noun(2))}
	}
	s.add(finished)
	return s
}

// finishedCase is the test case that is an error where a run did not finish.
const finishedCase = "the run finished"

func budgetCase(class string, j *budgets.Judgement) testCase {
	c := testCase{Class: class, Name: j.Budget.String()}
	if j.HasValue && j.Unit() == budgets.Duration {
		c.Time = seconds(j.Value)
	}
	switch j.Verdict {
	case budgets.Fail:
		c.Failure = &trouble{Type: "budget", Message: statement(j) + ", " + distance(j), Text: j.Reason}
	case budgets.Unmeasured:
		c.Error = &trouble{Type: "unmeasured", Message: subject(j) + " cannot be judged: " + j.Reason}
	}
	return c
}

// took returns the time from the first due instant to the last end.
func (r *Report) took() time.Duration {
	from, to := pipeline.Unknown, pipeline.Unknown
	for i := range r.analysis.Run.Traces {
		t := &r.analysis.Run.Traces[i]
		if from == pipeline.Unknown || t.Due < from {
			from = t.Due
		}
		to = max(to, t.End)
	}
	return max(0, pipeline.Since(from, to))
}
