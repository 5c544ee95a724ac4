package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

const ms = time.Millisecond

var header = Header{
	Scenario: "voice", Kind: "voice", ScenarioHash: "c0ffee", Target: "sim", Seed: 1<<64 - 1, N: 2, Version: "v0.1.0",
	Budgets: []string{"p95(reply) < 500ms"},
	Stages: []Stage{
		{Name: "uplink", Simulated: true},
		{Name: "llm_first_token", Component: "some-llm", NoSpread: true},
	},
	TextsHashed:  true,
	Load:         Load{FindStartUp: true, Users: 8, Settling: 10 * time.Second, Salt: 1<<64 - 1},
	ScenarioText: "kind: voice\nname: \"voice\"\n",
	LeastVisible: 300 * ms,
	Quality:      Quality{Language: "go", Checker: "go/parser", Repair: 7 * time.Second, Assumed: true},
}

// turn returns a voice turn of nine stages and one request.
func turn() pipeline.Trace {
	t := pipeline.Trace{Kind: "voice", Session: 3, Index: 17, Due: 81_234 * ms}
	uplink := t.Append("uplink", 20*ms, true)
	silence := t.Append("vad_wait", 200*ms, true, uplink)
	end := t.Append("end_of_turn", 90*ms+1, true, silence)
	stt := t.Append("stt_tail", 47*ms, true, uplink)
	llm := t.Append("llm_first_token", 180*ms, true, end, stt)
	sentence := t.Append("gathering", 60*ms, true, llm)
	tts := t.Append("tts_first_audio", 120*ms, true, sentence)
	leading := t.Append("leading_silence", 12*ms, true, tts)
	play := t.Append("playout", 40*ms, true, leading)
	t.End = t.Spans[play].End
	t.Marks = []pipeline.Mark{{Name: "reply_heard", At: t.End}}
	r := pipeline.NewRequest(42, t.Spans[llm].Start)
	r.Sent, r.FirstOutput, r.LastOutput, r.End = r.Due, r.Due+180*ms, r.Due+900*ms, r.Due+900*ms
	r.PromptTokens, r.OutputTokens, r.TokenSource, r.Finish, r.Chunks = 256, 60, "engine", "stop", 60
	r.Simulated = true
	t.Requests = []pipeline.Request{r}
	return t
}

