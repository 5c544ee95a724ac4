package study

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice/ending"
)

const endsSooner = "it ends turns sooner: see the cut-in rate"

// ofEnding are those of how the end of a turn is found.
func ofEnding(v *scenario.Voice) (all []lever) {
	detects := v.Ending == nil || v.Ending.WaitsForStop()
	if detects && v.VADSilence.Mean() > shortStop {
		all = append(all, bold(single(fmt.Sprintf("stop the detector after %s of silence", words(shortStop)), endsSooner,
			func(v *scenario.Voice) { v.VADSilence = constant(shortStop) }))...)
	}
	if waitsBlindly(v) {
		const name = "model-0-or-3000-after-vad"
		all = append(all, bold(single("a turn model in place of a wait",
			"a model to run beside the detector; where it is not sure the turn ends after 3 s", func(v *scenario.Voice) { endWith(v, name) }))...)
	}
	if v.PolicyWait.Mean() > 0 {
		all = append(all, bold(single("no wait of the agent's own after the decision", endsSooner, func(v *scenario.Voice) { v.PolicyWait = constant(0) }))...)
	}
	all = append(all, fromSpeech(v)...)
	if v.Ending != nil {
		all = append(all, ofPolicy(v.Ending)...)
	}
	if v.Guess == nil {
		return since(deciding, 0, all)
	}
	return since(deciding, askedEarly(v.Guess), all) // at each pause that is taken for the end of the turn
}

// waitsBlindly reports whether the end of a turn is a wait that looks at nothing.
func waitsBlindly(v *scenario.Voice) bool {
	if v.Ending == nil {
		return v.EndOfTurn.Mean() > slowEnd
	}
	switch p := v.Ending.Policy.(type) {
	case ending.Fixed, ending.Rules:
		return true
	case ending.Endpointing:
		return p.Threshold == 0 && p.Silence+p.Wait > shortStop
	}
	return false
}

// fromSpeech has waits that add up to the detector's count from the end of speech.
func fromSpeech(v *scenario.Voice) []lever {
	const what = "count every wait from the end of speech"
	if v.Ending == nil {
		if v.EndOfTurn.Mean() <= slowEnd || v.VADSilence.Mean() == 0 {
			return nil
		}
		longer := v.VADSilence
		if v.EndOfTurn.Mean() > longer.Mean() {
			longer = v.EndOfTurn
		}
		return bold(single(what, endsSooner,
			func(v *scenario.Voice) { v.VADSilence, v.EndOfTurn, v.STTFrom = longer, constant(0), 0 }))
	}
	if countingFromSpeech(v.Ending.Policy) == v.Ending.Policy {
		return nil
	}
	return bold(single(what, endsSooner, withPolicy(countingFromSpeech)))
}

// countingFromSpeech returns a policy whose waits count from the end of speech, where they may.
func countingFromSpeech(p ending.Policy) ending.Policy {
	switch x := p.(type) {
	case ending.Fixed:
		if x.Wait > 0 {
			x.From = ending.FromSpeech
		}
		return x
	case ending.Rules:
		x.From = ending.FromSpeech
		return x
	case ending.TurnModel:
		x.From = ending.FromSpeech
		return x
	}
	return p
}

// withPolicy has the policy changed that ends turns, on the turns that users say already. Where
// there is none any more, since another lever has put a preset or nothing in its place, or it
// has no such setting, it stays.
func withPolicy(change func(ending.Policy) ending.Policy) func(v *scenario.Voice) {
	return func(v *scenario.Voice) {
		if e := v.Ending; e != nil {
			v.Ending = &scenario.Ending{Policy: change(e.Policy), Scores: e.Scores, Kinds: e.Kinds}
		}
	}
}

// setting changes one of a policy's settings; one that it does not have, or that does not go
// with the others, stays.
func setting(name string, value float64) func(ending.Policy) ending.Policy {
	return func(p ending.Policy) ending.Policy {
		with, err := p.With(name, value)
		if err != nil || with.Validate() != nil {
			return p
		}
		return with
	}
}

// Waits and thresholds that are tried, the most cautious first. They are assumed: values that
// lie so far apart that a listener tells them from each other.
var (
	shorterWaits = []float64{3000, 2500, 2000, 1500, 1000, 700, 500, 300}
	longerWaits  = []float64{500, 600, 700, 800, 1000, 1200, 1500, 2000, 3000}
	thresholds   = []float64{.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95}
)

// ofPolicy are those of a policy's own settings: the longest wait, which is for turns that it
// is not sure of, shorter; its threshold lower and higher; and its waits longer, which lets
// users pause.
func ofPolicy(e *scenario.Ending) (all []lever) {
	_, fixed := e.Policy.(ending.Fixed)
	for _, s := range e.Policy.Settings() {
		try := func(what string, values []float64, bolder bool) {
			for _, value := range values {
				p, err := e.Policy.With(s.Name, value)
				if err != nil || p.Validate() != nil {
					continue
				}
				set := ending.Setting{Name: s.Name, Value: value, Unit: s.Unit}
				cost := endsSooner
				if !bolder {
					cost = "replies come later, and users may pause for longer"
				}
				all = append(all, lever{oneOf: what, Change: budgets.Change{
					What: fmt.Sprintf("%s: %s in place of %s", what, valueOf(set), valueOf(s)), Cost: cost, Bolder: bolder,
				}, apply: withPolicy(setting(s.Name, value))})
			}
		}
		switch s.Name {
		case "max", "timeout", "unsure":
			try("a shorter longest wait", below(shorterWaits, s.Value), true)
		case "threshold":
			if s.Value > 0 {
				try("a lower threshold", below(reversed(thresholds), s.Value), true)
				try("a higher threshold", above(thresholds, s.Value), false)
			}
		case "wait", "silence", "neither":
			try("a longer wait", above(longerWaits, s.Value), false)
			if agents := s.Name == "wait" && !fixed; agents && s.Value > 0 {
				try("no wait of the agent's own after the provider's word", []float64{0}, true)
			}
		}
	}
	return all
}

func valueOf(s ending.Setting) string {
	if s.Unit != "" {
		return words(time.Duration(s.Value * float64(time.Millisecond)))
	}
	return fmt.Sprintf("%g", s.Value)
}

// below and above keep the values on that side of one.
func below(values []float64, of float64) (some []float64) {
	for _, v := range values {
		if v < of {
			some = append(some, v)
		}
	}
	return some
}

func above(values []float64, of float64) (some []float64) {
	for _, v := range values {
		if v > of {
			some = append(some, v)
		}
	}
	return some
}

func reversed(values []float64) []float64 {
	all := make([]float64, 0, len(values))
	for i := range values {
		all = append(all, values[len(values)-1-i])
	}
	return all
}

// endWith has a preset end turns, on the turns that users say already.
func endWith(v *scenario.Voice, name string) {
	p, err := ending.Find(name)
	if err != nil {
		panic(fmt.Sprintf("study: %s", err))
	}
	e := &scenario.Ending{Preset: name, Policy: p.Policy, Scores: p.Scores.Slug()}
	if v.Ending != nil {
		e.Kinds = v.Ending.Kinds
	}
	v.Ending, v.VADSilence, v.EndOfTurn = e, scenario.Delay{Dist: p.Stop}, scenario.Delay{Dist: dist.Constant(0)}
}
