package arrival

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// columns are the names of the three columns of a trace, those of Azure's among them.
var columns = [3][]string{
	{"timestamp", "at", "at_s"},
	{"prompt_tokens", "contexttokens", "input_tokens", "request tokens"},
	{"output_tokens", "generatedtokens", "response tokens"},
}

// mostTokens bounds what a row may ask: far beyond any model's context.
const mostTokens = 20_000_000

// mostFaults is how many wrong lines are reported.
const mostFaults = 10

// ReadCSV reads a trace: a line of column names, and a line for each request in the
// order of time. A timestamp is an instant such as "2023-11-16 18:15:46.6805900" or
// "2023-11-16T18:15:46Z", or a number of seconds. Other columns are passed over. The
// error names what is wrong, each with file and line.
func ReadCSV(name string, r io.Reader) (*Trace, error) {
	lines := csv.NewReader(r)
	lines.ReuseRecord = true
	head, err := lines.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: want a line of column names: %w", name, err)
	}
	at, err := places(head)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	t := &Trace{Name: name}
	var faults []error
	for len(faults) < mostFaults {
		fields, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			faults = append(faults, fmt.Errorf("%s: %w", name, err)) // what follows it may be anything
			break
		}
		if err == nil {
			err = t.add(fields, at)
		}
		if err != nil {
			line, _ := lines.FieldPos(0)
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
	if len(faults) == 0 && !t.lasts() {
		faults = append(faults, fmt.Errorf("%s: %d requests: want two or more that came at different times", name, len(t.Requests)))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	t.fromFirst()
	return t, nil
}

// add takes the request of one line, its instant being on the clock of the file.
func (t *Trace) add(fields []string, at [3]int) error {
	row, err := parseRow(fields, at)
	if n := len(t.Requests); err == nil && n > 0 && row.At < t.Requests[n-1].At {
		err = errors.New("it came before the line above: want the order of time")
	}
	if err == nil {
		t.Requests = append(t.Requests, row)
	}
	return err
}

// lasts reports whether there is time between the first and the last request.
func (t *Trace) lasts() bool {
	n := len(t.Requests)
	return n > 1 && t.Requests[n-1].At > t.Requests[0].At
}

// fromFirst counts all instants from that of the first request.
func (t *Trace) fromFirst() {
	origin := t.Requests[0].At
	for i := range t.Requests {
		t.Requests[i].At -= origin
	}
}

// places returns where the three columns are.
func places(head []string) (at [3]int, err error) {
	for i, names := range columns {
		at[i] = slices.IndexFunc(head, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))))
		})
		if at[i] < 0 {
			err = errors.Join(err, fmt.Errorf("no column %s; there are %s", names[0], strings.Join(head, ", ")))
		}
	}
	return at, err
}

func parseRow(fields []string, at [3]int) (row Request, err error) {
	if row.At, err = instant(strings.TrimSpace(fields[at[0]])); err != nil {
		return row, err
	}
	for i, n := range []*int{&row.PromptTokens, &row.OutputTokens} {
		text := strings.TrimSpace(fields[at[i+1]])
		if *n, err = strconv.Atoi(text); err != nil || *n < 1 || *n > mostTokens {
			return row, fmt.Errorf("%q: want %s from 1 to %d", text, columns[i+1][0], mostTokens)
		}
	}
	return row, nil
}

// longestRecording bounds seconds, so that they are exact as nanoseconds.
const longestRecording = 100 * 365 * 24 * time.Hour

// instant returns the time since some origin.
func instant(text string) (time.Duration, error) {
	for _, layout := range []string{time.DateTime, "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), nil
		}
	}
	s, err := time.ParseDuration(text + "s")
	if err != nil || strings.HasPrefix(text, "-") || s > longestRecording || strings.ContainsAny(text, "hmsnuµ") {
		return 0, fmt.Errorf("%q: want a time such as 2023-11-16 18:15:46.68, or a number of seconds", text)
	}
	return s, nil
}
