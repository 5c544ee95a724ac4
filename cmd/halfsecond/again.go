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
	Turns     int      `json:"turns"` // whose spans and marks were compared with these
	Differing []differ `json:"differing"`
	Unsent    int      `json:"unsent"`   // never sent, so there are no bytes
	Missing   int      `json:"missing"`  // sent, and not in the log
	Textless  int      `json:"textless"` // in the log without bytes: no text was to be kept
	Others    int      `json:"others"`   // in the log and not in the traces
	Hashed    bool     `json:"hashed"`   // bytes are other letters of the same kinds and sizes
	Cut       bool     `json:"cut"`      // the log ends in mid-air
	Unkept    int      `json:"unkept"`   // of others, those that a run which was cut off did not keep in its traces
	Modelled  bool     `json:"modelled"` // stages of voice turns are, and leave no bytes
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
		ReadAgain: r.Again, Hearings: r.Hearings, Sayings: r.Sayings, Answers: r.Answers, Turns: r.Turns, Differing: []differ{}, Unsent: r.Unsent, Missing: r.Missing, Textless: r.Textless,
		Others: r.Others, Hashed: r.Hashed, Cut: r.Cut,
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
	if a.Absent != nil {
		fmt.Fprintf(&b, "\nRaw log: none, so nothing can be computed again from bytes: %s.\n", *a.Absent)
	} else {
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
	switch n := len(parts); n {
	case 0:
		return counted(0, "request")
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
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
	noun := "request"
	if a.Turns > 0 {
		noun = "request or session"
	}
	say := func(n int, format string) {
		if n > 0 {
			what := counted(n, noun)
			if n != 1 && a.Turns > 0 {
				what = strconv.Itoa(n) + " requests or sessions"
			}
			lines = append(lines, fmt.Sprintf(format, what))
		}
	}
	say(a.Unsent, "%s never sent: there are no bytes")
	say(a.Missing, "%s not in the log")
	say(a.Unkept, "%s in the log and not in the traces: the run was cut off before what they belong to ended")
	say(a.Textless, "%s in the log without bytes, since bytes that are packed have no others of the same size in place of texts that are not to be kept, or of a key")
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

// err is the error of a run whose numbers are not what its bytes say.
func (a *again) err() error {
	if a == nil || len(a.Differing) == 0 {
		return nil
	}
	of := map[string]bool{}
	for _, d := range a.Differing {
		of[fmt.Sprint(d.Of, d.Request)] = true
	}
	noun := "request"
	if a.Turns > 0 {
		noun = "record"
	}
	return &exitError{exitUnmeasured, fmt.Errorf("%s of %s in the traces not what the bytes in %s say",
		counted(len(a.Differing), "number"), counted(len(of), noun), rawFile)}
}
