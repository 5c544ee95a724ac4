package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
)

// conclude says in sentences what the figures show.
func (b *Bench) conclude() {
	b.Conclusions, b.Notes = []string{}, []string{}
	if b.Unfit != nil {
		b.Conclusions = append(b.Conclusions, "UNMEASURED: "+*b.Unfit+", so nothing follows from the figures below: free its machine of other work, or give it one of its own, and compare again.")
		b.note()
		return
	}
	for i := range b.trends {
		if t := &b.trends[i]; t.Key == b.grid.Baseline(t.Model) {
			b.Conclusions = append(b.Conclusions, trendSentence(t))
		}
	}
	for _, k := range b.grid.Keys() {
		if s := b.cacheSentence(k); s != "" {
			b.Conclusions = append(b.Conclusions, s)
		}
		if s := b.optionSentence(k); s != "" {
			b.Conclusions = append(b.Conclusions, s)
		}
	}
	for i := range b.duels {
		b.Conclusions = append(b.Conclusions, duelSentence(&b.duels[i]))
	}
	if len(b.Conclusions) == 0 {
		b.Conclusions = append(b.Conclusions, "Nothing follows: no two cells were measured twice or more.")
	}
	b.note()
}

// trendSentence answers, for one model, whether a metric is linear or flat.
func trendSentence(t *grid.Trend) string {
	name := strings.ToUpper(t.Metric.String())
	shortest, longest := t.Prompts[0], t.Prompts[len(t.Prompts)-1]
	head := fmt.Sprintf("%s of %s", name, t.Model)
	slope := slopeWords(t)
	span := fmt.Sprintf("from %s to %s tokens", count(shortest), count(longest))
	switch t.Shape {
	case grid.Flat:
		return fmt.Sprintf("%s is flat: %s over the prompts %s%s.", head, change(t.Rise.Value), span, within(t.Rise, change))
	case grid.Falls:
		return fmt.Sprintf("%s falls: %s over the prompts %s%s.", head, change(t.Rise.Value), span, within(t.Rise, change))
	case grid.Unclear:
		return head + " " + unclear(t, slope) + "."
	case grid.Rises:
		return fmt.Sprintf("%s rises with the prompt, %s; two lengths do not tell whether in a line.", head, slope)
	}
	if t.Metric == grid.TPOT {
		return fmt.Sprintf("%s is not flat but rises: %s over the prompts %s%s, %s.", head, change(t.Rise.Value), span, within(t.Rise, change), slope)
	}
	is := map[grid.Shape]string{
		grid.Linear: "is linear in the prompt", grid.Faster: "grows faster than linearly with the prompt",
		grid.Slower: "grows slower than linearly with the prompt", grid.Irregular: "grows with the prompt, but along no line",
	}[t.Shape]
	if t.Straight() {
		slope += ", R2 " + r2(t.Line.R2)
	}
	return fmt.Sprintf("%s %s %s: %s%s.", head, is, span, slope, quadratic(t))
}

// slopeWords says what 1,000 tokens more take: along a line where one fits, else at
// either end.
func slopeWords(t *grid.Trend) string {
	format := budgets.Duration.Format
	if t.Straight() {
		return fmt.Sprintf("%s for 1,000 tokens%s", format(t.PerThousand.Value), within(t.PerThousand, format))
	}
	n := len(t.Prompts)
	return fmt.Sprintf("%s%s for 1,000 tokens from %s to %s, %s%s from %s to %s", format(t.First.Value), within(t.First, format), count(t.Prompts[0]), count(t.Prompts[1]),
		format(t.Last.Value), within(t.Last, format), count(t.Prompts[n-2]), count(t.Prompts[n-1]))
}

