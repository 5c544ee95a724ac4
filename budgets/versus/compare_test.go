package versus

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// constant returns n interactions that all take the same.
func constant(n int, first, last time.Duration) (traces []pipeline.Trace) {
	for i := range n {
		traces = append(traces, interaction(i, i, first, last))
	}
	return traces
}

// Where nothing varies the difference is exact, and the word follows from what matters.
func TestConstantRuns(t *testing.T) {
	a := runOf(t, header(200, "p95(response) < 600ms"), constant(200, 100*ms, 500*ms))
	for _, c := range []struct {
		name        string
		first, last time.Duration
		word        Word
		verdict     Verdict
	}{
		{"equal", 100 * ms, 500 * ms, NoDifference, NotWorse}, // 200 of 200 may still be 97 %
		{"4 % slower", 100 * ms, 520 * ms, NoDifference, NotWorse},
		{"exactly 5 % slower", 100 * ms, 525 * ms, NoDifference, NotWorse},
		{"a nanosecond more", 100 * ms, 525*ms + 1, Worse, Regression},
		{"6 % faster", 100 * ms, 470 * ms, Better, Improvement},
	} {
		got := compare(t, a, runOf(t, header(200, "p95(response) < 600ms"), constant(200, c.first, c.last)), Settings{Anyway: true})
		r := got.row(t, "response", "p95")
		by := float64(c.last - 500*ms)
		if r.A != 500e6 || r.By() != by || !r.HasInterval || r.Low != by || r.High != by || r.Low95 != by || r.Matters != 25e6 {
			t.Errorf("%s: %+v, want exactly %v", c.name, *r, by)
		}
		if r.Word != c.word || got.Verdict != c.verdict {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, r.Word, got.Verdict, c.word, c.verdict)
		}
	}
}

// What is below a millisecond does not matter, except in a pace.
func TestLeastMatters(t *testing.T) {
	a := runOf(t, header(100), constant(100, 2*ms, 12*ms)) // 1 ms a token
	b := runOf(t, header(100), constant(100, 2900*time.Microsecond, 13900*time.Microsecond))
	c := compare(t, a, b, Settings{})
	if r := c.row(t, "ttft", "p50"); r.By() != 9e5 || r.Word != NoDifference {
		t.Errorf("%+v, want no difference of .9 ms", *r)
	}
	if r := c.row(t, "tpot", "p50"); r.By() != 1e5 || r.Word != Worse {
		t.Errorf("%+v, want .1 ms a token to be worse", *r)
	}
}

// Goodput, failures and what ended ok, with Newcombe's intervals at the confidence of
// their families.
func TestShares(t *testing.T) {
	with := func(slow, failed int) *Run {
		traces := constant(400, 100*ms, 500*ms)
		for k, i := range rand.New(rand.NewPCG(1, 2)).Perm(400)[:slow+failed] {
			if k < slow {
				traces[i] = interaction(i, i, 100*ms, 700*ms)
			} else {
				fail(&traces[i])
			}
		}
		return runOf(t, header(400, "p95(response) < 600ms"), traces)
	}
	c := compare(t, with(8, 4), with(100, 24), Settings{})
	for _, want := range []struct {
		metric string
		a, b   float64
		role   Role
		more   bool
		word   Word
		na, nb int
	}{
		{Goodput, 388. / 400, 276. / 400, Judged, true, Worse, 400, 400},
		{"ok_share", 396. / 400, 376. / 400, Judged, true, Worse, 400, 400},
		{Failed, 4. / 400, 24. / 400, OfRequest, false, Worse, 400, 400},
	} {
		r := c.row(t, want.metric, "share")
		if r.A != want.a || r.B != want.b || r.Role != want.role || r.More != want.more || r.Word != want.word || r.NA != want.na || r.NB != want.nb {
			t.Errorf("%+v, want %+v", *r, want)
		}
	}
	if c.Verdict != Regression {
		t.Errorf("verdict %v, want worse", c.Verdict)
	}
	// Failures are out of the latency pools.
	if r := c.row(t, "response", "p50"); r.NA != 396 || r.NB != 376 {
		t.Errorf("response has %d and %d values, want 396 and 376", r.NA, r.NB)
	}
}

