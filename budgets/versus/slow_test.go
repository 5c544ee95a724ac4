package versus

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// step is how long a token takes.
const step = 6500 * time.Microsecond

// several returns n answers of 100 tokens whose first output brings so many of them, the others
// a step each. What more than one token a chunk is told by is their running count, or with none
// their bytes.
func several(n, first int, o pipeline.Opening) (traces []pipeline.Trace) {
	for i := range n {
		at := 100*ms + time.Duration(first-1)*step
		x := interaction(i, i, at, 100*ms+99*step)
		r := &x.Requests[0]
		r.OutputTokens, r.Chunks = 100, 101-first
		if first > 1 {
			r.Chunks, r.Opening = 2, o
		}
		traces = append(traces, x)
	}
	return traces
}

// The same engine with several tokens a chunk is no better by its pace, and that with one no
// worse: where the first output may be several tokens, a difference is one only if it is so for
// all that it may be.
func TestSlow(t *testing.T) {
	counted, bytes := pipeline.Opening{Chunks: 1, Tokens: 80, Bytes: 400, Of: 500}, pipeline.Opening{Chunks: 1, Bytes: 400, Of: 500}
	plain, bundled, guessed := several(200, 1, pipeline.Opening{}), several(200, 80, counted), several(200, 80, bytes)
	slower := several(200, 1, pipeline.Opening{})
	for i := range slower {
		slower[i].Requests[0].LastOutput += 99 * 10 * ms // 16.5 ms a token
	}
	const may = "tpot takes the first output for one token, which may be several: with those it may be "
	for _, c := range []struct {
		name   string
		a, b   []pipeline.Trace
		word   Word
		reason string
	}{
		{"counted", plain, bundled, CannotTell, may + "6.5 ms in A and 6.5 ms in B, which is no difference that matters and not better"},
		{"counted, swapped", bundled, plain, CannotTell, may + "6.5 ms in A and 6.5 ms in B, which is no difference that matters and not worse"},
		{"by bytes", plain, guessed, CannotTell, may + "6.5 ms in A and 13 ms in B, which is worse and not better"},
		{"both by bytes", guessed, guessed, NoDifference, ""},
		{"counted beside bytes", bundled, guessed, CannotTell, may + "6.5 ms in A and 13 ms in B, which is worse and not no difference that matters"},
		{"a token a chunk", plain, slower, Worse, ""},
		{"worse whatever it may be", guessed, slower, Worse, ""},
		{"better whatever it may be", slower, guessed, Better, ""},
		{"the same", bundled, bundled, NoDifference, ""},
	} {
		for _, budget := range []string{"p50(tpot) < 20ms", "mean(tps) > 10 tok/s"} {
			a, b := runOf(t, header(200, budget), c.a), runOf(t, header(200, budget), c.b)
			got := compare(t, a, b, Settings{Anyway: true})
			r := got.row(t, "tpot", "p50")
			if r.Word != c.word || r.Reason != c.reason || r.Role != Judged || !r.HasInterval {
				t.Errorf("%s, %s: %v, %q, %+v; want %v, %q", c.name, budget, r.Word, r.Reason, *r, c.word, c.reason)
			}
		}
	}
}

// Runs of two models, and those that bundle otherwise, have no reason to be wrong by the same:
// one may be as slow as it can be where the other is not.
func TestSlowAlone(t *testing.T) {
	bytes := pipeline.Opening{Chunks: 1, Bytes: 400, Of: 500}
	guessed, sooner := several(200, 80, bytes), several(200, 80, bytes)
	for i := range sooner {
		sooner[i].Requests[0].LastOutput -= 5 * step // 75 % of what guessed takes for as many
	}
	lessMay := several(200, 80, pipeline.Opening{Chunks: 1, Bytes: 380, Of: 500})
	const may = "tpot takes the first output for one token, which may be several: with those it may be "
	for _, c := range []struct {
		name   string
		model  string // of B
		a, b   []pipeline.Trace
		word   Word
		reason string
	}{
		{"the same of two models", "n", guessed, guessed, CannotTell, may + "1.31 ms in A and 13 ms in B, which is worse and not no difference that matters"},
		{"a little better of two models", "n", guessed, sooner, CannotTell, may + "1.31 ms in A and 9.75 ms in B, which is worse and not better"},
		{"of one", "m", guessed, sooner, Better, ""},
		{"of one that nobody names", "", guessed, sooner, CannotTell, may + "1.31 ms in A and 9.75 ms in B, which is worse and not better"},
		{"of one that bundles otherwise", "m", guessed, lessMay, CannotTell, may + "13 ms in A and 10.8 ms in B, which is better and not no difference that matters"},
	} {
		h := header(200, "p50(tpot) < 20ms")
		a := runOf(t, h, c.a)
		h.Endpoints = []trace.Endpoint{{Stage: "llm", URL: "https://secret.example/v1", Protocol: "openai-chat", Model: c.model}}
		if c.model == "" {
			a.Model = ""
		}
		r := compare(t, a, runOf(t, h, c.b), Settings{Anyway: true}).row(t, "tpot", "p50")
		if r.Word != c.word || r.Reason != c.reason {
			t.Errorf("%s: %v, %q; want %v, %q", c.name, r.Word, r.Reason, c.word, c.reason)
		}
	}
}

