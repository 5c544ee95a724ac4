package fit

import (
	"io"
	"math"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// Timed is one request of a run, with when what happened to it. Instants are since
// the run began.
type Timed struct {
	Line           int // in its file, from 1
	Arrival        time.Duration
	Queued         time.Duration // when the engine took note of it; pipeline.Unknown when nobody recorded that
	First, Last    time.Duration // of its tokens
	Prompt, Output int           // tokens, at least 1
}

// TTFT returns the time to the first token, counted from Queued where that is known
// and from Arrival where it is not.
func (t Timed) TTFT() time.Duration {
	if t.Queued == pipeline.Unknown {
		return t.First - t.Arrival
	}
	return t.First - t.Queued
}

// TPOT returns the time per output token after the first, or pipeline.Unknown when
// there is only one.
func (t Timed) TPOT() time.Duration {
	if t.Output < 2 {
		return pipeline.Unknown
	}
	return (t.Last - t.First) / time.Duration(t.Output-1)
}

// Latency returns the time from Arrival to the last token.
func (t Timed) Latency() time.Duration { return t.Last - t.Arrival }

// timedColumns of a file of requests, and whether every line has to fill them. The
// last three are what others derived or recorded beside; they are not read.
var timedColumns = []column{
	{"arrival_s", true}, {"queued_s", false}, {"first_token_s", true}, {"last_token_s", true},
	{"input_tokens", true}, {"output_tokens", true}, {"request", false}, {"scheduled_s", false}, {"ttft_ms", false}, {"tpot_ms", false},
}

// ReadTimed reads a run in CSV, one request a line in any order; name is for the
// errors. The first line names the columns: arrival_s, first_token_s and
// last_token_s in seconds since the run began, input_tokens and output_tokens, and
// if it was recorded queued_s. The error reports what is wrong, each with its line.
func ReadTimed(name string, file io.Reader) ([]Timed, error) {
	return readTable(name, file, "requests", timedColumns, (*rowParser).timed)
}

// timed returns the request of a line.
func (p *rowParser) timed() Timed {
	if len(p.cells) != len(p.header) {
		p.fail("%s under %s", counted(len(p.cells), "cell"), counted(len(p.header), "column"))
		return Timed{}
	}
	t := Timed{
		Line: p.line, Arrival: p.instant("arrival_s"), Queued: p.instant("queued_s"),
		First: p.instant("first_token_s"), Last: p.instant("last_token_s"),
		Prompt: p.count("input_tokens", 1, 0), Output: p.count("output_tokens", 1, 0),
	}
	for _, column := range []string{"input_tokens", "output_tokens"} {
		p.required(column)
	}
	if len(p.errs) == 0 {
		p.checkOrder(t)
	}
	return t
}

// clockSlack is how much earlier than its arrival a request may be queued: the two
// instants are often read from different clocks.
const clockSlack = 100 * time.Millisecond

// checkOrder reports instants that are not in the order in which they happen.
func (p *rowParser) checkOrder(t Timed) {
	begin := t.Arrival
	if t.Queued != pipeline.Unknown {
		begin = t.Queued
		if t.Queued < t.Arrival-clockSlack {
			p.fail("queued_s %s is before arrival_s %s", p.text("queued_s"), p.text("arrival_s"))
		}
	}
	if t.First <= begin {
		p.fail("first_token_s %s: want more than %g, when the request came", p.text("first_token_s"), begin.Seconds())
	}
	if t.Last < t.First || t.Last == t.First && t.Output > 1 {
		p.fail("last_token_s %s: want more than first_token_s %s", p.text("last_token_s"), p.text("first_token_s"))
	} else if t.TPOT() == 0 {
		p.fail("last_token_s %s: %d tokens in %s: want at least a nanosecond for each after the first", p.text("last_token_s"), t.Output, t.Last-t.First)
	}
}

// longestRun bounds the instants of a run, in seconds: a year.
const longestRun = 365 * 24 * 3600

// instant returns a cell in seconds. An empty one is pipeline.Unknown, and wrong
// where the column is required.
func (p *rowParser) instant(column string) time.Duration {
	s := p.text(column)
	if s == "" && column == "queued_s" {
		return pipeline.Unknown
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= longestRun) {
		p.fail("%s %q: want seconds since the run began", column, s)
		return 0
	}
	return time.Duration(math.Round(v * float64(time.Second)))
}
