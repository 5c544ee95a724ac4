package others

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

var update = flag.Bool("update", false, "write the golden files again")

// logs returns the files of testdata that are logs.
func logs(t testing.TB) (names []string) {
	all, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !e.IsDir() && !strings.HasSuffix(e.Name(), ".golden") {
			names = append(names, e.Name())
		}
	}
	if len(names) < 10 {
		t.Fatalf("there are %d logs in testdata", len(names))
	}
	return names
}

func load(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read imports texts, each a file.
func read(set Settings, texts ...string) (*Import, error) {
	im := New(set)
	for i, text := range texts {
		if err := im.Read(fmt.Sprintf("log%d", i+1), strings.NewReader(text)); err != nil {
			return nil, err
		}
	}
	return im.Finish()
}

func must(t *testing.T, set Settings, texts ...string) *Import {
	t.Helper()
	in, err := read(set, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// show writes an import so that a reader sees it at a glance.
func show(in *Import) string {
	var b strings.Builder
	ms := func(d time.Duration) string {
		if d == unknown {
			return "?"
		}
		return fmt.Sprint(float64(d.Round(time.Microsecond)) / 1e6)
	}
	fmt.Fprintf(&b, "%s, %d sent, %d heard, clocked %t, cut %q\n", in.Source.Slug, in.Sent, in.Heard, in.Clocked, in.Cut)
	for i := range in.Traces {
		t := &in.Traces[i]
		fmt.Fprintf(&b, "turn %d.%d due %s end %s %s %s\n", t.Session, t.Index, ms(t.Due), ms(t.End), t.Outcome, t.Reason)
		for id, s := range t.Spans {
			note := ""
			if s.Simulated {
				note = " stated"
			}
			fmt.Fprintf(&b, "  %d %s %s to %s after %v%s\n", id, s.Name, ms(s.Start-t.Due), ms(s.End-t.Due), s.After, note)
		}
		for _, m := range t.Marks {
			fmt.Fprintf(&b, "  mark %s %s\n", m.Name, ms(m.At-t.Due))
		}
		for _, f := range t.Facts {
			fmt.Fprintf(&b, "  %s: %s\n", f.Name, f.Value)
		}
	}
	for _, n := range in.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, n := range in.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", n)
	}
	return b.String()
}

// TestLogs holds what becomes of a log of each source, in the shape that its program writes.
func TestLogs(t *testing.T) {
	for _, name := range logs(t) {
		t.Run(name, func(t *testing.T) {
			im := New(Settings{})
			if err := im.Read(name, bytes.NewReader(load(t, name))); err != nil {
				t.Fatal(err)
			}
			in, err := im.Finish()
			if err != nil {
				t.Fatal(err)
			}
			check(t, in)
			got, golden := show(in), filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s gives\n%s\nwant\n%s", name, got, want)
			}
		})
	}
}

// check holds what is true of every import.
func check(t testing.TB, in *Import) {
	t.Helper()
	if len(in.Traces) == 0 {
		t.Error("an import without a turn, and no error")
	}
	seen := map[[2]int]bool{}
	for i := range in.Traces {
		tr := &in.Traces[i]
		at := [2]int{tr.Session, tr.Index}
		if seen[at] {
			t.Errorf("turn %v is there twice", at)
		}
		seen[at] = true
		if (tr.Outcome == pipeline.OK) != (tr.Reason == "") && tr.Outcome == pipeline.OK {
			t.Errorf("turn %v ended ok with the reason %q", at, tr.Reason)
		}
		for id, s := range tr.Spans {
			if s.Start == unknown || s.End == unknown || s.End < s.Start || order(s.Name) < 0 {
				t.Errorf("turn %v: span %+v", at, s)
			}
			for _, a := range s.After {
				if int(a) >= id || tr.Spans[a].End > s.Start {
					t.Errorf("turn %v: span %d %+v waits for %d %+v", at, id, s, a, tr.Spans[a])
				}
			}
		}
		for _, m := range tr.Marks {
			if m.At < tr.Due || m.At-tr.Due > longest+time.Minute {
				t.Errorf("turn %v is due at %s and has the mark %+v", at, tr.Due, m)
			}
		}
	}
}

func ptr(d time.Duration) *time.Duration { return &d }

const report = `{"type":"LatencyReport","stt_latency":0.1,"ttt_text_latency":0.3,"tts_latency":0.2,"total_latency":0.9}` + "\n"

// TestEar: without a word on the way to the ear there is no V2V; with one it is in it, and
// marked as stated.
func TestEar(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name        string
		set         Settings
		sent, heard time.Duration
		stated      []string
	}{
		{"nothing stated", Settings{}, 900 * ms, unknown, nil},
		{"playout", Settings{Playout: ptr(40 * ms)}, 900 * ms, 940 * ms, []string{"playout"}},
		{"both", Settings{Uplink: ptr(30 * ms), Playout: ptr(40 * ms)}, 930 * ms, 970 * ms, []string{"uplink", "playout"}},
		{"uplink alone", Settings{Uplink: ptr(30 * ms)}, 930 * ms, unknown, []string{"uplink"}},
		{"a playout of nothing", Settings{Playout: ptr(0)}, 900 * ms, 900 * ms, []string{"playout"}},
	} {
		in := must(t, c.set, report)
		tr := &in.Traces[0]
		check(t, in)
		if got := pipeline.Since(tr.Due, tr.Mark("reply_sent")); got != c.sent {
			t.Errorf("%s: sent after %s, want %s", c.name, got, c.sent)
		}
		if got := pipeline.Since(tr.Due, tr.Mark("reply_heard")); got != c.heard {
			t.Errorf("%s: heard after %s, want %s", c.name, got, c.heard)
		}
		var stated []string
		for _, s := range tr.Spans {
			if s.Simulated {
				stated = append(stated, s.Name)
			}
		}
		if !slices.Equal(stated, c.stated) {
			t.Errorf("%s: spans %v are stated, want %v", c.name, stated, c.stated)
		}
	}
}