// Reasoning that came as a summary makes no pace better: the tokens of the text are as slow.
func TestSlowSummary(t *testing.T) {
	of := func(tokens, chunks int, o pipeline.Opening) (traces []pipeline.Trace) {
		for i := range 200 {
			x := interaction(i, i, 1000*ms, 10000*ms)
			x.Requests[0].LastOutput += time.Duration(i%7) * ms
			x.Requests[0].OutputTokens, x.Requests[0].Chunks, x.Requests[0].Opening = tokens, chunks, o
			traces = append(traces, x)
		}
		return traces
	}
	h := header(200, "p50(tpot) < 20ms")
	plain, summary := of(401, 401, pipeline.Opening{}), of(1300, 11, pipeline.Opening{Chunks: 1, Of: 2000, Unsent: 900})
	unsure := of(1300, 20, pipeline.Opening{Chunks: 1, Bytes: 230, Of: 4300, Sure: 400})
	const want = "tpot takes the first output for one token, which may be several: with those it may be 22.5 ms in A and 22.5 ms in B, which is no difference that matters and not better"
	for name, b := range map[string][]pipeline.Trace{"a summary": summary, "what may be one": unsure} {
		if r := compare(t, runOf(t, h, plain), runOf(t, h, b), Settings{Anyway: true}).row(t, "tpot", "p50"); r.Word != CannotTell || r.Reason != want {
			t.Errorf("%s: %v, %q, want %q", name, r.Word, r.Reason, want)
		}
	}
}

// Bundling alike is told of each figure: of two runs whose answers may in all be half as slow
// again, three of five may be by a fifth in one and by four fifths in the other.
func TestSlowFigure(t *testing.T) {
	mixed := func(took time.Duration, bytes, ofOthers int) []pipeline.Trace {
		traces := several(600, 80, pipeline.Opening{Chunks: 1, Bytes: bytes, Of: 500})
		for i := range traces {
			r := &traces[i].Requests[0]
			r.LastOutput = r.FirstOutput + took
			if i%5 >= 3 {
				r.Opening.Bytes = ofOthers
			}
		}
		return traces
	}
	h := header(600, "p50(tpot) < 200ms")
	got := compare(t, runOf(t, h, mixed(1980*ms, 44, 123)), runOf(t, h, mixed(1188*ms, 112, 14)), Settings{})
	const want = "it may be 20 ms in A and 21.5 ms in B, which is worse and not better"
	if r := got.row(t, "tpot", "p50"); r.Word != CannotTell || !strings.Contains(r.Reason, want) {
		t.Errorf("%v, %q, want %q", r.Word, r.Reason, want)
	}
}

// Of a pace that cannot be told the verdict says nothing.
func TestSlowVerdict(t *testing.T) {
	counted := pipeline.Opening{Chunks: 1, Tokens: 80, Bytes: 400, Of: 500}
	h := header(200, "p50(tpot) < 20ms")
	plain, bundled := runOf(t, h, several(200, 1, pipeline.Opening{})), runOf(t, h, several(200, 80, counted))
	for _, c := range []struct{ a, b *Run }{{plain, bundled}, {bundled, plain}} {
		got := compare(t, c.a, c.b, Settings{})
		if got.Verdict != NotWorse {
			t.Errorf("verdict %v, want not worse: they land alike", got.Verdict)
		}
		for _, figure := range []string{"p50", "p90", "p95"} {
			if r := got.row(t, "tpot", figure); r.Word != CannotTell || !strings.Contains(r.Reason, "may be several") {
				t.Errorf("%s: %v, %q", figure, r.Word, r.Reason)
			}
		}
	}
}

// A baseline keeps what the pace may be, and compares alike.
func TestSlowBaseline(t *testing.T) {
	h := header(200, "p50(tpot) < 20ms")
	traces := several(200, 80, pipeline.Opening{Chunks: 1, Bytes: 400, Of: 500})
	fail(&traces[3])
	plain, bundled := runOf(t, h, several(200, 1, pipeline.Opening{})), runOf(t, h, traces)
	data := written(t, bundled)
	if n := strings.Count(string(data), `"slow":[`); n != 1 || strings.Contains(string(written(t, plain)), `"slow"`) {
		t.Errorf("%d series with slower values, want that of tpot, and none with a token a chunk", n)
	}
	again, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if x, y := compare(t, plain, bundled, Settings{}), compare(t, plain, again, Settings{}); !reflect.DeepEqual(x, y) {
		t.Error("the baseline compares otherwise than the run")
	}
	counted := runOf(t, h, several(200, 80, pipeline.Opening{Chunks: 1, Tokens: 80, Bytes: 400, Of: 500}))
	kept, err := Read(bytes.NewReader(written(t, counted)))
	if err != nil {
		t.Fatal(err)
	}
	if x, y := compare(t, counted, plain, Settings{}), compare(t, kept, plain, Settings{}); !reflect.DeepEqual(x, y) || strings.Count(string(written(t, counted)), `"quick":[`) != 1 {
		t.Error("the baseline of what the server counted compares otherwise than the run")
	}
	beginning, slow, _ := strings.Cut(string(data), `"slow":[`)
	for _, c := range []struct{ name, file, want string }{
		{"too many", beginning + `"slow":[7,` + slow, "it has slower values of 201 interactions, the run has 200"},
		{"of one that has none", beginning + `"slow":[` + strings.Replace(slow, ",null,", ",5,", 1), "interaction 4 has 1 slower values, want 0"},
		{"of a share", strings.Replace(string(data), `"values":[1,`, `"slow":[1],"values":[1,`, 1), "a series of unit share has no slower values"},
	} {
		if _, err := Read(strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), "series ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
