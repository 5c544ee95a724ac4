package runner

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/budgets/report"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/simulators/scenario"
)

// taped returns a scenario that names a cassette of such bytes.
func taped(t *testing.T, text string, tape []byte) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(text), func(name string) ([]byte, error) {
		if name != "tape.jsonl.gz" {
			return nil, fs.ErrNotExist
		}
		return tape, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// record returns a cassette of a run on the mock, and the TTFT and length in time of each
// of its answers.
func record(t *testing.T, text string, n int) (tape []byte, ttft, whole []time.Duration) {
	t.Helper()
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, exchange.Header{Cassette: true})
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, text)
	synctest.Test(t, func(t *testing.T) {
		run, err := Run(t.Context(), s, Settings{Target: Mock, Seed: 7, N: n, network: memory(), KeepExchange: w.Write})
		if err != nil || !run.Footer.Finished {
			t.Fatalf("footer %+v, error %v", run.Footer, err)
		}
		for _, tr := range run.Traces {
			ttft, whole = append(ttft, tr.Requests[0].FirstOutput-tr.Requests[0].Sent), append(whole, tr.Requests[0].LastOutput-tr.Requests[0].Sent)
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), ttft, whole
}

const onTape = `
halfsecond: 1
kind: bench
name: on tape
arrivals: {process: closed, users: 1, think: 10ms}
bench: {llm: {cassette: tape.jsonl.gz, pick: order}}
`

// TestCassette: on the simulator, a cassette's answers have the TTFT and the gaps that
// they had where they were recorded: in order the very same, drawn some of the same.
func TestCassette(t *testing.T) {
	tape, ttft, whole := record(t, agreeing["bench, background"].text, 60)
	s := taped(t, onTape, tape)
	run, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 60})
	if err != nil || !run.Footer.Finished {
		t.Fatalf("footer %+v, error %v", run.Footer, err)
	}
	// The requests of others are on the tape as well.
	var got, gotWhole []time.Duration
	for _, tr := range run.Traces {
		q := tr.Requests[0]
		if i := slices.Index(ttft, q.FirstOutput-q.Sent); i >= 0 {
			got, gotWhole = append(got, ttft[i]), append(gotWhole, q.LastOutput-q.Sent)
		}
		if q.Outcome != pipeline.OK || q.TokenSource != "usage" || q.OutputTokens < 2 || !q.Simulated || tr.Spans[0].End != q.FirstOutput {
			t.Fatalf("request %+v", q)
		}
	}
	if n := len(got); n < 12 || !slices.Equal(got, ttft[:n]) || !slices.Equal(gotWhole, whole[:n]) {
		t.Errorf("%d times to the first token %v and to the last %v, want the first of %v and %v", n, got, gotWhole, ttft, whole)
	}
	if e := run.Header.Stages[0].Engine; !strings.HasPrefix(e, "cassette tape.jsonl.gz, recorded answers: ") {
		t.Errorf("the model is %q", e)
	}
}

// TestCassetteDraws: a draw follows from the seed.
func TestCassetteDraws(t *testing.T) {
	tape, ttft, _ := record(t, agreeing["bench, hosted"].text, 10)
	s := taped(t, strings.Replace(onTape, ", pick: order", "", 1), tape)
	waits := func(seed uint64) (all []time.Duration) {
		run, err := Run(t.Context(), s, Settings{Target: Sim, Seed: seed, N: 300})
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range run.Traces {
			all = append(all, tr.Requests[0].FirstOutput-tr.Requests[0].Sent)
		}
		return all
	}
	one := waits(1)
	if !slices.Equal(one, waits(1)) || slices.Equal(one, waits(2)) {
		t.Error("the same seed drew others, or another the same")
	}
	slices.Sort(ttft)
	slices.Sort(one)
	if got := slices.Compact(one); !slices.Equal(got, ttft) {
		t.Errorf("drawn were %v, want all of %v and nothing else", got, ttft)
	}
}