// unclear says what cannot be told of a trend.
func unclear(t *grid.Trend, slope string) string {
	border := fmt.Sprintf(" with the prompt, but not clearly by more than the %s %% that count as flat: %s%s", budgets.Number(100*grid.FlatWithin, 0), change(t.Rise.Value), within(t.Rise, change))
	switch {
	case t.Rise.Low <= grid.FlatWithin && t.Rise.Low > 0:
		return "grows" + border
	case t.Rise.High < 0:
		return "falls" + border
	case t.Rise.Low <= grid.FlatWithin:
		return "varies too much to tell whether it grows with the prompt: " + slope
	case t.Metric == grid.TPOT:
		return "is not flat, but varies too much to say more: " + slope
	}
	return fmt.Sprintf("grows with the prompt, %s, but varies too much to tell a line from a curve: at %s tokens the quadratic term is %s of the linear one%s",
		slope, count(t.Longest()), change(t.Curve.Value), within(t.Curve, change))
}

// quadratic says where the quadratic term shows.
func quadratic(t *grid.Trend) string {
	longest, reach := float64(t.Longest()), "the range"
	if t.Longest() < t.Prompts[len(t.Prompts)-1] {
		reach = count(t.Longest()) + " tokens"
	}
	switch {
	case !t.Fits:
		return ""
	case t.Bends && t.Shape == grid.Irregular:
		return "; no parabola fits either"
	case !t.Bends:
		return "; too few lengths are cut into chunks, or not, to tell a quadratic term"
	case math.IsInf(t.ShowsAt, 1):
		return "; no quadratic term shows"
	case t.ShowsAt == 0:
		return "; the parabola that fits has no linear part"
	case t.ShowsAt > sight*longest:
		return fmt.Sprintf("; the quadratic term does not reach 10 %% of the linear one within %s, nor by the fit within %s tokens", reach, count(int(sight*longest)))
	case t.ShowsAt > longest:
		return fmt.Sprintf("; the quadratic term does not reach 10 %% of the linear one within %s, but by the fit at about %s tokens", reach, tokensAbout(t.ShowsAt))
	}
	return fmt.Sprintf("; the quadratic term reaches 10 %% of the linear one at about %s tokens", tokensAbout(t.ShowsAt))
}

// sight is how many times the longest prompt a fit is followed, by convention.
const sight = 10

// tokensAbout returns a length with two digits that count.
func tokensAbout(v float64) string {
	if v < 10 {
		return budgets.Number(v, 0)
	}
	step := math.Pow(10, math.Floor(math.Log10(v))-1)
	return budgets.Number(math.Round(v/step)*step, 0)
}