// A slower server is found worse by how interactions land, and each family of rows
// shares its 5 %.
func TestWorseAndFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := header(300, "p95(response) < 2s", "p95(ttft) < 1s")
	a, b := runOf(t, h, drawn(rng, 300, 200*ms)), runOf(t, h, drawn(rng, 300, 300*ms))
	c := compare(t, a, b, Settings{resamples: 999})
	if c.Verdict != Regression {
		t.Errorf("verdict %v, want worse", c.Verdict)
	}
	sizes := map[Role]int{}
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Unit == budgets.Share || min(r.NA, r.NB) >= map[string]int{"p50": 6, "p90": 36, "p95": 72, "p99": 368}[r.Figure] {
			sizes[r.Role]++
		}
		if r.HasInterval && (r.Low > r.Low95 || r.High < r.High95 || r.Low > r.By() || r.High < r.By()) {
			t.Errorf("%s %s: %v to %v at %v does not hold %v to %v, or %v", r.Metric, r.Figure, r.Low, r.High, r.Confidence, r.Low95, r.High95, r.By())
		}
	}
	// response and ttft at p50, p90 and p95, goodput, ok_share; ttfb says ttft again but
	// is of another role; the stage.
	if sizes[Judged] != 8 || sizes[OfStage] != 3 {
		t.Errorf("families of %v, want 8 judged and 3 of stages", sizes)
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if want := 1 - .05/float64(sizes[r.Role]); r.Confidence != want {
			t.Errorf("%s %s: confidence %v, want %v", r.Metric, r.Figure, r.Confidence, want)
		}
	}
	if r := c.row(t, "ttft", "p50"); r.Word != Worse || r.Role != Judged {
		t.Errorf("%+v, want it worse and judged", *r)
	}
	if r := c.row(t, "tpot", "p50"); r.Word != NoDifference || r.Role != OfRequest {
		t.Errorf("%+v, want no difference, explaining", *r)
	}
	if r := c.row(t, "response", "p99"); r.HasInterval || r.Word != CannotTell || !strings.Contains(r.Reason, "an interval of p99 takes ") {
		t.Errorf("%+v, want no interval of p99 from 300 values", *r)
	}
	if again := compare(t, a, b, Settings{resamples: 999}); !reflect.DeepEqual(again, c) {
		t.Error("the same comparison twice differs")
	}
	if other := compare(t, a, b, Settings{resamples: 999, Seed: 2}); reflect.DeepEqual(other.Rows, c.Rows) {
		t.Error("another seed draws alike")
	}
	if back := compare(t, b, a, Settings{resamples: 999}); back.Verdict != Improvement {
		t.Errorf("the other way round: %v, want better", back.Verdict)
	}
}

// Two runs of one server are called better or worse less often than in 5 of 100
// comparisons, by what decides; and each family keeps to that too.
func TestEqualRunsRarelyDiffer(t *testing.T) {
	const runs = 150
	rng := rand.New(rand.NewPCG(5, 6))
	called := map[Role]int{}
	for range runs {
		h := header(180, "p95(response) < 800ms")
		c := compare(t, runOf(t, h, drawn(rng, 180, 200*ms)), runOf(t, h, drawn(rng, 180, 200*ms)), Settings{resamples: 499})
		for role := range Role(len(roleNames)) {
			if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Role == role && (r.Word == Better || r.Word == Worse) }) {
				called[role]++
			}
		}
	}
	t.Logf("called better or worse, of %d: %v", runs, called)
	for role, n := range called {
		if n > 16 { // more than that of 150 at 5 % is one in a thousand
			t.Errorf("%v: %d of %d equal runs are called better or worse", role, n, runs)
		}
	}
}

func TestRefusals(t *testing.T) {
	a := runOf(t, header(50), constant(50, 100*ms, 500*ms))
	other := header(50)
	other.ScenarioHash, other.Target, other.Kind = "beef", "mock", pipeline.KindBench
	b := runOf(t, other, constant(50, 100*ms, 501*ms))
	_, err := Compare(a, b, Settings{})
	for _, want := range []string{`run A is of scenario "chat" with hash c0ffee, run B of "chat" with hash beef`, "run A was on endpoint, run B on mock"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to say %q", err, want)
		}
	}
	if !errors.Is(err, ErrDiffer) {
		t.Errorf("error %v, want ErrDiffer", err)
	}
	if c := compare(t, a, b, Settings{Anyway: true}); len(c.Warnings) != 2 {
		t.Errorf("warnings %q, want the two reasons", c.Warnings)
	}
	b.Facts.Kind = pipeline.KindVoice
	if _, err := Compare(a, b, Settings{Anyway: true}); err == nil || errors.Is(err, ErrDiffer) || !strings.Contains(err.Error(), "run A is of kind bench and run B of kind voice") {
		t.Errorf("error %v, want kinds to be refused", err)
	}
	grid := Facts{Kind: pipeline.KindGrid}
	if _, err := Compare(&Run{Facts: grid}, &Run{Facts: grid}, Settings{}); err == nil || !strings.Contains(err.Error(), "kind grid") {
		t.Errorf("error %v, want grids to be refused", err)
	}
}

