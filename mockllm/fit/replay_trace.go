package fit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Choice says which requests of a run of several models or variants are meant. Empty
// fields mean the only one there is.
type Choice struct{ Model, Variant string }

// LeftOut counts the requests of a run that a replay cannot use.
type LeftOut struct {
	Others  int // of another model or variant, or with a stream beside
	NotOK   int // that did not end as they should
	Cached  int // that found tokens of their prompt in the cache
	Unknown int // without an instant or a token count
}

// Total returns all of them.
func (l LeftOut) Total() int { return l.Others + l.NotOK + l.Cached + l.Unknown }

// TimedOf returns the requests of a run of ours in the order in which they were sent.
// They count from when they were sent, and what the network and the server's front
// end take is in their times to first token. Those that cannot be used are counted;
// it is an error when none can.
func TimedOf(run trace.Run, choice Choice) ([]Timed, LeftOut, error) {
	if err := choice.check(run); err != nil {
		return nil, LeftOut{}, err
	}
	var out []Timed
	var left LeftOut
	for i := range run.Traces {
		t := &run.Traces[i]
		for _, r := range t.Requests {
			if count := choice.unfit(t, r, &left); count != nil {
				*count++
				continue
			}
			out = append(out, Timed{Arrival: r.Sent, Queued: pipeline.Unknown, First: r.FirstOutput, Last: r.LastOutput, Prompt: r.PromptTokens, Output: r.OutputTokens})
		}
	}
	if len(out) == 0 {
		return nil, left, fmt.Errorf("no request can be used: %d of other models or variants, %d not ok, %d with a cached prompt, %d without an instant or a token count",
			left.Others, left.NotOK, left.Cached, left.Unknown)
	}
	slices.SortStableFunc(out, func(a, b Timed) int { return cmp.Compare(a.Arrival, b.Arrival) })
	begin := out[0].Arrival
	for i := range out {
		out[i].Line = i + 1
		out[i].Arrival, out[i].First, out[i].Last = out[i].Arrival-begin, out[i].First-begin, out[i].Last-begin
	}
	return out, left, nil
}

// check reports a choice that has to be made, or that there is not.
func (c Choice) check(run trace.Run) error {
	one := func(what, flag, fact, chosen string) error {
		var names []string
		for i := range run.Traces {
			if v := run.Traces[i].Fact(fact); v != "" {
				names = append(names, v)
			}
		}
		names = distinct(names)
		switch {
		case chosen == "" && len(names) > 1:
			return fmt.Errorf("the run has %d %s: choose with %s among %s", len(names), what, flag, strings.Join(names, ", "))
		case chosen != "" && !slices.Contains(names, chosen):
			return fmt.Errorf("the run has no %s %q: it has %s", strings.TrimSuffix(what, "s"), chosen, cmp.Or(strings.Join(names, ", "), "none by name"))
		}
		return nil
	}
	return errors.Join(one("models", "--served", pipeline.FactModel, c.Model), one("variants", "--variant", pipeline.FactVariant, c.Variant))
}

// unfit returns the count that a request belongs to which cannot be used, or nil.
func (c Choice) unfit(t *pipeline.Trace, r pipeline.Request, left *LeftOut) *int {
	other := c.Model != "" && t.Fact(pipeline.FactModel) != c.Model || c.Variant != "" && t.Fact(pipeline.FactVariant) != c.Variant
	switch {
	case other || t.Fact(pipeline.FactBeside) != "":
		return &left.Others
	case r.Outcome != pipeline.OK:
		return &left.NotOK
	case r.CachedTokens > 0:
		return &left.Cached
	case slices.Contains([]time.Duration{r.Sent, r.FirstOutput, r.LastOutput}, pipeline.Unknown),
		min(r.PromptTokens, r.OutputTokens) < 1, r.FirstOutput <= r.Sent, r.LastOutput <= r.FirstOutput && r.OutputTokens > 1:
		return &left.Unknown
	}
	return nil
}
