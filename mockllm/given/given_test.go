package given

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

func read(t *testing.T, block string) *Server {
	t.Helper()
	s, err := Read("f.json", []byte(block), "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asked is a request, and when it comes and is given up.
type asked struct {
	at, leaves int // ms; leaves 0 is never
	kind       string
	prompt     []uint64
	output     int
}

// run returns what becomes of requests at a server, in order of their ends.
func run(s *Server, requests ...asked) string {
	var loop pipeline.Virtual
	e := s.Build(&loop)
	var log []string
	for i, a := range requests {
		r := &engine.Request{Prompt: max(1, len(a.prompt)), Output: a.output, Kind: a.kind}
		if a.prompt != nil {
			r.Blocks = func(dst []uint64, _ int) []uint64 { return append(dst, a.prompt...) }
		}
		first := "never"
		r.NotifyAt, r.Notify = 1, func(int) int { first = fmt.Sprint(int(loop.Now() / ms)); return 0 }
		r.Done = func(o pipeline.Outcome) {
			log = append(log, fmt.Sprintf("%d:%s first %s end %d", i, o, first, loop.Now()/ms))
		}
		loop.At(time.Duration(a.at)*ms, pipeline.RankInput, func() { e.Submit(r) })
		if a.leaves > 0 {
			loop.At(time.Duration(a.leaves)*ms, pipeline.RankInput, func() { e.Cancel(r) })
		}
	}
	loop.RunUntil(pipeline.LastInstant)
	return strings.Join(log, ", ")
}

func TestServer(t *testing.T) {
	for _, c := range []struct {
		name, block string
		requests    []asked
		want        string
	}{
		{
			"fixed times, one slot", `{"slots":1,"ttft_ms":50,"tpot_ms":10,"n":3}`,
			[]asked{{output: 3}, {at: 10, output: 3}},
			"0:ok first 50 end 70, 1:ok first 120 end 140",
		},
		{
			"prefill of stated tokens, noticed at its end", `{"prompt_tokens":4000,"prefill_tok_s":1000,"tpot_ms":10,"detect":"prefill_end"}`,
			[]asked{{leaves: 100, output: 20}, {at: 1, output: 1}},
			"0:cancelled first never end 4000, 1:ok first 8000 end 8000",
		},
		{
			"gone from the queue, run anyway", `{"ttft_ms":500,"queue_check":false}`,
			[]asked{{output: 1}, {at: 1, leaves: 2, output: 1}, {at: 3, output: 1}},
			"0:ok first 500 end 500, 1:ok first 1000 end 1000, 2:ok first 1500 end 1500",
		},
		{
			"common prefix", `{"prefill_tok_s":100,"prompt_cache":"prefix"}`,
			[]asked{{prompt: []uint64{1, 2, 3, 4}, output: 1}, {at: 1, prompt: []uint64{1, 2, 3, 9, 10}, output: 1}},
			"0:ok first 40 end 40, 1:ok first 60 end 60",
		},
		{
			"a slot that is warm for one kind", `{"prompt_tokens":2000,"new_tokens":10,"prefill_tok_s":1000,"warm_slots":["completion"]}`,
			[]asked{{kind: "completion", output: 1}, {at: 100, kind: "chat", output: 1}, {at: 3000, kind: "completion", output: 1}},
			"0:ok first 10 end 10, 1:ok first 2100 end 2100, 2:ok first 5000 end 5000",
		},
		{
			"pinned slots", `{"slots":2,"ttft_ms":100,"warm_slots":["completion","chat"],"pin_slots":true}`,
			[]asked{{kind: "chat", output: 1}, {at: 1, kind: "chat", output: 1}, {at: 2, kind: "completion", output: 1}},
			"0:ok first 100 end 100, 2:ok first 102 end 102, 1:ok first 200 end 200",
		},
		{
			"cold, and again when it was idle", `{"ttft_ms":80,"load_ms":6000,"keep_alive_ms":300000}`,
			[]asked{{output: 1}, {at: 7000, output: 1}, {at: 307081, output: 1}},
			"0:ok first 6080 end 6080, 1:ok first 7080 end 7080, 2:ok first 313161 end 313161",
		},
		{
			"limit", `{"ttft_ms":10,"limit":{"requests":1,"per_ms":100,"retry_after_ms":50}}`,
			[]asked{{output: 1}, {at: 99, output: 1}, {at: 100, output: 1}},
			"0:ok first 10 end 10, 1:refused first never end 99, 2:ok first 110 end 110",
		},
		{
			"a rate that takes longer than any clock counts", `{"prefill_tok_s":1e-12}`,
			[]asked{{output: 1}},
			"0:ok first 1000000000 end 1000000000",
		},
		{
			"a script beside a slot that is taken, in any order",
			`{"ttft_ms":50,"tpot_ms":10,"n":3,"answers":[{"request":2,"t_ms":300,"text":"a b"},{"request":3,"t_ms":200,"text":"a b"},{"request":4,"t_ms":5,"text":"late"}]}`,
			[]asked{{at: 100, output: 2}, {at: 110, output: 2}, {at: 120, output: 2}, {at: 130, output: 2}, {at: 140, output: 2}},
			"3:ok first 130 end 140, 0:ok first 150 end 160, 4:ok first 210 end 220, 2:ok first 300 end 310, 1:ok first 400 end 410",
		},
		{
			"a script of answers that are sent as a whole", `{"tpot_ms":10,"chunk":"whole","answers":[{"request":1,"t_ms":70,"text":"a b c"}]}`,
			[]asked{{at: 5, output: 3}},
			"0:ok first 75 end 75",
		},
		{
			"a script of errors, and of who leaves before", `{"answers":[{"request":1,"t_ms":40,"error":"no"},{"request":2,"t_ms":40,"error":"no"},{"request":3,"t_ms":60,"text":"a"}]}`,
			[]asked{{output: 1}, {leaves: 30, output: 1}, {leaves: 50, output: 1}},
			"1:cancelled first never end 30, 0:error first never end 40, 2:cancelled first never end 50",
		},
		{
			"a script whose client's leave is noticed with the next token", `{"tpot_ms":10,"detect":"next_token","answers":[{"request":1,"t_ms":60,"text":"a b"}]}`,
			[]asked{{leaves: 50, output: 2}},
			"0:cancelled first never end 60",
		},
		{
			"two at once are slower", `{"slots":2,"ttft_ms":50,"tpot_ms":10,"batch_slowdown":0.5}`,
			[]asked{{output: 3}, {output: 3}},
			"0:ok first 50 end 80, 1:ok first 50 end 80",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := run(read(t, c.block), c.requests...); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	const cases = `{"format":"ide-cases","cases":[{"id":"A"},{"id":"B","server":{"slots":3,"answer":{"text":"get(x)"},"chunk":"whole"}}]}`
	s, err := Read("c.json", []byte(cases), "B")
	if err != nil {
		t.Fatal(err)
	}
	if s.Slots != 3 || s.Answer.Text != "get(x)" || !s.Whole() || !s.QueueCheck || s.N != 1 {
		t.Errorf("read %+v", s)
	}
	if s := read(t, `{"id":"x","server":{"slots":2,"answer":"truth"}}`); s.Slots != 2 || !s.Answer.Truth {
		t.Errorf("read %+v", s)
	}
	for _, c := range []struct{ data, id, want string }{
		{"{\n\n\"slots\":}", "", "f.json:3: invalid character '}' looking for beginning of value"},
		{"{\"slots\":1,\n\"n\":\"x\"}", "", "f.json:2: n: want a whole number, got string"},
		{"{\"title\":1,\n\"server\":{\"slots\":1,\n\"ttft_ms\":\"x\"}}", "", "f.json:3: ttft_ms: want a number, got string"},
		{"{\"slots\":1,\n\"slot\":1}", "", `f.json:2: unknown field "slot"; nearest: slots`},
		{"{\"server\":\n{\"slots\":1,\n\"slot\":1}}", "", `f.json:3: unknown field "slot"; nearest: slots`},
		{"[]", "", "f.json:1: want an object, got array"},
		{"null", "", "f.json: want an object with a server's keys, got null"},
		{`{"server":null}`, "", "f.json: want an object with a server's keys, got null"},
		{`{"slots":1000000000}`, "", "f.json: slots: 1000000000, want from 1 to 100000"},
		{`{"n":2000000}`, "", "f.json: n: 2000000, want from 1 to 1048576"},
		{`{"limit":{"requests":1,"per_ms":1,"retry_after_ms":-1}}`, "", "f.json: limit: want requests of at least 1, per_ms above 0 and retry_after_ms from 0 on"},
		{`{"slots":0,"chunk":"line"}`, "", "f.json: slots: 0, want from 1 to 100000\nchunk: \"line\", want \"token\" or \"whole\""},
		{`{"detect":"soon"}`, "", `f.json: detect: cancel detection "soon": want one of immediate, next_token, prefill_end, never`},
		{`{"pin_slots":true}`, "", "f.json: pin_slots: 1 slots need as many warm_slots, which say what each serves; there are 0"},
		{`{"limit":{"requests":0,"per_ms":1}}`, "", "f.json: limit: want requests of at least 1, per_ms above 0 and retry_after_ms from 0 on"},
		{`{"answer":"lies"}`, "", `f.json: answer: "lies", want "truth", "unrelated" or {"text": ...}`},
		{`{"answers":[{"request":0,"t_ms":1,"text":"a"}]}`, "", "f.json: answers[0].request: 0, want the number of a request, from 1"},
		{`{"answers":[{"request":1,"text":"a"},{"request":1,"text":"b"}]}`, "", "f.json: answers[1].request: 1 has an answer already"},
		{`{"answers":[{"request":1,"t_ms":-1,"text":"a"}]}`, "", "f.json: answers[0].t_ms: -1, want a number from 0 to 1e+09"},
		{`{"answers":[{"request":1,"t_ms":1}]}`, "", "f.json: answers[0]: want a text or an error, and not both"},
		{`{"answers":[{"request":1,"t_ms":1,"text":"a","error":"b"}]}`, "", "f.json: answers[0]: want a text or an error, and not both"},
		{"{\n\"answers\":[{\"request\":1,\n\"at\":1}]}", "", `f.json:3: unknown field "at"; want one of ` + strings.Join(keys, ", ")},
		{`{"answers":[{"request":"1"}]}`, "", "f.json:1: answers.request: want a whole number, got string"},
		{cases, "C", `f.json: a file of cases, and none with a server is called "C"; want one of B`},
		{cases, "", `f.json: a file of cases: add #ID to the name, with one of B`},
		{`{"slots":1}`, "A", "f.json: #A names a case, and this is no file of cases"},
	} {
		_, err := Read("f.json", []byte(c.data), c.id)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n got %v\nwant %s", c.data, err, c.want)
		}
	}
}

// TestExample: every case of the example can be served, and every key is in one of them.
func TestExample(t *testing.T) {
	var file struct{ Cases []struct{ ID string } }
	if err := json.Unmarshal(Example(), &file); err != nil || len(file.Cases) == 0 {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		if _, err := Read("example.json", Example(), c.ID); err != nil {
			t.Error(err)
		}
	}
	for _, key := range keys {
		if !strings.Contains(string(Example()), strconv.Quote(key)+":") {
			t.Errorf("no case has %s", key)
		}
	}
}

// TestStats: what becomes of scripted requests is counted with the others.
func TestStats(t *testing.T) {
	var loop pipeline.Virtual
	s := read(t, `{"answers":[{"request":1,"t_ms":40,"error":"no"},{"request":2,"t_ms":50,"error":"no"},{"request":3,"text":"a"}]}`)
	e := s.Build(&loop)
	reasons := ""
	for i := range 4 {
		r := &engine.Request{Prompt: 1, Output: 1}
		r.Done = func(pipeline.Outcome) {
			if r.Reason != nil {
				reasons += r.Reason.Error()
			}
		}
		loop.At(0, pipeline.RankInput, func() { e.Submit(r) })
		if i == 1 {
			loop.At(45*ms, pipeline.RankInput, func() { e.Cancel(r) })
		}
	}
	loop.RunUntil(39 * ms)
	if s := e.Stats(); s.Submitted != 4 || s.Finished != 2 || s.Running != 2 {
		t.Errorf("after 39 ms %+v, want 2 of 4 finished and 2 running", s)
	}
	loop.RunUntil(pipeline.LastInstant)
	if s := e.Stats(); s.Submitted != 4 || s.Finished != 2 || s.Failed != 1 || s.Cancelled != 1 || s.Running != 0 || reasons != "no" {
		t.Errorf("at the end %+v and %q, want 2 finished, 1 failed with its reason, 1 cancelled", s, reasons)
	}
}

// TestSays: the texts of a script go by the number of the request, and the others to the
// next source.
func TestSays(t *testing.T) {
	s := read(t, `{"answers":[{"request":2,"text":"two"},{"request":3,"error":"no"}]}`)
	said := func(next answer.Source) (all string) {
		source := s.Says(next)
		for range 4 {
			text, ok := source.Answer(&answer.Asked{Texts: []string{"echo"}})
			all += fmt.Sprintf("%s %t, ", text, ok)
		}
		return all
	}
	if got, want := said(nil), " false, two true,  false,  false, "; got != want {
		t.Errorf("alone it says %q, want %q", got, want)
	}
	if got, want := said(answer.Echo{}), "echo true, two true, echo true, echo true, "; got != want {
		t.Errorf("before an echo it says %q, want %q", got, want)
	}
	if plain := read(t, `{"slots":2}`); plain.Says(nil) != nil {
		t.Error("without a script there is a source")
	}
}

// TestOthers: requests of somebody else, whose times are stated, are slower together as well,
// and have no number in a script.
func TestOthers(t *testing.T) {
	for _, c := range []struct {
		block, want string
	}{
		{`{"slots":2,"ttft_ms":100,"tpot_ms":10,"batch_slowdown":0.5}`, "own 100-250, other 100-250"},
		{`{"ttft_ms":100,"tpot_ms":10,"answers":[{"request":1,"t_ms":300,"text":"a"}]}`, "own 300-400, other 100-200"},
	} {
		var loop pipeline.Virtual
		s := read(t, c.block)
		s.Script(0, nil)
		e := s.Build(&loop)
		made := func() (*engine.Request, *time.Duration) {
			r, first := &engine.Request{Prompt: 1, Output: 11}, new(time.Duration)
			r.NotifyAt, r.Notify = 1, func(int) int { *first = loop.Now(); return 0 }
			r.Done = func(pipeline.Outcome) {}
			return r, first
		}
		other, otherFirst := made()
		own, ownFirst := made()
		s.Pace(other, Pace{First: -1, Next: 10 * ms})
		loop.At(0, pipeline.RankInput, func() { e.Submit(other); e.Submit(own) })
		loop.RunUntil(time.Second)
		if got := fmt.Sprintf("own %d-%d, other %d-%d", *ownFirst/ms, own.Last/ms, *otherFirst/ms, other.Last/ms); got != c.want {
			t.Errorf("%s: %s, want %s", c.block, got, c.want)
		}
	}
}

// TestScript: a script counts from the instant that it is told, by the numbers that it is told.
func TestScript(t *testing.T) {
	var loop pipeline.Virtual
	s := read(t, `{"ttft_ms":5,"answers":[{"request":1,"t_ms":50,"text":"a"},{"request":2,"t_ms":300,"text":"b"}]}`)
	s.Script(20*ms, func(r *engine.Request) int { return int(r.ID) })
	e := s.Build(&loop)
	ends := map[int64]time.Duration{}
	for _, id := range []int64{2, 0, 1} {
		r := &engine.Request{ID: id, Prompt: 1, Output: 1}
		r.Done = func(pipeline.Outcome) { ends[id] = loop.Now() / ms }
		loop.At(100*ms, pipeline.RankInput, func() { e.Submit(r) })
	}
	loop.RunUntil(time.Second)
	if ends[1] != 100 || ends[2] != 320 || ends[0] != 105 {
		t.Errorf("ended at %v, want the second at 320, the first, which came late, at once, and the one beside the script after 5", ends)
	}
}

// TestReload: what the caches held at the start is gone once the model was.
func TestReload(t *testing.T) {
	prompt := []uint64{1, 2, 3, 4}
	for _, c := range []struct{ block, want string }{
		{`{"prefill_tok_s":100,"prompt_cache":"prefix","keep_alive_ms":1000}`, "0:ok first 10 end 10, 1:ok first 5050 end 5050"},
		{`{"prefill_tok_s":100,"prompt_cache":"prefix","load_ms":100}`, "0:ok first 150 end 150, 1:ok first 5000 end 5000"},
		{`{"prefill_tok_s":100,"warm_slots":["a"],"prompt_tokens":5,"new_tokens":1,"keep_alive_ms":1000}`, "0:ok first 10 end 10, 1:ok first 5050 end 5050"},
	} {
		s := read(t, c.block)
		s.Hold(prompt)
		asked := asked{kind: "a", prompt: append(prompt[:4:4], 5), output: 1}
		later := asked
		later.at = 5000
		if got := run(s, asked, later); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.block, got, c.want)
		}
	}
}