// A run that did not finish or is unfit is shown, and no word is said.
func TestUnjudged(t *testing.T) {
	a := runOf(t, header(100), constant(100, 100*ms, 500*ms))
	for _, c := range []struct {
		change func(f *Facts)
		want   string
	}{
		{func(f *Facts) { f.Unfinished, f.NAsked = "interrupted", 900 }, "run B did not finish (interrupted): it has 100 of 900 interactions"},
		{func(f *Facts) { f.Unfit = "the tester ran late" }, "run B is unfit: the tester ran late"},
	} {
		b := runOf(t, header(100), constant(100, 300*ms, 900*ms))
		c.change(&b.Facts)
		got := compare(t, a, b, Settings{})
		if got.Verdict != Undecided || !slices.Equal(got.Unjudged, []string{c.want}) {
			t.Errorf("%v, %q, want nothing told: %s", got.Verdict, got.Unjudged, c.want)
		}
		if r := got.row(t, "response", "p50"); !r.HasInterval || r.Word != CannotTell || r.Reason != c.want {
			t.Errorf("%+v, want its interval and no word", *r)
		}
	}
}

// Runs of other typing by few people are shown and not judged: not so those of one seed, of
// twenty people, or of other kinds.
func TestOtherTyping(t *testing.T) {
	of := func(kind string, seed uint64, people int) *Run {
		h, traces := header(100), constant(100, 100*ms, time.Duration(500+people)*ms)
		h.Kind, h.Seed = kind, seed
		for i := range traces {
			traces[i].Kind, traces[i].Session, traces[i].Index = kind, i%people, i
		}
		return runOf(t, h, traces)
	}
	for _, c := range []struct {
		kind   string
		seed   uint64
		people int
		want   string
	}{
		{pipeline.KindIDE, 7, 1, ""}, {pipeline.KindIDE, 8, 20, ""}, {pipeline.KindBench, 8, 1, ""},
		{pipeline.KindIDE, 8, 19, "runs of seeds 7 and 8 are of other typing, and 19 people do not tell how far that differs by chance: give both the same seed, whose keys are paired, or 20 users"},
		{pipeline.KindIDE, 8, 1, "runs of seeds 7 and 8 are of other typing, and one person does not tell how far that differs by chance: give both the same seed, whose keys are paired, or 20 users"},
	} {
		got := compare(t, of(c.kind, 7, 21), of(c.kind, c.seed, c.people), Settings{})
		if words := strings.Join(got.Unjudged, "; "); words != c.want || c.want != "" && got.Verdict != Undecided {
			t.Errorf("%s, seed %d, %d people: %v, %q, want %q", c.kind, c.seed, c.people, got.Verdict, words, c.want)
		}
	}
}

func TestCautions(t *testing.T) {
	h, other := header(100, "p95(response) < 600ms"), header(80, "p95(response) < 700ms")
	other.Endpoints[0].Model, other.Load.FindStartUp = "n", true
	traces := constant(80, 100*ms, 500*ms)
	for i := range traces {
		traces[i].Requests[0].Server.Total = 90 * ms
	}
	c := compare(t, runOf(t, h, constant(100, 100*ms, 500*ms)), runOf(t, other, traces), Settings{})
	for _, want := range []string{
		"run B may not be steady. Start-up: nobody can say where it ends", "A has 100 interactions, B 80", "A asked m over openai-chat, B n over", "goodput is not compared: A counts response < 600ms, B response < 700ms",
		"not compared: outside_server (only in B), server_total (only in B)",
	} {
		if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, want) }) {
			t.Errorf("warnings %q lack %q", c.Warnings, want)
		}
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Metric == Goodput }) {
		t.Error("goodput against two limits is compared")
	}
	h.Target = "sim"
	same := compare(t, runOf(t, h, traces), runOf(t, h, traces), Settings{})
	if len(same.Warnings) != 1 || !strings.Contains(same.Warnings[0], "made the same draws") || same.Pairs != 80 {
		t.Errorf("warnings %q, want that the draws are the same", same.Warnings)
	}
}

