package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/recount"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// again is what came of computing a run's numbers again from its raw log, as JSON: counts
// are of requests and of what speech services did, but for differing.
type again struct {
	Absent    *string  `json:"absent"` // why nothing could be computed again
	ReadAgain int      `json:"read_again"`
	Hearings  int      `json:"hearings"` // what speech services wrote down, spoke and answered, read again
	Sayings   int      `json:"sayings"`
	Answers   int      `json:"answers"`
	Turns     int      `json:"turns"` // with one of these, whose spans and marks were compared with what was read
	Differing []differ `json:"differing"`
	Unsent    int      `json:"unsent"`   // never sent, so there are no bytes
	Missing   int      `json:"missing"`  // sent, and not in the log
	Textless  int      `json:"textless"` // in the log without bytes: no text was to be kept
	Wordless  int      `json:"wordless"` // what speech services did, likewise
	Others    int      `json:"others"`   // in the log and not in the traces
	Hashed    bool     `json:"hashed"`   // bytes are other letters of the same kinds and sizes
	Cut       bool     `json:"cut"`      // the log ends in mid-air
	Unkept    int      `json:"unkept"`   // of others, those that a run which was cut off did not keep in its traces
	Modelled  bool     `json:"modelled"` // stages of voice turns are, and leave no bytes
	spoken    bool     // speech services are in the traces
	finished  bool     // the run did all that was asked, so that nothing is missing since it was cut off
}

type differ struct {
	Of      string `json:"of"`
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
		ReadAgain: r.Again, Hearings: r.Hearings, Sayings: r.Sayings, Answers: r.Answers, Turns: r.Turns, Differing: []differ{}, Unsent: r.Unsent, Missing: r.Missing, Textless: r.Textless, Wordless: r.Wordless,
		Others: r.Others, Hashed: r.Hashed, Cut: r.Cut, spoken: r.Spoken, finished: run.Footer.Finished,
		Modelled: run.Header.Kind == pipeline.KindVoice && slices.ContainsFunc(run.Header.Stages, func(s trace.Stage) bool { return s.Simulated }),
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
	switch {
	case a.Absent != nil:
		fmt.Fprintf(&b, "\nRaw log: none, so nothing can be computed again from bytes: %s.\n", *a.Absent)
	case a.read() == 0:
		b.WriteString("\nRaw log: nothing could be read again from bytes, so no number was compared.\n")
	default:
		same := "all numbers the same"
		if n := len(a.Differing); n > 0 {
			same = counted(n, "number") + " not as the bytes have it"
		}
		fmt.Fprintf(&b, "\nRaw log: %s read again from their bytes%s: %s.\n", a.readAgain(), a.compared(), same)
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

// read returns how many records were computed again.
func (a *again) read() int { return a.ReadAgain + a.Hearings + a.Sayings + a.Answers }

// readAgain says of what the numbers were computed again.
func (a *again) readAgain() string {
	var parts []string
	for _, x := range []struct {
		n    int
		noun string
	}{{a.ReadAgain, "request"}, {a.Hearings, "hearing"}, {a.Sayings, "saying"}, {a.Answers, "answer"}} {
		if x.n > 0 {
			parts = append(parts, counted(x.n, x.noun))
		}
	}
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// compared says what else was.
func (a *again) compared() string {
	if a.Turns == 0 {
		return ""
	}
	return fmt.Sprintf(", and the spans and marks of %s compared with them", counted(a.Turns, "turn"))
}

// cannot says what could not be computed again, and why.
func (a *again) cannot() (lines []string) {
	say := func(n int, format string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, a.records(n)))
		}
	}
	say(a.Unsent, "%s never sent: there are no bytes")
	say(a.Missing, "%s not in the log")
	say(a.Unkept, "%s in the log and not in the traces: the run was cut off before what they belong to ended")
	say(a.Textless, "%s in the log without bytes, since bytes that are packed have no others of the same size in place of texts that are not to be kept, or of a key")
	if n := a.Wordless; n > 0 {
		lines = append(lines, fmt.Sprintf("%s by the services of speech in the log as sizes and hashes alone, since no words were to be kept: neither they nor the turns that are made of them were compared", counted(n, "record")))
	}
	if a.Modelled {
		lines = append(lines, "stages that are modelled leave no bytes: what they took is as the traces have it")
	}
	if a.Hashed {
		lines = append(lines, "words were not kept: other letters of the same size stand for them")
	}
	if a.Cut {
		lines = append(lines, "the log ends in mid-air, as one of a program that was killed: what comes before that is whole")
	}
	return lines
}

// records is so many requests, or where services of speech are in the traces, so many of them
// or of their sessions.
func (a *again) records(n int) string {
	switch {
	case !a.spoken:
		return counted(n, "request")
	case n == 1:
		return "1 request or session"
	}
	return strconv.Itoa(n) + " requests or sessions"
}

// err is the error of a run whose numbers are not what its bytes say, or of which bytes are not
// there that were kept: a log is not whole that lacks what a finished run sent. That words were
// not to be kept, or that there is no log at all, is as its user wanted it, and no error.
func (a *again) err() error {
	switch {
	case a == nil:
		return nil
	case len(a.Differing) > 0:
		return a.wrong()
	case a.Missing > 0 && a.finished:
		return &exitError{exitUnmeasured, fmt.Errorf("%s in the traces not in %s, though the run finished: what they say could not be compared with bytes", a.records(a.Missing), rawFile)}
	}
	return nil
}

func (a *again) wrong() error {
	of := map[string]bool{}
	for _, d := range a.Differing {
		of[fmt.Sprint(d.Of, " ", d.Request)] = true
	}
	noun := "request"
	if a.spoken || slices.ContainsFunc(a.Differing, func(d differ) bool { return d.Request == 0 }) {
		noun = "record"
	}
	return &exitError{exitUnmeasured, fmt.Errorf("%s of %s in the traces not what the bytes in %s say",
		counted(len(a.Differing), "number"), counted(len(of), noun), rawFile)}
}