// optionSentence says what one variant changed for one model, "" for a baseline.
func (b *Bench) optionSentence(k grid.Key) string {
	var parts []string
	for i := range b.options {
		if e := &b.options[i]; e.Of == k {
			parts = append(parts, effectWords(e)+b.stallFromTo(e))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("With %s%s, %s: %s.", k.Variant, b.inBrackets(k.Variant), k.Model, strings.Join(parts, "; "))
}

// effectNames are what the metrics of an option are called in a sentence.
var effectNames = map[grid.Metric]string{grid.TTFT: "TTFT", grid.TPOT: "TPOT", grid.E2E: "the whole answer", grid.Stall: "the stall of a stream beside"}

func effectWords(e *grid.Effect) string {
	name := effectNames[e.Metric]
	by := func(v float64) string { return change(v - 1) }
	switch e.Change {
	case grid.Same:
		return fmt.Sprintf("%s the same, %s%s%s", name, by(e.Overall.Value), within(e.Overall, by), extremes(e))
	case grid.Undecided:
		return fmt.Sprintf("%s %s%s, %s", name, by(e.Overall.Value), within(e.Overall, by), undecided(e))
	}
	return fmt.Sprintf("%s %s%s%s", name, by(e.Overall.Value), within(e.Overall, by), extremes(e))
}

// undecided says why a change is neither a gain nor a cost nor the same.
func undecided(e *grid.Effect) string {
	if e.Bordering() {
		return fmt.Sprintf("not clearly more than the %s %% that count as the same", budgets.Number(100*grid.SameWithin, 0))
	}
	return "which varies too much to tell"
}

// stallFromTo says of a stall how long it was with the longest prompt, before and
// after.
func (b *Bench) stallFromTo(e *grid.Effect) string {
	if e.Metric != grid.Stall {
		return ""
	}
	longest := e.Prompts[len(e.Prompts)-1]
	median := func(k grid.Key) string {
		row := b.grid.Row(k, e.Metric)
		at := slices.IndexFunc(row, func(c *grid.Cell) bool { return c.Prompt == longest })
		v, _ := row[at].Sample(e.Metric).Median()
		return budgets.Duration.Format(v)
	}
	return fmt.Sprintf(" (at %s tokens %s, before %s)", count(longest), median(e.Of), median(e.Beside))
}

// extremes says how far apart the lengths are, where they are by more than 1 %.
func extremes(e *grid.Effect) string {
	least, most := 0, 0
	for i := range e.Ratios {
		if e.Ratios[i].Value < e.Ratios[least].Value {
			least = i
		}
		if e.Ratios[i].Value > e.Ratios[most].Value {
			most = i
		}
	}
	from, to := min(least, most), max(least, most)
	if e.Ratios[most].Value-e.Ratios[least].Value <= grid.SameWithin {
		return ""
	}
	return fmt.Sprintf(", from %s at %s tokens to %s at %s", change(e.Ratios[from].Value-1), count(e.Prompts[from]), change(e.Ratios[to].Value-1), count(e.Prompts[to]))
}

// duelSentence says which of two models is faster, and by how much.
func duelSentence(e *grid.Effect) string {
	name := map[grid.Metric]string{grid.TTFT: "to the first token", grid.TPOT: "from token to token", grid.E2E: "with the whole answer"}[e.Metric]
	a, b, r := e.Of.Model, e.Beside.Model, e.Overall
	if r.Value < 1 { // less time: a is the faster one, so say it of a
		a, b = b, a
		r = grid.Estimate{Value: 1 / r.Value, Low: 1 / r.High, High: 1 / r.Low, Varies: r.Varies}
	}
	over := fmt.Sprintf("geometric mean over prompts of %s tokens", countList(e.Prompts))
	switch {
	case e.Bordering():
		return fmt.Sprintf("%s is %s as fast as %s %s%s, which is %s, %s.", b, times(r.Value), a, name, within(r, ratio), undecided(e), over)
	case e.Change == grid.Same:
		return fmt.Sprintf("%s and %s are equally fast %s, %s.", e.Of.Model, e.Beside.Model, name, over)
	case e.Change == grid.Undecided:
		return fmt.Sprintf("%s and %s vary too much to tell which is faster %s: %s%s, %s.", e.Of.Model, e.Beside.Model, name, times(r.Value), within(r, ratio), over)
	}
	return fmt.Sprintf("%s is %s as fast as %s %s%s, %s.", b, times(r.Value), a, name, within(r, ratio), over)
}

// within returns the interval of a figure in words, and nothing for an exact one or
// for an interval that the digits do not show.
func within(e grid.Estimate, format func(float64) string) string {
	low, high := format(e.Low), format(e.High)
	if !e.Varies || low == high {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %s to %s)", low, high)
}

// change returns a part of 1 as a change in percent.
func change(v float64) string {
	if math.IsInf(v, 0) {
		return "without bound"
	}
	percent := 100 * math.Abs(v)
	text := budgets.Number(percent, 1)
	switch {
	case text == "0.0":
		return "0 %"
	case percent >= 100:
		text = budgets.Number(percent, 0)
	}
	return signed(text, v) + " %"
}

func ratio(v float64) string { return budgets.Number(v, 2) }

func times(v float64) string { return ratio(v) + " times" }

// r2 cuts R2, so that 1 is said of nothing less.
func r2(v float64) string { return budgets.Number(math.Floor(v*1e4)/1e4, 4) }

func countList(values []int) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = count(v)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}