func write(t testing.TB, h Header, traces []pipeline.Trace, f Footer) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	for i := range traces {
		if err := w.Write(&traces[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(f); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func lateness() Lateness {
	h := quantile.NewHistogram()
	for range 100 {
		h.Record(ms)
	}
	return LatenessOf(h)
}

// plain drops the unexported parts of traces, which no file holds.
func plain(traces []pipeline.Trace) []pipeline.Trace {
	var out []pipeline.Trace
	for _, t := range traces {
		out = append(out, pipeline.Trace{
			Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, End: t.End, Late: t.Late, Outcome: t.Outcome,
			Reason: t.Reason, Spans: t.Spans, Marks: t.Marks, Requests: t.Requests, Uses: t.Uses, Facts: t.Facts,
		})
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	odd := turn()
	odd.Outcome, odd.Reason = pipeline.Timeout, "no answer\nwithin \"5 s\" \u2028 <é\x01>"
	odd.Spans[8].End = pipeline.Unknown
	odd.Uses = []pipeline.Use{{Request: 7, How: "joined"}}
	odd.Facts = []pipeline.Fact{{Name: "verdict", Value: "exact"}, {Name: "source", Value: "network"}}
	odd.Requests[0].Simulated = false
	odd.Requests[0].Transport = pipeline.Transport{Status: 429, HTTP: "2", Encoding: "gzip", Reused: true, DNS: 1, Connect: 2, TLS: 3, RetryAfter: 2 * time.Second, Burst: true, Headers: []pipeline.Fact{{Name: "Via", Value: "1.1 \"proxy\""}}}
	odd.Requests[0].Server = pipeline.ServerTime{Queue: 1, Load: pipeline.Unknown, Prefill: 3, Decode: 4, Total: 5}
	odd.Requests[0].OutputTokens = 0
	odd.Requests[0].Opening = pipeline.Opening{Chunks: 2, Tokens: 3, Bytes: 40, Of: 500, Unsent: 6}
	odd.Requests[0].Way = pipeline.Way{Out: 3, Back: 4}
	want := Run{
		Header: header,
		Traces: plain([]pipeline.Trace{turn(), odd}),
		Footer: Footer{N: 2, Lateness: lateness(), Reason: "interrupted", Background: Background{Requests: 5, OK: 4}, LanguageServer: &LanguageServer{Requests: 7, Cancels: 3, LateAnswersToCancelled: 2, Unanswered: 1, ProtocolErrors: 1, ProtocolError: "x", Killed: true},
			Prompts: Prompts{Learned: 8, Blind: 3, PerWord: 1.25, Extra: 29.5},
			Engines: []Engine{{"m", "v", 512, 100, 99, 5000, 80, 7, 3, 64}, {Blocks: 100, Peak: 99, Held: 5000, Steps: 80, Full: 7, Preemptions: 3, TokensMoved: 64}}},
	}
	got, err := Read(bytes.NewReader(write(t, want.Header, want.Traces, want.Footer)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
}

// Whatever a run holds, it reads back the same.
func TestRoundTripOfAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		traces := make([]pipeline.Trace, rng.IntN(4))
		for i := range traces {
			traces[i] = anything(rng)
		}
		got, err := Read(bytes.NewReader(write(t, header, traces, Footer{Lateness: lateness(), Finished: true})))
		if err != nil {
			t.Fatal(err)
		}
		if want := plain(traces); !reflect.DeepEqual(got.Traces, want) {
			t.Fatalf("read back\n%+v\nwant\n%+v", got.Traces, want)
		}
	}
}

func anything(rng *rand.Rand) pipeline.Trace {
	t := pipeline.Trace{
		Kind: text(rng), Session: rng.IntN(9), Index: rng.IntN(99), Due: time.Duration(rng.Int64()), End: instant(rng),
		Late: instant(rng), Outcome: pipeline.Outcome(rng.IntN(7)), Reason: text(rng),
	}
	for i := range rng.IntN(5) {
		s := pipeline.Span{Name: text(rng), Start: time.Duration(rng.Int64()), End: instant(rng), Simulated: rng.IntN(2) == 0}
		for range rng.IntN(i + 1) {
			s.After = append(s.After, pipeline.SpanID(rng.IntN(i)))
		}
		t.Spans = append(t.Spans, s)
	}
	for range rng.IntN(3) {
		t.Marks = append(t.Marks, pipeline.Mark{Name: text(rng), At: instant(rng)})
		t.Facts = append(t.Facts, pipeline.Fact{Name: text(rng), Value: text(rng)})
		t.Uses = append(t.Uses, pipeline.Use{Request: rng.Int64(), How: text(rng)})
		t.Requests = append(t.Requests, request(rng))
	}
	return t
}

func request(rng *rand.Rand) pipeline.Request {
	r := pipeline.NewRequest(rng.Int64(), instant(rng))
	for _, at := range []*time.Duration{
		&r.Sent, &r.Scheduled, &r.FirstByte, &r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput, &r.End, &r.Closed, &r.Transport.RetryAfter,
	} {
		*at = instant(rng)
	}
	r.Outcome, r.Reason, r.Finish, r.TokenSource = pipeline.Outcome(rng.IntN(7)), text(rng), text(rng), text(rng)
	r.PromptTokens, r.CachedTokens, r.OutputTokens, r.Chunks, r.Unread = rng.IntN(5)-1, rng.IntN(5)-1, rng.IntN(5)-1, rng.IntN(5), rng.IntN(3)
	r.Empty = rng.IntN(3) == 0
	if r.Closed != pipeline.Unknown {
		r.AtClose = pipeline.Work{Prompt: rng.IntN(5) - 1, Output: rng.IntN(5) - 1}
		r.AtEnd = pipeline.Work{Prompt: rng.IntN(5) - 1, Output: rng.IntN(5) - 1}
	}
	r.LimitTokens, r.PromptEstimate, r.Impossible = rng.IntN(5), rng.IntN(5), text(rng)
	r.LongestGap = instant(rng)
	for i := range rng.IntN(3) {
		r.Gaps = append(r.Gaps, pipeline.Gap{For: time.Duration(i*1000 + rng.IntN(1000)), N: 1 + rng.IntN(9)})
	}
	r.Simulated, r.Transport.Reused, r.Transport.Burst = rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
	r.Transport.Status, r.Transport.HTTP, r.Transport.Encoding = rng.IntN(600), text(rng), text(rng)
	return r
}

func instant(rng *rand.Rand) time.Duration {
	switch rng.IntN(4) {
	case 0:
		return pipeline.Unknown
	case 1:
		return time.Duration(rng.Int64())
	default:
		return time.Duration(rng.IntN(9))
	}
}

func text(rng *rand.Rand) string {
	const alphabet = "ab\"\\/\x00\x1f\x7f\t\n<>&é€😀\u2028\uFFFD"
	runes := []rune(alphabet)
	var b strings.Builder
	for range rng.IntN(6) {
		b.WriteRune(runes[rng.IntN(len(runes))])
	}
	return b.String()
}

func TestAppendExactBytes(t *testing.T) {
	r := pipeline.NewRequest(1, 5)
	r.Transport.Status = 200
	x := pipeline.Trace{
		Kind: "ide", Due: 5, End: 9, Outcome: pipeline.Cancelled, Reason: "next key",
		Spans: []pipeline.Span{
			{Name: "debounce", Start: 5, End: 7, Simulated: true},
			{Name: "llm_first_token", Start: 7, End: pipeline.Unknown, After: []pipeline.SpanID{0}},
		},
		Requests: []pipeline.Request{r},
	}
	want := `{"kind":"ide","session":0,"index":0,"due_ns":5,"end_ns":9,"late_ns":0,"outcome":"cancelled","reason":"next key",` +
		`"spans":[{"name":"debounce","start_ns":5,"end_ns":7,"simulated":true},` +
		`{"name":"llm_first_token","start_ns":7,"end_ns":null,"after":[0]}],` +
		`"requests":[{"id":1,"due_ns":5,"sent_ns":null,"scheduled_ns":null,"first_byte_ns":null,"first_output_ns":null,` +
		`"first_text_ns":null,"first_seen_ns":null,"last_output_ns":null,"end_ns":null,"outcome":"ok","prompt_tokens":null,` +
		`"output_tokens":null,"token_source":"none","chunks":0,"transport":{"status":200,"retry_after_ns":null}}]}`
	if got := string(Append(nil, &x)); got != want {
		t.Errorf("Append =\n%s\nwant\n%s", got, want)
	}
	x.Requests[0].CachedTokens, x.Requests[0].Gaps, x.Requests[0].LongestGap = 0, pipeline.Gaps{{For: 0, N: 1}, {For: 20, N: 3}}, 21
	want = strings.Replace(want, `"chunks":0`, `"chunks":0,"gaps":[[0,1],[20,3]],"longest_gap_ns":21`, 1)
	want = strings.Replace(want, `"output_tokens":`, `"cached_tokens":0,"output_tokens":`, 1)
	if got := string(Append(nil, &x)); got != want {
		t.Errorf("with nothing cached: Append =\n%s\nwant\n%s", got, want)
	}
}

// A file that was cut anywhere after its header reads as the whole lines
// before the cut, unfinished.
func TestCutAnywhere(t *testing.T) {
	traces := []pipeline.Trace{turn(), turn()}
	file := write(t, header, traces, Footer{Lateness: lateness(), Finished: true})
	first := bytes.IndexByte(file, '\n') + 1
	for cut := first; cut < len(file)-1; cut++ {
		run, err := Read(bytes.NewReader(file[:cut]))
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", cut, len(file), err)
		}
		whole := bytes.Count(file[first:cut], []byte("\n"))
		if file[cut] == '\n' && whole < 2 { // the line is whole, only its line feed is missing
			whole++
		}
		if run.Footer.Finished || len(run.Traces) != whole || run.Footer.N != whole {
			t.Fatalf("cut at %d of %d: finished %v, %d traces, want unfinished, %d", cut, len(file), run.Footer.Finished, len(run.Traces), whole)
		}
	}
}

func TestReadErrors(t *testing.T) {
	head := `{"halfsecond_trace":1,"scenario":"s"}` + "\n"
	line := `{"kind":"ide","due_ns":1,"outcome":"ok"}` + "\n"
	tests := map[string]struct{ file, want string }{
		"empty":            {"", "the file is empty"},
		"another file":     {"hello\n", "line 1: this is not a trace file: its first line is no header with halfsecond_trace"},
		"no version":       {`{"scenario":"s"}` + "\n", "line 1: this is not a trace file: its first line is no header with halfsecond_trace"},
		"later version":    {`{"halfsecond_trace":2,"new":1}` + "\n", "line 1: this file is version 2, this program reads version 1"},
		"cut header":       {`{"halfsecond_trace":1,"scen`, "line 1: this is not a trace file: its first line is no header with halfsecond_trace"},
		"header field":     {`{"halfsecond_trace":1,"colour":2}` + "\n", `line 1: json: unknown field "colour"`},
		"broken line":      {head + line + `{"kind":` + "\n" + line, "line 3: the line is not a whole JSON object"},
		"unknown field":    {head + `{"kind":"ide","due_ns":1,"outcome":"ok","x":1}` + "\n" + line, `line 2: json: unknown field "x"`},
		"two objects":      {head + `{"kind":"ide","due_ns":1,"outcome":"ok"} {}` + "\n" + line, "line 2: more than one JSON object on the line"},
		"blank line":       {head + "\n" + line, "line 2: the line is not a whole JSON object"},
		"gaps descend":     {head + `{"kind":"ide","due_ns":1,"outcome":"ok","requests":[{"id":1,"outcome":"ok","gaps":[[2,1],[1,1]]}]}` + "\n" + line, "line 2: gaps: want pairs of a length in ns, ascending, and how often it was seen"},
		"a gap never seen": {head + `{"kind":"ide","due_ns":1,"outcome":"ok","requests":[{"id":1,"outcome":"ok","gaps":[[2,0]]}]}` + "\n" + line, "line 2: gaps: want pairs of a length in ns, ascending, and how often it was seen"},
		"half a gap":       {head + `{"kind":"ide","due_ns":1,"outcome":"ok","requests":[{"id":1,"outcome":"ok","gaps":[[2]]}]}` + "\n" + line, "line 2: gaps: want pairs of a length in ns, ascending, and how often it was seen"},
		"no due":           {head + `{"kind":"ide","outcome":"ok"}` + "\n" + line, "line 2: due_ns is missing"},
		"no outcome":       {head + `{"kind":"ide","due_ns":1}` + "\n" + line, "line 2: outcome is missing"},
		"request outcome":  {head + `{"due_ns":1,"outcome":"ok","requests":[{"id":3}]}` + "\n" + line, "line 2: request 3: outcome is missing"},
		"outcome":          {head + `{"kind":"ide","due_ns":1,"outcome":"fine"}` + "\n" + line, `line 2: unknown outcome "fine"`},
		"fraction":         {head + `{"kind":"ide","due_ns":1.5,"outcome":"ok"}` + "\n" + line, "line 2: 1.5 is not a whole number of nanoseconds"},
		"negative count":   {head + `{"due_ns":1,"outcome":"ok","requests":[{"prompt_tokens":-2}]}` + "\n" + line, "line 2: -2 is not a count"},
		"forward span":     {head + `{"due_ns":1,"outcome":"ok","spans":[{"name":"a","start_ns":1,"after":[0]}]}` + "\n" + line, "line 2: span 0 (a): it waits for span 0, which does not come before it"},
		"no start":         {head + `{"due_ns":1,"outcome":"ok","spans":[{"name":"a","end_ns":1}]}` + "\n" + line, "line 2: span 0 (a): start_ns is missing"},
		"footer count":     {head + line + `{"end":true,"n":2,"finished":true}` + "\n", "line 3: the footer counts 2 interactions, the file holds 1"},
		"after the footer": {head + `{"end":true,"n":0,"finished":true}` + "\n" + line, "41 bytes follow the footer"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.file))
			if want := "read trace: " + test.want; err == nil || err.Error() != want {
				t.Errorf("Read error = %v, want %v", err, want)
			}
		})
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }
func (failing) Read([]byte) (int, error)  { return 0, fmt.Errorf("disk gone") }

func TestInputOutputErrors(t *testing.T) {
	if _, err := NewWriter(failing{}, header); err == nil || err.Error() != "write trace: disk full" {
		t.Errorf("NewWriter error = %v", err)
	}
	if _, err := Read(failing{}); err == nil || err.Error() != "read trace: disk gone" {
		t.Errorf("Read error = %v", err)
	}
}

func TestLatenessOf(t *testing.T) {
	h := quantile.NewHistogram()
	if got := LatenessOf(h); got != unknownLateness() {
		t.Errorf("LatenessOf(nothing) = %+v, want everything unknown", got)
	}
	h.Record(3 * ms)
	h.Record(3 * ms)
	if got, want := LatenessOf(h), (Lateness{2, 3 * ms, pipeline.Unknown, 3 * ms}); got != want {
		t.Errorf("LatenessOf(2 samples) = %+v, want %+v", got, want)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	x, buf := turn(), make([]byte, 0, 1<<14)
	if n := testing.AllocsPerRun(100, func() { buf = Append(buf[:0], &x) }); n != 0 {
		t.Errorf("Append allocates %v times, want 0", n)
	}
}

// What reads without an error writes and reads again as the same run.
func FuzzRead(f *testing.F) {
	f.Add(write(f, header, []pipeline.Trace{turn()}, Footer{Lateness: lateness(), Finished: true}))
	f.Add([]byte(`{"halfsecond_trace":1}` + "\n" + `{"due_ns":1,"outcome":"ok","requests":[{"outcome":"ok"}]}`))
	f.Add([]byte(`{"halfsecond_trace":1}` + "\n" + `{"end":true,"n":0}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		run, err := Read(bytes.NewReader(file))
		if err != nil || !utf8.Valid(file) {
			return
		}
		again, err := Read(bytes.NewReader(write(t, run.Header, run.Traces, run.Footer)))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprintf("%+v", run), fmt.Sprintf("%+v", again); a != b {
			t.Errorf("first\n%s\nthen\n%s", a, b)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	x, buf := turn(), make([]byte, 0, 1<<14)
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], &x)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkRead(b *testing.B) {
	traces := make([]pipeline.Trace, 1000)
	for i := range traces {
		traces[i] = turn()
	}
	file := write(b, header, traces, Footer{Finished: true, Lateness: lateness()})
	b.ReportAllocs()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}

// half is a writer that takes so many bytes and then fails, once.
type half struct {
	bytes.Buffer
	left int
}

func (h *half) Write(p []byte) (int, error) {
	if len(p) > h.left {
		n, _ := h.Buffer.Write(p[:h.left])
		h.left = 1 << 30
		return n, errors.New("disk full")
	}
	h.left -= len(p)
	return h.Buffer.Write(p)
}

// TestWriterStopsAtAnError: nothing follows half a line, so the lines before it
// can be read.
func TestWriterStopsAtAnError(t *testing.T) {
	disk := &half{left: 3000}
	w, err := NewWriter(disk, Header{Kind: "voice"})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		tr := pipeline.Trace{Kind: "voice"}
		if err := w.Write(&tr); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if w.Flush() == nil {
			t.Error("Flush forgot an error of the disk")
		}
	}
	if w.Close(Footer{}) == nil {
		t.Error("Close forgot an error of the disk")
	}
	got, err := Read(&disk.Buffer)
	if err != nil || got.Footer.Finished || len(got.Traces) < 10 || len(got.Traces) == 100 {
		t.Errorf("%d traces, footer %+v, error %v; want some of the 100 and no end", len(got.Traces), got.Footer, err)
	}
}
