package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"halfsecond/pipeline/endpoint/recount"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// again is what came of computing a run's numbers again from its raw log, as JSON: counts
// are of requests, but for differing.
type again struct {
	Absent    *string  `json:"absent"` // why nothing could be computed again
	ReadAgain int      `json:"read_again"`
	Differing []differ `json:"differing"`
	Unsent    int      `json:"unsent"`   // never sent, so there are no bytes
	Missing   int      `json:"missing"`  // sent, and not in the log
	Textless  int      `json:"textless"` // in the log without bytes: no text was to be kept
	Others    int      `json:"others"`   // in the log and not in the traces
	Hashed    bool     `json:"hashed"`   // bytes are other letters of the same kinds and sizes
	Cut       bool     `json:"cut"`      // the log ends in mid-air
	Unkept    int      `json:"unkept"`   // of others, those that a run which was cut off did not keep in its traces
}

type differ struct {
	Request int64  `json:"request"`
	Figure  string `json:"figure"`
	Trace   string `json:"trace"`
	Bytes   string `json:"bytes"`
}

// recountRun computes the numbers of a run again from the raw log beside its traces; nil
// when nothing went over a wire.
func recountRun(path string, run trace.Run) (*again, error) {
	if run.Header.Target == runner.Sim || run.Header.Target == importTarget {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	log, file, err := openRaw(path)
	if errors.Is(err, fs.ErrNotExist) {
		why := fmt.Sprintf("there is no %s in %s", rawFile, path)
		return &again{Absent: &why, Differing: []differ{}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := recount.Traces(run.Traces, log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	a := &again{
		ReadAgain: r.Again, Differing: []differ{}, Unsent: r.Unsent, Missing: r.Missing, Textless: r.Textless,
		Others: r.Others, Hashed: r.Hashed, Cut: r.Cut,
	}
	if !run.Footer.Finished {
		a.Unkept = r.Others - r.Early
	}
	for _, d := range r.Differ {
		a.Differing = append(a.Differing, differ(d))
	}
	return a, nil
}

// mostDiffering is how many differences a page names; the document has all of them.
const mostDiffering = 50

// writeTable says it in a few lines.
func (a *again) writeTable(w io.Writer) error {
	var b strings.Builder
	if a.Absent != nil {
		fmt.Fprintf(&b, "\nRaw log: none, so nothing can be computed again from bytes: %s.\n", *a.Absent)
	} else {
		same := "all numbers the same"
		if n := len(a.Differing); n > 0 {
			same = counted(n, "number") + " not as the bytes have it"
		}
		fmt.Fprintf(&b, "\nRaw log: %s read again from their bytes: %s.\n", counted(a.ReadAgain, "request"), same)
	}
	for _, d := range a.Differing[:min(len(a.Differing), mostDiffering)] {
		fmt.Fprintf(&b, "  %s\n", recount.Difference(d))
	}
	if n := len(a.Differing) - mostDiffering; n > 0 {
		fmt.Fprintf(&b, "  and %d more; --format json names all\n", n)
	}
	for _, text := range a.cannot() {
		fmt.Fprintf(&b, "  %s\n", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cannot says what could not be computed again, and why.
func (a *again) cannot() (lines []string) {
	say := func(n int, format string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, counted(n, "request")))
		}
	}
	say(a.Unsent, "%s never sent: there are no bytes")
	say(a.Missing, "%s not in the log")
	say(a.Unkept, "%s in the log and not in the traces: the run was cut off before what they belong to ended")
	say(a.Textless, "%s in the log without bytes, since bytes that are packed have no others of the same size in place of texts that are not to be kept, or of a key")
	if a.Hashed {
		lines = append(lines, "words were not kept: other letters of the same size stand for them")
	}
	if a.Cut {
		lines = append(lines, "the log ends in mid-air, as one of a program that was killed: what comes before that is whole")
	}
	return lines
}

// err is the error of a run whose numbers are not what its bytes say.
func (a *again) err() error {
	if a == nil || len(a.Differing) == 0 {
		return nil
	}
	var ids []int64
	for _, d := range a.Differing {
		ids = append(ids, d.Request)
	}
	slices.Sort(ids)
	return &exitError{exitUnmeasured, fmt.Errorf("%s of %s in the traces not what the bytes in %s say",
		counted(len(a.Differing), "number"), counted(len(slices.Compact(ids)), "request"), rawFile)}
}
