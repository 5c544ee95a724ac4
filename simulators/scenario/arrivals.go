package scenario

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
	"halfsecond/simulators/arrival"
)

// arrivals is the form of when interactions begin.
var arrivals = object(
	func(r *reader, found map[string]entry, p *arrival.Process) {
		if r.kind == "ide" && p.Open() {
			r.failEntry(found, "process", "found %s; want closed, since typists are users who go on typing", p.Kind)
		}
		if p.Kind != arrival.TraceKind {
			return
		}
		if _, err := arrival.Replayed(p.Replay); err != nil {
			r.failEntry(found, "file", "%s", err)
		}
	},
	need("process", func(p *arrival.Process) *arrival.Kind { return &p.Kind }, process,
		"constant gaps, random gaps, bursts, a rate that changes, a recorded hour, or users who wait for an answer"),
	need("every", func(p *arrival.Process) *time.Duration { return &p.Every }, duration(time.Microsecond, time.Hour), "from one interaction to the next").when("process", "constant"),
	need("rate", func(p *arrival.Process) *float64 { return &p.Rate }, rate, "mean number of interactions").when("process", "poisson", "gamma"),
	need("burstiness", func(p *arrival.Process) *float64 { return &p.Burstiness }, decimal(.01, 10_000),
		"shape of the gaps, as in vLLM's benchmark: 1 is poisson, less comes in bursts, more is more even; their coefficient of variation is 1/sqrt of it").when("process", "gamma"),
	need("from_rate", func(p *arrival.Process) *float64 { return &p.Slope.From }, rateOr0, "rate at the start").when("process", "ramp"),
	need("to_rate", func(p *arrival.Process) *float64 { return &p.Slope.To }, rate, "rate at the end of the change, and from then on").when("process", "ramp"),
	need("over", func(p *arrival.Process) *time.Duration { return &p.Slope.Over }, duration(time.Millisecond, 24*time.Hour), "how long the rate takes to change, evenly").when("process", "ramp"),
	can("even", func(p *arrival.Process) *bool { return &p.Slope.Even }, false, boolean, "gaps just as the rate says, where otherwise they are random about it").when("process", "ramp"),
	need("file", func(p *arrival.Process) **arrival.Trace { return &p.Replay.Trace }, recordedTrace,
		"a recorded hour of Azure's ("+strings.Join(arrival.TraceNames(), " or ")+"), or a CSV file with the columns timestamp, prompt_tokens and output_tokens").when("process", "trace"),
	can("speed", func(p *arrival.Process) *float64 { return &p.Replay.Speed }, 1, decimal(1e-4, 1e4), "how many times as fast as it was").when("process", "trace"),
	can("skip", func(p *arrival.Process) *time.Duration { return &p.Replay.Skip }, 0, duration(0, longestWindow), "how much of its own time to leave out at the beginning").when("process", "trace"),
	can("window", func(p *arrival.Process) *time.Duration { return &p.Replay.Window }, 0, duration(0, longestWindow), "how much of its own time to play after that; 0 is the rest").when("process", "trace"),
	can("loop", func(p *arrival.Process) *bool { return &p.Replay.Loop }, false, boolean, "begin again at its end, where otherwise a run has no more interactions than it").when("process", "trace"),
	can("users", func(p *arrival.Process) *int { return &p.Users }, 1, whole(1, 100_000), "how many at the same time").when("process", "closed"),
	can("think", func(p *arrival.Process) *dist.Dist { return &p.Think }, dist.Dist{}, pause, "from the end of one interaction to the user's next").when("process", "closed"),
	can("joining", func(p *arrival.Process) *time.Duration { return &p.Joining }, 0, duration(0, time.Hour), "over how long the users come, evenly; 0 has all there at once").when("process", "closed"),
)

// process tells the reader what it has read: the lengths of requests depend on it.
var process = func() form[arrival.Kind] {
	f := names(arrival.ConstantKind, arrival.PoissonKind, arrival.GammaKind, arrival.RampKind, arrival.TraceKind, arrival.ClosedKind)
	word := f.read
	f.read = func(r *reader, n ast.Node) (arrival.Kind, bool) {
		k, ok := word(r, n)
		r.traced = ok && k == arrival.TraceKind
		return k, ok
	}
	return f
}()

// longestWindow bounds how much of a recording is played.
const longestWindow = 1000 * 24 * time.Hour

// maxRecording is the longest file of recorded requests in bytes.
const maxRecording = 64 << 20

// recordedTrace is the form of a trace: the name of a built-in one, or of a file.
var recordedTrace = form[*arrival.Trace]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (*arrival.Trace, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return nil, false
		}
		t, err := r.recording(name)
		if err != nil {
			r.Fail(n, "%s", inOne(err))
		}
		return t, err == nil
	},
	write: func(t *arrival.Trace) tree {
		if t == nil {
			return tree{}
		}
		return tree{text: quoted(t.Name), note: t.Digest}
	},
}

// recording returns the built-in trace of that name, or else the file's.
func (r *reader) recording(name string) (*arrival.Trace, error) {
	if t, ok := arrival.BuiltinTrace(name); ok {
		return t, nil
	}
	if r.open == nil {
		return nil, fmt.Errorf("no built-in trace %q; %s", name, strict.Suggest(name, arrival.TraceNames()))
	}
	data, digest, err := r.loadUpTo(name, maxRecording)
	if err != nil {
		return nil, fmt.Errorf("no built-in trace and no file to read: %w; %s", err, strict.Suggest(name, arrival.TraceNames()))
	}
	t, err := arrival.ReadCSV(name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	t.Digest = digest
	return t, nil
}

// auto is the word for a start-up that the report finds.
const auto = "auto"

// startUp is the field of what stays out of the report: a number, or a word.
var startUp = field[Scenario]{
	Key: Key{
		Path: "warm_up", Want: "a whole number, or auto", Default: "0",
		Doc: "interactions at the start left out of the report; in a grid, of each cell; auto has the report find by a test where the start-up ends, of the n that are run",
	},
	read: func(r *reader, n ast.Node, s *Scenario) bool {
		if word, ok := n.(*ast.StringNode); ok && word.Value == auto {
			if r.kind == "grid" {
				r.Fail(n, "auto is not for a grid: want a whole number")
				return false
			}
			s.FindStartUp = true
			return true
		}
		if text, unquoted := plain(n); unquoted && !wholeNumber.MatchString(text) {
			r.Fail(n, "want a whole number, or auto; found %s", strict.Describe(n))
			return false
		}
		var ok bool
		s.WarmUp, ok = whole(0, 1_000_000).read(r, n)
		return ok
	},
	fill: func(*Scenario) {},
	write: func(s *Scenario) tree {
		if s.FindStartUp {
			return tree{text: auto}
		}
		return whole(0, 1_000_000).write(s.WarmUp)
	},
}