// TestUnknown: what was not logged is no span, and a logged 0 is one of no length.
func TestUnknown(t *testing.T) {
	in := must(t, Settings{}, `{"type":"LatencyReport","stt_latency":0,"tts_latency":null,"total_latency":0.5}`)
	spans := in.Traces[0].Spans
	if len(spans) != 1 || spans[0].Name != pipeline.SpanSTTTail || spans[0].For() != 0 {
		t.Errorf("spans are %+v, want a stt_tail of 0 and no other", spans)
	}
}

// TestProblems: a file that cannot be what it should is refused, with the place and what would
// be right.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  []string
	}{
		{"empty", []string{" \n"}, []string{"log1 is empty: want OpenTelemetry"}},
		{"of another kind", []string{"hello\nworld\n"}, []string{"log1: nothing in it is known; want OpenTelemetry"}},
		{"another kind of JSON", []string{`{"a":1}` + "\n" + `{"type":"x"}`}, []string{`nothing in it is known (it has 1 records of type "x", 1 records with "a"); want`}},
		{"not JSON", []string{report + "{\"type\":LatencyReport}\n"}, []string{"log1, line 2", "not valid JSON"}},
		{"no object", []string{report + "3\n"}, []string{"log1, line 2", `a record is "3": want a JSON object`}},
		{"negative", []string{report + `{"type":"LatencyReport","total_latency":-1}`}, []string{"log1, line 2", "total_latency is -1 s: want 0 or more"}},
		{"another unit", []string{`{"type":"LatencyReport","total_latency":900}`}, []string{"line 1", "total_latency is 900 s", "is it in another unit?"}},
		{"a text", []string{`{"type":"LatencyReport","total_latency":"fast"}`}, []string{`total_latency is "fast": want a number`}},
		{"two sources", []string{report, `{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[{"turnLatency":9}]}}}`}, []string{"log2, line 1", "this is Vapi", "while log1, line 1 is Deepgram", "one by one"}},
		{"Vapi's turn", []string{`{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[{"turnLatency":-9}]}}}`}, []string{"turn 1: turnLatency is -9 ms: want 0 or more"}},
		{"Vapi's seconds", []string{`{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[{"turnLatency":900},{"turnLatency":0.9}]}}}`}, []string{"line 1: turn 2: turnLatency is 0.9 ms: no turn takes less than 10ms", "want ms, not seconds"}},
		{"Vapi's call twice", []string{`{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[{"turnLatency":900}]}}}`, `{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[{"turnLatency":900}]}}}`}, []string{`log2, line 1: turn "1" of call "c" is there twice, first in log1, line 1`}},
		{"seconds", []string{"call,turn,v2v_ms\nA,1,940\nA,2,1.1\n"}, []string{"log1, line 3: v2v_ms is 1.1 ms: no turn takes less than 10ms", "want ms, not seconds"}},
		{"seconds at the agent", []string{"call,turn,sent_ms\nA,1,0.9\n"}, []string{"log1, line 2: sent_ms is 0.9 ms"}},
		{"a turn of nothing", []string{"call,turn,v2v_ms\nA,1,0\n"}, []string{"v2v_ms is 0 ms", "nothing where it is not known"}},
		{"a turn twice", []string{"call,turn,v2v_ms\nA,1,940\nB,1,940\nA,1,950\n"}, []string{`log1, line 4: turn "1" of call "A" is there twice, first in log1, line 2`, "want each turn once"}},
		{"a turn in two files", []string{"call,turn,v2v_ms\nA,1,940\n", "call,turn,v2v_ms\nA,1,940\n"}, []string{"log2, line 2: turn", "first in log1, line 2"}},
		{"Vapi's list", []string{`{"id":"c","artifact":{"performanceMetrics":{"turnLatencies":[120, 340]}}}`}, []string{`turnLatencies has "120" in place 1: want an object`}},
		{"a line of Vapi", []string{"Turn latency: 2719\n"}, []string{"log1, line 1", "want the parts in brackets"}},
		{"a line of Vapi in s", []string{"Turn latency: 2719ms (model: 3s)\n"}, []string{`model "3s": want a number, such as 232ms`}},
		{"a column twice", []string{"turn,sent_ms,sent_ms\n1,2,3\n"}, []string{`log1, line 1: column 3, "sent_ms", is there twice`}},
		{"no time", []string{"call,turn\nA,1\n"}, []string{"no column has a time: want v2v_ms, sent_ms"}},
		{"a cell", []string{"turn,sent_ms\n1,20\n2,\"0,9\"\n"}, []string{`log1, line 3: sent_ms is "0,9": want ms, such as 123.4`}},
		{"an infinite cell", []string{"turn,sent_ms\n1,Inf\n"}, []string{"line 2: sent_ms is Inf ms: want ms, at most 10m0s"}},
		{"no number", []string{"turn,sent_ms\n1,NaN\n"}, []string{"line 2: sent_ms is NaN ms"}},
		{"an outcome", []string{"turn,sent_ms,outcome\n1,20,fine\n"}, []string{`outcome is "fine": want ok, error`}},
		{"cells", []string{"turn,sent_ms\n1,20\n2\n"}, []string{"log1, line 3: column 1", "as many cells as the header"}},
		{"the way alone", []string{"turn,sent_ms,playout_ms\n1,20,3\n"}, []string{"column playout_ms is of the way to or from the agent", "v2v_ms too"}},
		{"spans of others", []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"GET","startTimeUnixNano":"1"}]}]}]}`}, []string{`none of the 1 spans is a turn: want those of Pipecat (turn) or of LiveKit`, `1 of "GET"`}},
		{"a span without an id", []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET"}]}]}]}`}, []string{"log1, line 1", "a span without traceId and spanId"}},
		{"a span without a begin", []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"turn"}]}]}]}`}, []string{`span "turn": startTimeUnixNano is missing`}},
		{"spans that are none", []string{`{"resourceSpans":{"scopeSpans":1}}`}, []string{`resourceSpans is "{": want a list`}},
		{"spans beside metrics", []string{report, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"turn","startTimeUnixNano":"1"}]}]}]}`}, []string{"there are spans of OpenTelemetry beside Deepgram"}},
		{"a span twice", []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"turn","startTimeUnixNano":"1"},{"traceId":"a","spanId":"b","name":"turn","startTimeUnixNano":"1"}]}]}]}`}, []string{"span b of trace a is there twice", "given twice"}},
		{"only greetings", []string{`{"type":"tts_metrics","timestamp":1700000000,"duration":1,"ttfb":0.2,"speech_id":"s"}`}, []string{"no turn was found; left out: 1 answers to no logged end of turn"}},
		{"TTFB", []string{`{"label":"rtvi-ai","type":"metrics","data":{"ttfb":[{"processor":"OpenAILLMService"}]}}`}, []string{"want a processor and a value in seconds"}},
	} {
		_, err := read(Settings{}, c.texts...)
		if err == nil {
			t.Errorf("%s: no error, want %q", c.name, c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant it to have %q", c.name, err, want)
			}
		}
	}
}

// TestSuggestions: a column that is not known is left out, with the one that it may stand for.
func TestSuggestions(t *testing.T) {
	for cell, want := range map[string]string{
		"llm_ms": "llm_first_token_ms", "LLM TTFT (ms)": "llm_first_token_ms", "tts": "tts_first_audio_ms", "asr_latency": "stt_tail_ms", "v2v": "v2v_ms",
		"llm_first_tokn_ms": "llm_first_token_ms", "endpointing_ms": "end_of_turn_ms", "playot_ms": "playout_ms", "cal": "call",
	} {
		in := must(t, Settings{}, "turn,sent_ms,"+cell+"\n1,900,3\n")
		if len(in.Warnings) != 1 || !strings.HasSuffix(in.Warnings[0], fmt.Sprintf("did you mean %q?", want)) {
			t.Errorf("%s: %q, want %s", cell, in.Warnings, want)
		}
	}
}

// TestPartsInSeconds: a model that never takes 10 ms may be in seconds, which is no more than
// a warning; a queue may be as short.
func TestPartsInSeconds(t *testing.T) {
	in := must(t, Settings{}, "turn,sent_ms,llm_first_token_ms,hook_ms\n1,900,0.31,0.2\n2,900,0.4,0\n")
	if want := []string{"log1, line 3: the longest llm_first_token_ms up to here is 400µs: want ms, and not seconds"}; !slices.Equal(in.Warnings, want) {
		t.Errorf("warned of %q, want %q", in.Warnings, want)
	}
	if in = must(t, Settings{}, "turn,sent_ms,llm_first_token_ms\n1,900,0.31\n2,900,310\n"); in.Warnings != nil {
		t.Errorf("warned of %q", in.Warnings)
	}
}

// TestCut: a file that ends in mid-air is read as far as it goes, and says so.
func TestCut(t *testing.T) {
	in := must(t, Settings{}, report+report+`{"type":"Latency`)
	if len(in.Traces) != 2 || in.Cut != "log1 ends in the middle of a record, in line 3" {
		t.Errorf("%d turns, cut %q", len(in.Traces), in.Cut)
	}
	spans := string(load(t, "livekit-spans.json"))
	in = must(t, Settings{}, spans[:strings.Index(spans, `{"traceId":"aa","spanId":"20"`)])
	if len(in.Traces) != 1 || in.Cut == "" {
		t.Errorf("%d turns, cut %q", len(in.Traces), in.Cut)
	}
}

