package versus

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// typed is a key of one person whose requests, so many, ended as said.
func typed(i, requests int, ended pipeline.Outcome) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindIDE, Index: i, Due: time.Duration(i) * 200 * ms}
	for k := range requests {
		r := pipeline.NewRequest(int64(10*i+k+1), t.Due)
		r.Sent, r.Outcome = t.Due, ended
		t.Requests = append(t.Requests, r)
	}
	t.End = t.Due + ms
	return t
}

func keyHeader(n int, exprs ...string) trace.Header {
	h := header(n, exprs...)
	h.Kind = pipeline.KindIDE
	return h
}

// Requests of steps that are no keys count among requests, failures and connections.
func TestStepsCount(t *testing.T) {
	keys := []pipeline.Trace{typed(0, 1, pipeline.OK), typed(1, 1, pipeline.Cancelled), typed(2, 0, pipeline.OK)}
	for i, ended := range []pipeline.Outcome{pipeline.Error, pipeline.OK, pipeline.Timeout} {
		step := typed(i, 1, ended)
		step.Kind, step.Requests[0].ID = pipeline.KindStep, int64(100+i)
		step.Requests[0].Transport.Status, step.Requests[0].Transport.HTTP = 200, "2"
		keys = append(keys, step)
	}
	r := runOf(t, keyHeader(3), keys)
	if want := map[string]int{"ok": 2, "cancelled": 1, "error": 1, "timeout": 1}; !reflect.DeepEqual(r.Requests, want) || r.N != 3 || r.Outcomes["ok"] != 3 {
		t.Errorf("requests %v of %v, want %v of 3 keys", r.Requests, r.Outcomes, want)
	}
	if got, want := r.series(Failed).Values, [][]float64{{0, 1}, {0, 0}, {1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("failed %v, want %v", got, want)
	}
	if !slices.Contains(r.Conditions, Condition{"HTTP version", "HTTP/2"}) {
		t.Errorf("conditions %v, want the version that the steps' requests came over", r.Conditions)
	}
}

// Requests a key are a cost: of two runs of the same keys the one that asks more is worse, where a
// budget is on them the comparison is, and what differs by less than a twentieth does not matter.
func TestRequestsPerKey(t *testing.T) {
	run := func(twice func(i int) bool, exprs ...string) *Run {
		var keys []pipeline.Trace
		for i := range 400 {
			n := 1
			if twice(i) {
				n = 2
			}
			keys = append(keys, typed(i, n, pipeline.OK))
		}
		return runOf(t, keyHeader(400, exprs...), keys)
	}
	never, always := func(int) bool { return false }, func(int) bool { return true }
	some := func(i int) bool { return i%40 == 0 }
	budget := "mean(requests_per_key) <= 1"
	for _, c := range []struct {
		name    string
		a, b    *Run
		by      float64
		role    Role
		word    Word
		verdict Verdict
	}{
		{"twice as many", run(never, budget), run(always, budget), 1, Judged, Worse, Regression},
		{"half as many", run(always, budget), run(never, budget), -1, Judged, Better, Improvement},
		{"a few more", run(never, budget), run(some, budget), .025, Judged, NoDifference, Unchanged},
		{"without a budget", run(never), run(always), 1, OfRequest, Worse, Unchanged},
	} {
		r := compare(t, c.a, c.b, Settings{}).row(t, "requests_per_key", "mean")
		if math.Abs(r.By()-c.by) > 1e-12 || r.Role != c.role || r.Word != c.word || r.More || r.NA != 400 || r.Matters != .05*r.A {
			t.Errorf("%s: %+v, want %v more, %v", c.name, *r, c.by, c.word)
		}
	}
	if c := compare(t, run(never, budget), run(always, budget), Settings{}); c.Verdict != Regression || c.Pairs != 400 {
		t.Errorf("%v of %d pairs, want worse of 400", c.Verdict, c.Pairs)
	}
	few := runOf(t, keyHeader(9), []pipeline.Trace{typed(0, 1, pipeline.OK), typed(1, 2, pipeline.OK)})
	if r := compare(t, few, few, Settings{Anyway: true}).row(t, "requests_per_key", "mean"); r.Takes != 10 || r.HasInterval || r.Reason != "an interval of requests_per_key takes 10 values in each run, there are 2 and 2" {
		t.Errorf("%+v, want no interval of 2 keys", *r)
	}
}

// written is a run of keys whose answers of 10 characters, half of them useful, and 5 tokens came
// in so long; those that breaks says leave code that is broken.
func writing(t testing.TB, n int, repair, took time.Duration, breaks func(i int) bool, exprs ...string) *Run {
	var keys []pipeline.Trace
	for i := range n {
		k := typed(i, 1, pipeline.OK)
		r := &k.Requests[0]
		r.FirstOutput, r.LastOutput, r.End, r.OutputTokens = k.Due+ms, k.Due+took, k.Due+took, 5
		syntax := pipeline.SyntaxParses
		if breaks(i) {
			syntax = pipeline.SyntaxBreaks
		}
		k.Facts = []pipeline.Fact{{Name: pipeline.FactSyntax, Value: syntax}, {Name: pipeline.FactCharacters, Value: "10"}, {Name: pipeline.FactUsefulCharacters, Value: "5"}}
		keys = append(keys, k)
	}
	last := &keys[n-1] // an answer to a step counts as one to a key
	last.Kind = pipeline.KindStep
	h := keyHeader(n, exprs...)
	h.Quality = trace.Quality{Language: "go", Checker: "go/parser", Repair: repair}
	return runOf(t, h, keys)
}

func TestEffectiveSpeed(t *testing.T) {
	every := func(k int) func(i int) bool { return func(i int) bool { return i%k == 0 } }
	never := func(int) bool { return false }
	budget := "mean(effective_speed) >= 5 tok/s"
	fast, sound := writing(t, 400, 10*time.Second, 50*ms, every(5), budget), writing(t, 400, 10*time.Second, 200*ms, every(50), budget)
	c := compare(t, fast, sound, Settings{})
	r := c.row(t, "effective_speed", "rate")
	// 2.5 useful tokens of each that parses: 320 in 20 s and 80 repairs, 392 in 80 s and 8 repairs.
	if a, b := 2.5*320/(20+800.), 2.5*392/(80+80.); math.Abs(r.A-a) > 1e-12 || math.Abs(r.B-b) > 1e-12 || r.NA != 400 || r.Word != Better || r.Role != Judged || !r.More || r.Matters != .05*r.A {
		t.Errorf("%+v, want %v and %v, better", *r, a, b)
	}
	if r := compare(t, sound, fast, Settings{}).row(t, "effective_speed", "rate"); r.Word != Worse {
		t.Errorf("%+v, want worse", *r)
	}
	if r := compare(t, writing(t, 400, 10*time.Second, 50*ms, every(5)), sound, Settings{}).row(t, "effective_speed", "rate"); r.Role != OfRequest {
		t.Errorf("role %v without a budget", r.Role)
	}
	if r := compare(t, fast, fast, Settings{Anyway: true}).row(t, "effective_speed", "rate"); r.Word != NoDifference || r.Low != 0 || r.High != 0 {
		t.Errorf("%+v, want no difference of a run from itself", *r)
	}
	if r := compare(t, writing(t, 9, 0, 50*ms, every(5)), writing(t, 9, 0, 50*ms, every(5)), Settings{Anyway: true}).row(t, "effective_speed", "rate"); r.Takes != 10 {
		t.Errorf("%+v, want no interval of 9 answers", *r)
	}
	other := compare(t, fast, writing(t, 400, time.Second, 50*ms, never), Settings{})
	if slices.ContainsFunc(other.Rows, func(r Row) bool { return r.Metric == "effective_speed" }) || !strings.Contains(fmt.Sprint(other.Warnings), "effective_speed (made otherwise in A and in B)") {
		t.Errorf("another repair cost: %v", other.Warnings)
	}
}

// That nothing was broken in two runs does not say that nothing would be: the interval reaches to
// where either speed is at the end of Wilson's interval.
func TestEffectiveSpeedOfNothingBroken(t *testing.T) {
	never := func(int) bool { return false }
	clean := writing(t, 40, 10*time.Second, 100*ms, never)
	r := compare(t, clean, clean, Settings{Anyway: true}).row(t, "effective_speed", "rate")
	z2 := 3.841458820694124
	end := z2 / (40 + z2)
	by := 25 - 25*(1-end)/(1+100*end)
	if math.Abs(r.High95-by) > 1e-9 || math.Abs(r.Low95+by) > 1e-9 || r.High < r.High95 || r.Word != CannotTell {
		t.Errorf("%+v, want %v either way", *r, by)
	}
}

// A baseline has the answers, from which the interval is drawn again.
func TestEffectiveSpeedBaseline(t *testing.T) {
	every := func(i int) bool { return i%5 == 0 }
	a, b := writing(t, 60, 10*time.Second, 50*ms, every), writing(t, 60, 10*time.Second, 80*ms, every)
	data := written(t, a)
	again, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(`"repair_ns":10000000000`)) || !bytes.Contains(data, []byte("[50000000,5,10,5,2]")) || !bytes.Contains(data, []byte("[50000000,5,10,5,1,50000000,5,10,5,1]")) {
		t.Errorf("answers in %s", data)
	}
	if x, y := compare(t, a, b, Settings{}), compare(t, again, b, Settings{}); !reflect.DeepEqual(x, y) {
		t.Error("the baseline compares otherwise than the run")
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"unit", `"unit":"count"`, `"unit":"counts"`, `unit "counts": want ns, share, count or answers`},
		{"repair", `"repair_ns":10000000000}`, `"repair_ns":-1}`, "repair_ns is -1: want 0 or more"},
		{"four numbers", "[50000000,5,10,5,2]", "[50000000,5,10,5]", "interaction 1 has 4 numbers, want 5 for each answer"},
		{"too useful", "[50000000,5,10,5,2]", "[50000000,5,10,11,2]", "interaction 1: [5e+07 5 10 11 2] is no answer"},
		{"syntax", "[50000000,5,10,5,2]", "[50000000,5,10,5,256]", "interaction 1: [5e+07 5 10 5 256] is no answer"},
		{"a count", `"unit":"count","role":"request","values":[1,`, `"unit":"count","role":"request","values":[-1,`, "-1: a count is 0 or more"},
		{"slower", `"unit":"count","role":"request"`, `"unit":"count","slow":[1],"role":"request"`, "a series of unit count has no slower values"},
	} {
		bad := strings.Replace(string(data), c.from, c.to, 1)
		if _, err := Read(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