// A metric that an earlier program made otherwise is not compared.
func TestOtherFormulas(t *testing.T) {
	a, b := mixed(t), mixed(t)
	b.series("e2e").Formula = "otherwise"
	b.series("e2e").Values[0][0]++
	c := compare(t, a, b, Settings{})
	if want := "not compared: e2e (made otherwise in A and in B)"; !slices.Equal(c.Warnings, []string{want}) {
		t.Errorf("warnings %q, want %s", c.Warnings, want)
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Metric == "e2e" }) {
		t.Error("it is compared")
	}
}

// Gaps between chunks are too many to be kept where no budget is about them.
func TestGapsOnlyForBudgets(t *testing.T) {
	traces := constant(80, 100*ms, 500*ms)
	for i := range traces {
		traces[i].Requests[0].Gaps, traces[i].Requests[0].LongestGap = pipeline.CountGaps([]time.Duration{20 * ms, 20 * ms, 160 * ms})
	}
	if r := runOf(t, header(80), traces); r.series("icl") != nil || r.series("longest_gap") == nil {
		t.Error("without a budget icl is kept, or longest_gap is not")
	}
	if s := runOf(t, header(80, "p95(icl) < 1s"), traces).series("icl"); s == nil || s.Role != Judged || len(s.Values[0]) != 3 {
		t.Errorf("with a budget: %+v, want three values each", s)
	}
}

// A burst of failures is one event: the interval is as wide as it has to be.
func TestBurstOfFailures(t *testing.T) {
	clean, burst := constant(400, 100*ms, 500*ms), constant(400, 100*ms, 500*ms)
	for i := range 400 {
		drift := time.Duration(i/40) * 30 * ms // neighbours resemble each other
		clean[i].Requests[0].LastOutput += drift
		burst[i].Requests[0].LastOutput += drift
		if i >= 200 && i < 224 {
			fail(&burst[i])
		}
	}
	c := compare(t, runOf(t, header(400), clean), runOf(t, header(400), burst), Settings{})
	if r := c.row(t, "ok_share", "share"); r.B != .94 || r.Word != CannotTell {
		t.Errorf("%+v, want one burst of 24 failures to be no proof", *r)
	}
}

// Percentiles that rest on a published median are not compared, the median is.
func TestMedianOnly(t *testing.T) {
	h := header(100)
	h.Target = "mock"
	h.Stages = []trace.Stage{{Name: pipeline.SpanLLMFirstToken, Component: "x", NoSpread: true}}
	a, b := runOf(t, h, constant(100, 100*ms, 500*ms)), runOf(t, h, constant(100, 200*ms, 500*ms))
	c := compare(t, a, b, Settings{})
	if r := c.row(t, "ttft", "p50"); r.Word != Worse {
		t.Errorf("%+v, want the median worse", *r)
	}
	if r := c.row(t, "ttft", "p95"); r.HasInterval || r.Word != CannotTell || !strings.Contains(r.Reason, "only a median is published") {
		t.Errorf("%+v, want no interval of p95", *r)
	}
}

func TestNothing(t *testing.T) {
	none := runOf(t, header(0), nil)
	if c := compare(t, none, none, Settings{}); c.Verdict != Undecided || len(c.Rows) != 0 {
		t.Errorf("%+v, want nothing told of nothing", c)
	}
}

func TestWordFor(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		more      bool
		want      Word
	}{
		{-5, 5, false, NoDifference}, {1, 4, false, NoDifference}, {-5, -1, true, NoDifference},
		{1, 6, false, Worse}, {1, 6, true, Better}, {-9, -1, false, Better}, {-9, -1, true, Worse},
		{0, 6, false, CannotTell}, {-1, 6, false, CannotTell}, {-6, 6, true, CannotTell}, {-9, 0, false, CannotTell},
	} {
		if got := wordFor(c.low, c.high, 5, c.more); got != c.want {
			t.Errorf("wordFor(%v, %v, 5, %v) = %v, want %v", c.low, c.high, c.more, got, c.want)
		}
	}
}