// TestOrderOfSpans: spans may come in any order, and in several files.
func TestOrderOfSpans(t *testing.T) {
	whole := string(load(t, "livekit-spans.json"))
	first, second, _ := strings.Cut(whole, "]}]}]}\n")
	want := show(must(t, Settings{}, whole))
	if got := show(must(t, Settings{}, second, first+"]}]}]}\n")); got != want {
		t.Errorf("the other way round it is\n%s\nwant\n%s", got, want)
	}
}

// TestOneDocument: a list, one document and one a line say the same.
func TestOneDocument(t *testing.T) {
	want := show(must(t, Settings{}, report+report))
	list := "[" + strings.TrimSpace(report) + ",\n" + strings.TrimSpace(report) + "]"
	for _, text := range []string{list, `{"results":` + list + `}`, "\ufeff" + report + "\r\n" + report} {
		if got := show(must(t, Settings{}, text)); got != want {
			t.Errorf("%q gives\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestTooLarge: no record is held that is larger than 16 MiB, whatever the file is.
func TestTooLarge(t *testing.T) {
	long := strings.Repeat("x", maxRecord+1<<20)
	for _, text := range []string{
		`{"type":"LatencyReport","note":"` + long + `"}`,
		`{"resourceSpans":[{"resource":{"a":"` + long + `"}}]}`,
		"turn,sent_ms\n1,\"" + long + "\"\n",
	} {
		if _, err := read(Settings{}, text); err == nil || !strings.Contains(err.Error(), "a record is larger than 16 MiB") {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	// A long line of a log is no record: prompts are logged too.
	in := must(t, Settings{}, long+"\nLATENCY FROM USER STOPPED SPEAKING TO BOT STARTED SPEAKING: 0.800s\n")
	if in.Sent != 1 {
		t.Errorf("%d turns were sent, want 1", in.Sent)
	}
}

// endless is a file that begins with a text and goes on with another for ever.
type endless struct {
	begins, goesOn string
	at, read       int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.begins)
	if e.begins = e.begins[n:]; n == 0 {
		n = copy(p, e.goesOn[e.at:])
		e.at = (e.at + n) % len(e.goesOn)
	}
	e.read += n
	return n, nil
}

// TestEndless: of a file that goes on without anything that is known no more is read than 256
// MiB after the last that was.
func TestEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 512 MiB")
	}
	for name, e := range map[string]endless{
		"log":  {begins: "LATENCY FROM USER STOPPED SPEAKING TO BOT STARTED SPEAKING: 0.800s\n", goesOn: strings.Repeat("\x00", 1<<16)},
		"JSON": {goesOn: `{"a":"` + strings.Repeat("x", 1<<16) + "\"}\n"},
	} {
		err := New(Settings{}).Read("log", &e)
		if err == nil || !strings.Contains(err.Error(), "nothing is known of 256 MiB of it; want OpenTelemetry") {
			t.Errorf("%s: %v", name, err)
		}
		if most := maxBarren + 1<<20; e.read > most {
			t.Errorf("%s: %d bytes were read, want at most %d", name, e.read, most)
		}
	}
}

// TestLargeFile reads a document of spans that is larger than what is held at once.
func TestLargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 40 MiB")
	}
	var b strings.Builder
	b.WriteString(`{"resourceSpans":[{"scopeSpans":[{"spans":[`)
	pad := strings.Repeat("p", 4000)
	for i := range 10_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"traceId":"a","spanId":"%d","name":"turn","startTimeUnixNano":"%d","attributes":[{"key":"input","value":{"stringValue":"%s"}},{"key":"turn.number","value":{"intValue":"%d"}},{"key":"turn.user_bot_latency_seconds","value":{"doubleValue":0.%03d}}]}`,
			i, 1700000000000000000+int64(i)*1e9, pad, i+1, 1+i%999)
	}
	b.WriteString(`]}]}]}`)
	in := must(t, Settings{}, b.String())
	if in.Sent != 10_000 {
		t.Errorf("%d turns were sent, want 10000", in.Sent)
	}
}

// TestSources: every source says its clock, and the manual has it.
func TestSources(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Sources() {
		if s.Title == "" || s.From == "" || s.To == "" || s.Parts == "" || s.Read == "" {
			t.Errorf("%s lacks a word: %+v", s.Slug, s)
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", s.Slug, s.Title, s.From, s.To)
		for _, want := range []string{row, s.Parts, s.Read} {
			if !strings.Contains(string(manual), want) {
				t.Errorf("docs/import.md lacks of %s: %s", s.Slug, want)
			}
		}
	}
}