// TestCassetteEverywhere: voice turns and keys take answers from a cassette, too.
func TestCassetteEverywhere(t *testing.T) {
	tape, ttft, _ := record(t, agreeing["bench, hosted"].text, 10)
	for name, text := range map[string]string{
		"voice": strings.Replace(agreeing["voice"].text, "{model: Mistral-NeMo-12B, hardware: L40S}", "{cassette: tape.jsonl.gz}", 1),
		"ide":   strings.Replace(agreeing["ide, no cancel"].text, "{model: Qwen2.5-7B, hardware: L40S}", "{cassette: tape.jsonl.gz}", 1),
	} {
		run, err := Run(t.Context(), taped(t, text, tape), Settings{Target: Sim, Seed: 1, N: 60})
		if err != nil || !run.Footer.Finished {
			t.Fatalf("%s: footer %+v, error %v", name, run.Footer, err)
		}
		waits := 0
		for _, tr := range run.Traces {
			for _, q := range tr.Requests {
				if q.Outcome == pipeline.OK {
					waits++
					// What is between is the modelled network of the scenario, at most 30 ms.
					if !slices.ContainsFunc(ttft, func(d time.Duration) bool { more := q.FirstOutput - q.Sent - d; return more >= 0 && more <= 30*ms }) {
						t.Errorf("%s: first token after %s, recorded were %v", name, q.FirstOutput-q.Sent, ttft)
					}
				}
			}
		}
		if waits < 10 {
			t.Errorf("%s: %d requests were answered", name, waits)
		}
	}
}

// TestCassetteIsExperiment: what is on a cassette is part of the scenario's hash, and no
// server can serve it.
func TestCassetteIsExperiment(t *testing.T) {
	one, _, _ := record(t, agreeing["bench, hosted"].text, 2)
	two, _, _ := record(t, agreeing["bench, hosted"].text, 3)
	a, b := taped(t, onTape, one), taped(t, onTape, two)
	if a.Hash() == b.Hash() || a.Hash() != taped(t, onTape, one).Hash() || !strings.Contains(a.Canonical(), "tape.jsonl.gz # sha256 ") {
		t.Errorf("hashes %s and %s of\n%s", a.Hash(), b.Hash(), a.Canonical())
	}
	_, err := Run(t.Context(), a, Settings{Target: Mock, N: 1})
	if err == nil || !strings.Contains(err.Error(), "'halfsecond replay' serves one over sockets") {
		t.Errorf("error %v", err)
	}
	_, err = scenario.Parse("f", []byte(onTape), func(string) ([]byte, error) { return nil, errors.New("no such file") })
	if want := "f:6:25: bench.llm.cassette: no such file"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = scenario.Parse("f", []byte(onTape), func(string) ([]byte, error) { return []byte("text"), nil })
	if want := "f:6:25: bench.llm.cassette: file tape.jsonl.gz: exchanges: want a gzip file: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// spoken returns a cassette with an answer of 100 words, the first 80 of them in one chunk, and
// the others in another that came 130 ms after it.
func spoken(t *testing.T) []byte {
	t.Helper()
	x := &exchange.Exchange{
		Request: 1, Protocol: "openai-chat", Model: "m", Method: "POST", Path: "/v1/chat/completions", Answered: 50 * ms,
		Status: 200, HTTP: "1.1", Headers: [][2]string{{"Content-Type", "text/event-stream"}}, How: exchange.Open,
	}
	for _, c := range []struct {
		at    time.Duration
		words int
	}{{100 * ms, 80}, {230 * ms, 20}} {
		x.Add(c.at, []byte(`data: {"choices":[{"index":0,"delta":{"content":"`+strings.Repeat("word ", c.words)+`"}}]}`+"\n\n"))
	}
	x.End = 230 * ms
	x.Add(x.End, []byte(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":100}}`+"\n\ndata: [DONE]\n\n"))
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, exchange.Header{Cassette: true})
	if err == nil {
		err = errors.Join(w.Write(x), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestCassetteBundled: a budget on the pace is no more judged by answers that are given again
// than where they were recorded, if their first output may be several tokens.
func TestCassetteBundled(t *testing.T) {
	s := taped(t, onTape+"budgets: [p50(tpot) < 3ms, p50(tpot) < 14ms, max(e2e) < 1s]\n", spoken(t))
	run, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 20})
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(run)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range r.Budgets {
		reason := ""
		if b.Reason != nil {
			reason = *b.Reason
		}
		got = append(got, b.Verdict.String()+": "+reason)
	}
	if want := []string{
		"unmeasured: takes the first output for one token, which may be several in 20 of 20 answers: with those it may be 13 ms", "pass: ", "pass: ",
	}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var page strings.Builder
	if err := r.Table(&page, report.Options{Width: 4000}); err != nil {
		t.Fatal(err)
	}
	const note = "20 of 20 answers with a tpot may have had several tokens in the first output, and 50.0 a chunk at the median. tpot takes that for one token, so tpot and tps are faster than the model is"
	if !strings.Contains(page.String(), note) {
		t.Errorf("the page has no %q:\n%s", note, page.String())
	}
}
