package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// recordOptions are the inputs of record, as typed.
type recordOptions struct {
	source string // a folder, a file or a URL
	out    string
	hash   bool
	asking recordAsking
	given  func(flag string) bool // whether a flag was typed
}

func newRecordCmd(p *program) *cobra.Command {
	opts := &recordOptions{}
	cmd := &cobra.Command{
		Use:   "record DIR|URL --out FILE",
		Short: "Keep an endpoint's timing as a cassette",
		Long: `Record makes a cassette: a file of requests and their responses, each read with its
instant and bytes, without keys. 'halfsecond replay' serves it with the same pace, and a
scenario takes it for its language model: llm: {cassette: FILE}.

Of a folder that 'halfsecond run --out DIR' made on the target mock or endpoint, or of an
exchanges.jsonl.gz, it takes what is there: the requests of the report, without those of
the warm-up. Of a URL it asks the endpoint itself, one request after the other, having said
first what it will send; --check sends nothing. Nothing is retried.

Requests without a response, and those that the client gave up before the end, are left
out: nobody knows how they would have gone on. Failures, such as a status 429, a
connection that broke off or an answer without an end, are kept, and counted with their
reasons in what is printed.

--hash-texts keeps no words: the SHA-256 of each body stands for it, and of responses
other letters of the same kinds and sizes, whose instants and numbers are the same.`,
		Example: `  halfsecond run voice --target mock --n 20 --out results
  halfsecond record results --out mock.jsonl.gz
  halfsecond record http://127.0.0.1:8000/v1 --requests 30 --answer 200 --out local.jsonl.gz
  halfsecond record https://api.example.com/v1 --model small --key-env EXAMPLE_KEY --prompts questions.txt --hash-texts --out rented.jsonl.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && opts.asking.endpoint != "" {
				return nil
			}
			return oneArgument("a folder that run --out made, or the URL of an endpoint")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.source, opts.given = strings.Join(args, ""), cmd.Flags().Changed
			return runRecord(cmd.Context(), p, opts)
		},
	}
	inGroups(cmd,
		group("What is written", func(f *pflag.FlagSet) {
			f.StringVar(&opts.out, "out", "", "`file` to make, such as cassette.jsonl.gz")
			f.BoolVar(&opts.hash, "hash-texts", false, "keep no prompt and no answer: their SHA-256, and bytes of the same kinds and sizes")
		}),
		group("What a URL is asked", opts.asking.addFlags),
		group("What asking may take", opts.asking.addGuard),
	)
	return cmd
}

// runRecord makes a cassette.
func runRecord(ctx context.Context, p *program, o *recordOptions) error {
	url, err := o.url()
	switch {
	case err != nil:
	case o.out == "" && !o.asking.check:
		err = errors.New("--out is missing: want the file to make")
	case url == "" && len(o.asking.typed(o.given)) > 0:
		err = fmt.Errorf("%s: for asking a URL, and %s is a file or folder", strings.Join(o.asking.typed(o.given), ", "), o.source)
	}
	if err != nil {
		return usageError(err)
	}
	t := &taping{Left: map[string]int{}, Failed: recordFailures{}}
	if url == "" {
		err = o.convert(t)
	} else {
		err = o.ask(ctx, p, url, t)
	}
	if t.File == "" {
		return err
	}
	return cmp.Or(err, t.show(p), t.err())
}

// url returns the endpoint that is to be asked, "" for none.
func (o *recordOptions) url() (string, error) {
	if o.asking.endpoint == "" {
		if strings.Contains(o.source, "://") {
			return o.source, nil
		}
		return "", nil
	}
	stage, url, ok := strings.Cut(o.asking.endpoint, "=")
	switch {
	case !ok || stage != "llm" || url == "":
		return "", fmt.Errorf("--endpoint %s: want llm=URL", o.asking.endpoint)
	case o.source != "":
		return "", fmt.Errorf("%s and --endpoint: want one of them", o.source)
	}
	return url, nil
}

// taping is what came of making a cassette, as JSON.
type taping struct {
	File   string         `json:"file"`
	Kept   int            `json:"kept"`
	Failed recordFailures `json:"failed"`   // of those kept
	Left   map[string]int `json:"left_out"` // requests by why
	Cut    bool           `json:"cut"`      // what was there ended in mid-air

	log    *rawLog
	hashed bool
}

// begin makes the file.
func (t *taping) begin(name string, h exchange.Header) error {
	log, err := createRaw(name)
	if err != nil {
		return usageError(err)
	}
	return t.beginLog(log, h)
}

// beginLog writes the header of the file. One of which that cannot be written is removed.
func (t *taping) beginLog(log *rawLog, h exchange.Header) error {
	t.log, t.File = log, log.file.Name()
	h.Cassette, t.hashed = true, h.Hashed
	if err := t.log.begin(h); err != nil {
		return errors.Join(err, t.log.close()) // which removes it
	}
	return nil
}

// keep writes an exchange, if it can be served again.
func (t *taping) keep(x *exchange.Exchange) error {
	why := x.Playable()
	if why == nil {
		why = t.Failed.add(x, t.hashed)
	}
	if why != nil {
		t.Left[why.Error()]++
		return nil
	}
	t.Kept++
	return t.log.keep(x)
}

// end closes the file. One with nothing in it is removed.
func (t *taping) end() error {
	err := t.log.close()
	if t.Kept == 0 {
		err = errors.Join(err, removeIfThere(t.File))
	}
	return err
}

// err says that there was nothing to keep.
func (t *taping) err() error {
	if t.Kept > 0 {
		return nil
	}
	return &exitError{exitUnmeasured, errors.New("nothing was kept, so there is no file")}
}

// show says what was kept, and what was left out and why.
func (t *taping) show(p *program) error {
	t.Failed.sort()
	if p.Format == "json" {
		return writeJSON(p.out, t)
	}
	text := fmt.Sprintf("kept %s in %s\n", counted(t.Kept, "exchange"), t.File)
	if t.Kept == 0 {
		text = ""
	}
	text += t.Failed.words()
	for _, why := range slices.Sorted(maps.Keys(t.Left)) {
		text += fmt.Sprintf("left out %s: %s\n", counted(t.Left[why], "request"), why)
	}
	if t.Cut {
		text += "what was there ended in mid-air, as after a kill: what came before that is here\n"
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// Why exchanges are left out that no report is of.
const (
	outside = "of no interaction in the traces, but of the warm-up or of other people"
	unkept  = "the run was cut off before what they belong to ended"
)

// reporting says which exchanges are those of a report; the zero reporting takes all.
type reporting struct {
	requests map[int64]bool // nil for all
	first    time.Duration  // when the first interaction was due
	late     string         // why others after that are left out
}

// without says why an exchange is left out, "" for one of the report.
func (r *reporting) without(x *exchange.Exchange) string {
	switch {
	case r.requests == nil || r.requests[x.Request]:
		return ""
	case x.Due >= r.first:
		return r.late
	}
	return outside
}

// convert makes a cassette of the exchanges of a run.
func (o *recordOptions) convert(t *taping) error {
	from, file, err := openRaw(o.source)
	if err != nil {
		return usageError(fmt.Errorf("%w; a run on mock or endpoint with --out has a %s", err, rawFile))
	}
	defer file.Close()
	if from.Header.Subject != nil {
		return usageError(fmt.Errorf("%s holds conversations with a speech endpoint, which no cassette can give again; 'halfsecond doctor %s' explains them", o.source, o.source))
	}
	reported, err := o.reported()
	if err != nil {
		return usageError(err)
	}
	h := from.Header
	h.Hashed = h.Hashed || o.hash
	if err := t.begin(o.out, h); err != nil {
		return err
	}
	if err = t.copy(from, reported); err != nil {
		t.Kept = 0 // a part of it is nothing
	}
	t.Cut = from.Unfinished()
	return cmp.Or(err, t.end())
}

// copy keeps the exchanges of a report.
func (t *taping) copy(from *exchange.Reader, reported reporting) error {
	for {
		x, err := from.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return usageError(err)
		}
		if why := reported.without(x); why != "" {
			t.Left[why]++
			continue
		}
		if err := t.keep(x); err != nil {
			return err
		}
	}
}

// reported returns what the traces beside a raw log are of; all when there are none.
func (o *recordOptions) reported() (reporting, error) {
	dir := o.source
	if filepath.Base(dir) == rawFile {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, traceFile)); err != nil {
		return reporting{}, nil
	}
	run, err := readTraces(dir)
	if err != nil {
		return reporting{}, err
	}
	r := reporting{requests: map[int64]bool{}, first: math.MaxInt64, late: outside}
	if !run.Footer.Finished {
		r.late = unkept
		if strings.Contains(run.Header.ScenarioText, "\nbackground:") {
			r.late += ", or they are of other people"
		}
	}
	for i := range run.Traces {
		r.first = min(r.first, run.Traces[i].Due)
		for _, q := range run.Traces[i].Requests {
			if q.Sent != pipeline.Unknown {
				r.requests[q.ID] = true
			}
		}
	}
	return r, nil
}
