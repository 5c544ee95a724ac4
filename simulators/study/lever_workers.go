package study

import (
	"fmt"
	"math"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
)

// ofWorkers are those of what all calls share. Of each there may be enough with twice, four
// or eight times as many.
func ofWorkers(v *scenario.Voice, users int) (all []lever) {
	if n := enoughDetectors(v, users); n > v.VADWorkers {
		all = append(all, since(hearing, detectors, single(fmt.Sprintf("%d detectors in place of %d", n, v.VADWorkers), "processor cores",
			func(v *scenario.Voice) { v.VADWorkers = n }))...)
	}
	for _, times := range [3]int{2, 4, 8} {
		if n := times * v.STTWorkers; n > 0 {
			all = append(all, lever{oneOf: "recognizers", from: writing, work: recognizers, Change: budgets.Change{
				What: fmt.Sprintf("%d recognizers in place of %d", n, v.STTWorkers), Cost: fmt.Sprintf("%d times the machines", times),
			}, apply: func(v *scenario.Voice) { v.STTWorkers = n }})
		}
		if n := times * v.TTSWorkers; n > 0 {
			all = append(all, lever{oneOf: "voices", from: speaking, work: voices, Change: budgets.Change{
				What: fmt.Sprintf("%d voices at a time in place of %d", n, v.TTSWorkers), Cost: fmt.Sprintf("%d times the machines, or the vendor's limit", times),
			}, apply: func(v *scenario.Voice) { v.TTSWorkers = n }})
		}
		all = append(all, ofReplicas(v, times)...)
	}
	return all
}

// ofReplicas are those of how many answers the model makes at a time: a larger batch where
// the scenario limits it, and more replicas.
func ofReplicas(v *scenario.Voice, times int) (all []lever) {
	e := v.LLM.Engine
	if e == nil {
		return nil
	}
	if n := times * max(1, e.Replicas); len(e.Failures) == 0 {
		more := *e
		more.Replicas = n
		if _, err := (scenario.LLM{Engine: &more}).Service(0); err == nil {
			all = append(all, lever{oneOf: "replicas", from: asking, work: models, Change: budgets.Change{
				What: fmt.Sprintf("%d replicas of the model in place of %d", n, max(1, e.Replicas)), Cost: fmt.Sprintf("%d times the machines", times),
			}, apply: withEngine(func(e *scenario.Engine) {
				if e.Replicas <= 1 {
					e.HealthDelay = scenario.UsualHealthDelay
				}
				e.Replicas = n
			})})
		}
	}
	if n := times * e.MaxSequences; n > 0 {
		more := *e
		more.MaxSequences = n
		if _, err := (scenario.LLM{Engine: &more}).Service(0); err == nil {
			all = append(all, lever{oneOf: "batch", from: asking, work: models, Change: budgets.Change{
				What: fmt.Sprintf("%d answers at a time in place of %d", n, e.MaxSequences), Cost: "room in the KV cache, and a slower pace of each",
			}, apply: withEngine(func(e *scenario.Engine) { e.MaxSequences = n })})
		}
	}
	return all
}

// enoughDetectors returns how many detectors keep up with all users, or in open load, in
// which any number of calls may be on the line, twice as many; 0 where they do not matter.
func enoughDetectors(v *scenario.Voice, users int) int {
	switch {
	case v.VADWorkers == 0 || v.VADFrame == 0:
		return 0
	case users == 0:
		return 2 * v.VADWorkers
	}
	return int(math.Ceil(float64(users) * v.VADCompute.Mean().Seconds() / v.VADFrame.Seconds()))
}