func TestOverall(t *testing.T) {
	for _, c := range []struct {
		words []Word
		want  Verdict
	}{
		{nil, Undecided}, {[]Word{CannotTell, CannotTell}, Undecided}, {[]Word{NoDifference, CannotTell}, NotWorse},
		{[]Word{NoDifference, NoDifference}, Unchanged}, {[]Word{Better, CannotTell, NoDifference}, Improvement}, {[]Word{Better, Worse}, Regression},
	} {
		rows := []Row{{Role: OfStage, Word: Worse}}
		for _, w := range c.words {
			rows = append(rows, Row{Word: w})
		}
		if got := overall(rows); got != c.want {
			t.Errorf("overall(%v) = %v, want %v", c.words, got, c.want)
		}
	}
}

// How interactions are drawn again follows from their sessions and from how far
// neighbours resemble each other.
func TestPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	sessions := runOf(t, header(90), drawn(rng, 90, 200*ms))
	few := runOf(t, header(90), drawn(rng, 90, 200*ms))
	for i := range few.Sessions {
		few.Sessions[i] = i % 19
	}
	drifting := constant(200, 100*ms, 500*ms)
	for i := range drifting {
		drifting[i].Requests[0].LastOutput += time.Duration(i/50) * 100 * ms
	}
	for _, c := range []struct {
		run  *Run
		want string
	}{
		{sessions, "30 whole sessions"},
		{few, "interactions one by one"},
		{runOf(t, header(200), constant(200, 100*ms, 500*ms)), "interactions one by one"},
		{runOf(t, header(200), drifting), "blocks of"},
	} {
		if d := c.run.alone(); !strings.HasPrefix(d.words, c.want) {
			t.Errorf("drawn as %q, want %s", d.words, c.want)
		}
	}
}

// A share of sessions that fail as one is worth no more than the sessions are.
func TestProportionOfSessions(t *testing.T) {
	traces := constant(400, 100*ms, 500*ms)
	for i := range traces {
		traces[i].Session = i / 10
		if i < 100 {
			fail(&traces[i])
		}
	}
	r := runOf(t, header(400), traces)
	s := r.series("ok_share")
	alone := r.alone()
	d := alone.resample([]*Series{s}, 9999, seeded())
	values, none := d.samples[0].Values(), []float64{1, 1, 1, 1, 1}
	got, other := proportions(values, none, d.worth[0], independent{1, false})
	if got.Share != .75 || got.N != 40 {
		t.Errorf("%+v, want .75 of 40 sessions", got)
	}
	// Where nothing failed, members are worth what they are in the other run.
	if want := got.N / 400 * 5; other.Share != 1 || other.N != want {
		t.Errorf("%+v, want all of %v", other, want)
	}
	if alone, _ := proportions(none, none, independent{1, false}, independent{1, false}); alone.Share != 1 || alone.N != 5 {
		t.Errorf("%+v, want all of 5", alone)
	}
}

func TestResamplesFor(t *testing.T) {
	for n, want := range map[int]int{0: 9999, 20_000: 9999, 20_001: 1999} {
		if got := resamplesFor(n); got != want {
			t.Errorf("resamplesFor(%d) = %d, want %d", n, got, want)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := header(1000, "p95(response) < 2s")
	x, y := runOf(b, h, drawn(rng, 1000, 200*ms)), runOf(b, h, drawn(rng, 1000, 210*ms))
	for b.Loop() {
		compare(b, x, y, Settings{resamples: resamplesFor(1000)})
	}
}

// An answer that another key draws on is useful in a comparison as in a report, and requests of
// steps that are no keys count.
func TestWholeRunMetrics(t *testing.T) {
	h := header(2)
	h.Kind = pipeline.KindIDE
	key := func(kind string, id int64) pipeline.Trace {
		x := interaction(int(id), 0, 50*ms, 90*ms)
		x.Kind, x.Requests[0].ID = kind, id
		return x
	}
	asked, drew, moved := key(pipeline.KindIDE, 1), key(pipeline.KindIDE, 2), key(pipeline.KindStep, 3)
	drew.Uses = []pipeline.Use{{Request: 1, How: "joined"}}
	r := runOf(t, h, []pipeline.Trace{asked, drew, moved})
	if got, want := r.series("useful_requests").Values, [][]float64{{1}, {0, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("useful requests %v, want %v", got, want)
	}
	if got := len(r.series("ttft").Values[1]); got != 2 {
		t.Errorf("%d times to a first token with the second key, want 2: that of the step counts", got)
	}
}
