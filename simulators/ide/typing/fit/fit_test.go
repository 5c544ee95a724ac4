package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

const ms = time.Millisecond

// repeat returns n gaps of each length.
func repeat(prev, cur typing.Class, n int, lengths ...time.Duration) (gaps []Gap) {
	for range n {
		for _, l := range lengths {
			gaps = append(gaps, Gap{prev, cur, l})
		}
	}
	return gaps
}

// Gaps of which half are 100 ms and half 400 ms have the mean ln 200 and the deviation
// ln 2.
func TestHabits(t *testing.T) {
	h, err := Habits(slices.Concat(
		repeat(typing.Word, typing.Word, 20, 100*ms, 400*ms),
		repeat(typing.Word, typing.Space, 10, 0, 3*ms, 1001*ms, 4*time.Second), // 10 each
		repeat(typing.Space, typing.Word, 19, 200*ms),                          // rare
		repeat(typing.Punct, typing.Word, 1, 2*time.Second),                    // rare
		repeat(typing.Punct, typing.Enter, 10, time.Second, 10*time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want typing.Habit
	}{
		{"word to word", h.Pairs[typing.Word][typing.Word], typing.Habit{Mu: math.Log(200), Sigma: math.Log(2)}},
		{"word to space, as short as gaps are", h.Pairs[typing.Word][typing.Space], typing.Habit{Mu: math.Log(12), Pause: .5}},
		{"punct to enter", h.Pairs[typing.Punct][typing.Enter], typing.Habit{Mu: math.Log(1000), Pause: .5}},
		{"too few", h.Pairs[typing.Space][typing.Word], typing.Habit{}},
		{"others", h.Other, typing.Habit{Mu: math.Log(200), Pause: .05}},
		{"pauses", typing.Habit{Mu: h.PauseMu, Sigma: h.PauseSigma}, typing.Habit{
			Mu:    (10*math.Log(1001) + 10*math.Log(4000) + math.Log(2000) + 10*math.Log(10_000)) / 31,
			Sigma: 0.9355343689874398},
		},
	} {
		if math.Abs(c.got.Mu-c.want.Mu) > 1e-6 || math.Abs(c.got.Sigma-c.want.Sigma) > 1e-6 || c.got.Pause != c.want.Pause {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
	if h.Thinks {
		t.Error("pauses at Enter count twice")
	}
}

// With too little to tell something by, all gaps stand for it, or the expert's.
func TestHabitsOfLittle(t *testing.T) {
	h, err := Habits(append(repeat(typing.Word, typing.Word, 99, 100*ms), Gap{typing.Word, typing.Space, 100 * ms}))
	if err != nil {
		t.Fatal(err)
	}
	if want := (typing.Habit{Mu: math.Log(100)}); math.Abs(h.Other.Mu-want.Mu) > 1e-9 || h.Other.Sigma > 1e-6 || h.Other.Pause != 0 {
		t.Errorf("others are %+v, want %+v", h.Other, want)
	}
	if e := typing.Expert(); h.PauseMu != e.PauseMu || h.PauseSigma != e.PauseSigma {
		t.Errorf("pauses are %v, %v, want the expert's", h.PauseMu, h.PauseSigma)
	}
	if _, err := Habits(repeat(typing.Word, typing.Word, 99, 100*ms)); err == nil || err.Error() != "99 gaps between keys are too few to tell habits by: want 100 or more" {
		t.Errorf("99 gaps: %v", err)
	}
}

type source []typing.Step

func (s *source) Next() (typing.Step, bool) {
	if len(*s) == 0 {
		return typing.Step{}, false
	}
	first := (*s)[0]
	*s = (*s)[1:]
	return first, true
}

func TestGaps(t *testing.T) {
	key := func(gap time.Duration, c typing.Class) typing.Step {
		return typing.Step{Kind: typing.Key, Gap: gap, Class: c, Edit: document.Edit{}}
	}
	y := source{
		key(5*ms, typing.Word), key(7*ms, typing.Space), {Kind: typing.Move, Gap: 11 * ms}, {Kind: typing.Move, Gap: 13 * ms}, key(17*ms, typing.Enter),
		{Kind: typing.Change, Gap: 19 * ms}, key(23*ms, typing.Word), key(29*ms, typing.Backspace), {Kind: typing.Open, Gap: 31 * ms}, key(37*ms, typing.Word),
	}
	want := []Gap{{typing.Word, typing.Space, 7 * ms}, {typing.Space, typing.Enter, 41 * ms}, {typing.Word, typing.Backspace, 29 * ms}}
	if got := Gaps(&y); !slices.Equal(got, want) {
		t.Errorf("gaps %v, want %v", got, want)
	}
}

// What a typist types tells the habits behind it.
func TestHabitsComeBack(t *testing.T) {
	want := typing.Expert()
	want.Thinks = false
	h, err := Habits(typed(t, "go-handler", typing.Profile{Habits: &want, Slips: .05, Rethinks: .2, HoldFirst: 2 * time.Second, HoldNext: time.Second}, 200_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]typing.Class{{typing.Word, typing.Word}, {typing.Word, typing.Space}, {typing.Space, typing.Word}, {typing.Punct, typing.Word}} {
		got, want := h.Pairs[pair[0]][pair[1]], want.Pairs[pair[0]][pair[1]]
		if math.Abs(got.Mu-want.Mu) > .03 || math.Abs(got.Sigma-want.Sigma) > .03 || math.Abs(got.Pause-want.Pause) > .02 {
			t.Errorf("%s to %s: %+v, want %+v but for what is cut at 12 ms and 1 s", pair[0], pair[1], got, want)
		}
	}
}

// typed returns the gaps of so many keys of a typist.
func typed(t *testing.T, text string, p typing.Profile, keys int) []Gap {
	t.Helper()
	content, err := typing.Text(text)
	if err != nil {
		t.Fatal(err)
	}
	who, err := typing.NewTypist(content, p)
	if err != nil {
		t.Fatal(err)
	}
	return Gaps(typing.First(who.Type(1, 0), keys))
}

// figures are what gaps are compared by.
type figures struct {
	p50, p90 time.Duration
	over350  float64
}

// weighted is a gap that counts for more or less than one.
type weighted struct {
	Gap
	weight float64
}

func figuresOf(gaps []weighted) (f figures) {
	slices.SortFunc(gaps, func(a, b weighted) int { return cmp.Compare(a.For, b.For) })
	var sum, over, below float64
	for _, g := range gaps {
		if sum += g.weight; g.For > 350*ms {
			over += g.weight
		}
	}
	f.over350 = over / sum
	for _, g := range gaps {
		below += g.weight
		if f.p50 == 0 && below >= .5*sum {
			f.p50 = g.For
		}
		if f.p90 == 0 && below >= .9*sum {
			f.p90 = g.For
		}
	}
	return f
}

// evenly gives all gaps one weight, and alike the weights with which the pairs of
// classes are as frequent as in other gaps.
func evenly(gaps []Gap) (even []weighted) {
	for _, g := range gaps {
		even = append(even, weighted{g, 1})
	}
	return even
}

func alike(gaps, other []Gap) (alike []weighted) {
	type pair [2]typing.Class
	have, want := map[pair]float64{}, map[pair]float64{}
	for _, g := range gaps {
		have[pair{g.Prev, g.Cur}]++
	}
	for _, g := range other {
		want[pair{g.Prev, g.Cur}]++
	}
	for _, g := range gaps {
		p := pair{g.Prev, g.Cur}
		alike = append(alike, weighted{g, want[p] / have[p]})
	}
	return alike
}

func (f figures) within(part float64, want figures) bool {
	near := func(a, b float64) bool { return math.Abs(a/b-1) <= part }
	return near(f.p50.Seconds(), want.p50.Seconds()) && near(f.p90.Seconds(), want.p90.Seconds()) && near(f.over350, want.over350)
}

// against says how far the figures are from others.
func (f figures) against(want figures) string {
	part := func(a, b float64) float64 { return 100 * (a/b - 1) }
	return fmt.Sprintf("p50 %.1f ms (%+.1f %%), p90 %.1f ms (%+.1f %%), above 350 ms %.2f %% (%+.1f %%)",
		f.p50.Seconds()*1000, part(f.p50.Seconds(), want.p50.Seconds()),
		f.p90.Seconds()*1000, part(f.p90.Seconds(), want.p90.Seconds()), 100*f.over350, part(f.over350, want.over350))
}

// The typist is fitted on the first half of the built-in session, by its keys, and judged
// on the second: typing go-handler, the median of the gaps, their 90th percentile and the
// share above 350 ms are within 10 % of it. Slips and rethinks are those of the preset,
// which were set by the whole session; with the fewer ones of the other presets the figures
// still are within 10 %.
//
// The text is part of that. python-report has other keys next to each other and comes out
// up to 24 % above. With its pairs of classes as frequent as in the second half the typist
// is 13 % below in both figures of the tail, and the halves are not the reason: they are
// within 7 % of each other, and a typist fitted on the second half itself is as far below.
// The form is: between 350 ms and a second there are more gaps than the log-normal of the
// shorter ones leaves room for, such as 9 of 35 from one punctuation mark to the next where
// it has 4. A log-logistic with the same two moments is no better there.
func TestFirstHalfTellsTheSecond(t *testing.T) {
	gaps := Gaps(recording.BuiltIn().Whole())
	if len(gaps) != 1803 {
		t.Fatalf("the session has %d gaps, want 1803", len(gaps))
	}
	first, second := gaps[:901], gaps[901:]
	h, err := Habits(first)
	if err != nil {
		t.Fatal(err)
	}
	want := figuresOf(evenly(second))
	if got, want := want.against(want), "p50 113.0 ms (+0.0 %), p90 444.0 ms (+0.0 %), above 350 ms 12.86 % (+0.0 %)"; got != want {
		t.Errorf("the second half has %s, want %s", got, want)
	}
	expert, err := typing.ProfileNamed("expert")
	if err != nil {
		t.Fatal(err)
	}
	fewer, err := typing.ProfileNamed("average")
	if err != nil {
		t.Fatal(err)
	}
	fewer.WPM = 0
	expert.Habits, fewer.Habits = &h, &h
	logistic := expert
	logistic.Shape = typing.LogLogistic
	own, err := Habits(second)
	if err != nil {
		t.Fatal(err)
	}
	fromSecond := expert
	fromSecond.Habits = &own
	const keys = 100_000
	for _, c := range []struct {
		name   string
		got    []weighted
		within bool
	}{
		{"the first half itself", evenly(first), true},
		{"fitted, typing go-handler", evenly(typed(t, "go-handler", expert, keys)), true},
		{"fitted, with fewer slips", evenly(typed(t, "go-handler", fewer, keys)), true},
		{"fitted, typing python-report", evenly(typed(t, "python-report", expert, keys)), false},
		{"fitted, with the second half's pairs of keys", alike(typed(t, "go-handler", expert, keys), second), false},
		{"fitted on the second half itself, with its pairs", alike(typed(t, "go-handler", fromSecond, keys), second), false},
		{"fitted, log-logistic, typing go-handler", evenly(typed(t, "go-handler", logistic, keys)), true},
		{"fitted, log-logistic, with the second half's pairs", alike(typed(t, "go-handler", logistic, keys), second), false},
	} {
		got := figuresOf(c.got)
		t.Logf("%s: %s", c.name, got.against(want))
		if got.within(.1, want) != c.within {
			t.Errorf("%s: %s; within 10 %% is not %t", c.name, got.against(want), c.within)
		}
	}
}

// The table that comes with the presets was computed from more documents than are built
// in. What fits the built-in ones types as the table does, within 10 %: there is no
// reason to have another one.
func TestShippedTable(t *testing.T) {
	expert, err := typing.ProfileNamed("expert")
	if err != nil {
		t.Fatal(err)
	}
	h, err := Habits(Gaps(recording.BuiltIn().Whole()))
	if err != nil {
		t.Fatal(err)
	}
	shipped := figuresOf(evenly(typed(t, "go-handler", expert, 100_000)))
	expert.Habits = &h
	fitted := figuresOf(evenly(typed(t, "go-handler", expert, 100_000)))
	t.Logf("fitted on all of the session: %s", fitted.against(shipped))
	if !fitted.within(.1, shipped) {
		t.Errorf("fitted on all of the session: %s of the shipped table", fitted.against(shipped))
	}
	table := typing.Expert()
	for prev := range table.Pairs {
		for cur, want := range table.Pairs[prev] {
			got := h.Pairs[prev][cur]
			if want != (typing.Habit{}) && got != (typing.Habit{}) && math.Abs(got.Mu-want.Mu) > .13 {
				t.Errorf("%s to %s: %+v, shipped is %+v", typing.Class(prev), typing.Class(cur), got, want)
			}
		}
	}
}
