package study

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/diagnosis"
	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice/gather"
)

// lever is a change of a voice scenario's settings. apply changes a copy: what the scenario
// points to is replaced, never written to. Beside other levers it changes what those left. What
// a file says then, its Key, follows from what it has changed, so that it can promise nothing
// else.
type lever struct {
	budgets.Change
	apply func(v *scenario.Voice)
	// oneOf names levers of which one is shown, or two: values of a setting, the most cautious
	// first.
	oneOf string
	from  phase   // of what it changes the first
	work  workers // whose work it changes, or of whom it makes more
}

// single returns levers that are each shown.
func single(what, cost string, apply func(v *scenario.Voice)) []lever {
	return []lever{{Change: budgets.Change{What: what, Cost: cost}, apply: apply}}
}

// bold returns it as one that ends turns sooner.
func bold(all []lever) []lever {
	for i := range all {
		all[i].Bolder = true
	}
	return all
}

// What levers set. Those without a source are assumed, and their words say what they are.
const (
	shortStop    = 200 * time.Millisecond // Pipecat's VADParams.stop_secs; see package ending
	slowEnd      = 100 * time.Millisecond // a wait for the end of a turn that a turn model may be quicker than
	trimmed      = 20 * time.Millisecond  // silence that is left before the first sound
	nearTrip     = diagnosis.NearTrip
	nearWay      = diagnosis.NearWay
	guessRight   = .9 // share of early requests that hold
	worthAChange = .9 // a component that takes more than this share of another's time is no better
)

// leversOf returns the changes that a scenario's settings leave room for: what cures each
// known failure of package diagnosis that a setting cures, and what makes replies sooner.
func leversOf(s *scenario.Scenario) (all []lever) {
	v := s.Voice
	all = append(ofNetwork(v), since(playing, 0, ofSound(v))...)
	all = append(all, ofBargeIn(v)...)
	if v.Direct != nil {
		return append(since(deciding, 0, ofDirect(v)), all...)
	}
	all = append(all, ofEnding(v)...)
	all = append(all, ofTranscript(v)...)
	all = append(all, ofGuess(v)...)
	all = append(all, ofModel(v)...)
	all = append(all, ofVoice(v)...)
	return append(all, ofWorkers(v, s.Arrivals.Users)...)
}

// words returns a delay for a reader.
func words(d time.Duration) string { return budgets.Duration.Format(float64(d)) }

func constant(d time.Duration) scenario.Delay { return scenario.Delay{Dist: dist.Constant(d)} }

// ofModel are those of the language model.
func ofModel(v *scenario.Voice) (all []lever) {
	if v.ReasoningTokens > 0 {
		all = append(all, lever{Change: budgets.Change{
			What: "no reasoning before the answer", Cost: "answers may be worse",
		}, apply: func(v *scenario.Voice) { v.ReasoningTokens = 0 }})
	}
	if e := v.LLM.Engine; e != nil && !caches(e) {
		on := *e
		yes := true
		on.PrefixCache = &yes
		if caches(&on) {
			all = append(all, lever{Change: budgets.Change{
				What: "keep prompts in the engine's prefix cache", Cost: "room in the KV cache",
			}, apply: withEngine(func(e *scenario.Engine) { e.PrefixCache = &yes })})
		}
	}
	if e := v.LLM.Engine; e != nil && caches(e) && e.PrefixTTL > 0 {
		all = append(all, lever{Change: budgets.Change{
			What: "keep prompts in the cache until their room is needed", Cost: "room in the KV cache",
		}, apply: withEngine(func(e *scenario.Engine) { e.PrefixTTL = 0 })})
	}
	if c := v.Context; c != nil && (c.TimeStamp > 0 || c.ToolOrder > 0 || c.Rewrite > 0) {
		kept := *c
		kept.TimeStamp, kept.ToolOrder, kept.Rewrite = 0, 0, 0
		all = append(all, lever{Change: budgets.Change{
			What: "keep the beginning of prompts the same",
		}, apply: func(v *scenario.Voice) { v.Context = &kept }})
	}
	all = since(asking, models, all)
	if v.LLMConnect != nil {
		all = append(all, since(asking, 0, single("keep the connection to the model open", "", func(v *scenario.Voice) { v.LLMConnect = nil }))...)
	}
	if v.Filler != nil {
		all = append(all, since(speaking, voices, single("no filler before the answer", "the first sound comes with the answer",
			func(v *scenario.Voice) { v.Filler = nil }))...)
	}
	return append(all, since(asking, models, faster("llm", v.LLM.TTFT, func(v *scenario.Voice, d scenario.Delay) { v.LLM.TTFT = d }))...)
}

// withEngine changes settings of the engine that serves the model.
func withEngine(set func(e *scenario.Engine)) func(v *scenario.Voice) {
	return func(v *scenario.Voice) {
		changed := *v.LLM.Engine
		set(&changed)
		v.LLM.Engine = &changed
	}
}

// caches reports whether an engine keeps prompts that begin alike.
func caches(e *scenario.Engine) bool {
	r, err := e.Replica()
	return err == nil && (r.Config().PrefixCache || r.Config().SlotCache)
}

// ofVoice are those of text on its way to the voice, and of the voice.
func ofVoice(v *scenario.Voice) (all []lever) {
	if v.Gather.By == gather.Sentence {
		all = append(all, lever{Change: budgets.Change{
			What: "hand over the first clause", Cost: "the voice speaks a clause without knowing how the sentence goes on",
		}, apply: func(v *scenario.Voice) { v.Gather = gather.Rule{By: gather.Clause} }})
	}
	if v.Gather.LookAhead {
		all = append(all, lever{Change: budgets.Change{
			What: "hand over at the end mark", Cost: "\"3.\" may go on as \"3.5\"",
		}, apply: func(v *scenario.Voice) { v.Gather.LookAhead = false }})
	}
	if v.TTSHolds > 0 {
		all = append(all, lever{Change: budgets.Change{
			What: "have the voice begin with the first piece", Cost: "flush, or a mode of the vendor's; prosody may suffer",
		}, apply: func(v *scenario.Voice) { v.TTSHolds = 0 }})
	}
	if v.TTSConnect != nil {
		all = append(all, lever{Change: budgets.Change{What: "keep the connection to the voice open"}, apply: func(v *scenario.Voice) { v.TTSConnect = nil }})
	}
	quick := faster("tts", v.TTSFirstAudio, func(v *scenario.Voice, d scenario.Delay) { v.TTSFirstAudio = d })
	return append(since(speaking, 0, all), since(speaking, voices, quick)...)
}

// ofSound are those of the audio on its way out.
func ofSound(v *scenario.Voice) (all []lever) {
	if v.LeadingSilence.Mean() > trimmed {
		all = append(all, lever{Change: budgets.Change{
			What: fmt.Sprintf("trim the leading silence to %s", words(trimmed)),
		}, apply: func(v *scenario.Voice) { v.LeadingSilence = constant(trimmed) }})
	}
	if v.PostWait.Mean() > 0 {
		all = append(all, lever{Change: budgets.Change{
			What: "speak as soon as there is audio", Cost: "who goes on speaking is spoken into", Bolder: true,
		}, apply: func(v *scenario.Voice) { v.PostWait = constant(0) }})
	}
	return all
}

// ofNetwork is that of a nearer region. The figures of a transport's profile are of one region:
// what they take is the kind of way, and no other region brings it back.
func ofNetwork(v *scenario.Voice) []lever {
	far := func(key string, d scenario.Delay, near time.Duration) bool {
		return d.Mean() > near && v.FilledIn(key) == ""
	}
	uplink, trip, playout := far("uplink", v.Uplink, nearWay), v.Direct == nil && far("llm_round_trip", v.LLMRoundTrip, nearTrip), far("playout", v.Playout, nearWay)
	if !uplink && !trip && !playout {
		return nil
	}
	l := lever{from: playing}
	if trip {
		l.from, l.work = asking, wayToModel
	}
	if uplink {
		l.from = hearing
	}
	return []lever{{from: l.from, work: l.work, Change: budgets.Change{
		What: "a nearer region", Cost: "services and callers' media in one region; what a telephone leg adds stays",
	}, apply: func(v *scenario.Voice) {
		if uplink {
			v.Uplink = constant(nearWay)
		}
		if trip {
			v.LLMRoundTrip = constant(nearTrip)
		}
		if playout {
			v.Playout = constant(nearWay)
		}
	}}}
}

// ofDirect are those of a model that hears and speaks.
func ofDirect(v *scenario.Voice) []lever {
	if v.Direct.Silence.Mean() <= shortStop {
		return nil
	}
	return []lever{{Change: budgets.Change{
		What: fmt.Sprintf("end the turn after %s of silence", words(shortStop)), Cost: endsSooner, Bolder: true,
	}, apply: func(v *scenario.Voice) {
		d := *v.Direct
		d.Silence = constant(shortStop)
		v.Direct = &d
	}}}
}

// faster is the quickest hosted component in place of another: by the same source, which
// measured both with one clock.
func faster(kind string, now scenario.Delay, set func(*scenario.Voice, scenario.Delay)) []lever {
	if now.Component == "" {
		return nil
	}
	old, err := catalog.FindComponent(now.Component)
	if err != nil || old.Kind != kind {
		return nil
	}
	best, found := old, false
	for _, c := range catalog.AllComponents() {
		if comparable(&old, &c) && float64(c.P50) < worthAChange*float64(old.P50) && c.P50 < best.P50 {
			best, found = c, true
		}
	}
	if !found {
		return nil
	}
	d := scenario.Delay{Dist: dist.Constant(best.P50), Component: best.Slug, NoSpread: true}
	if best.SpreadKnown() {
		fit, err := dist.FromQuantiles(best.P50, best.P95)
		if err != nil {
			return nil
		}
		d.Dist, d.NoSpread = fit, false
	}
	return []lever{{Change: budgets.Change{
		What: fmt.Sprintf("%s in place of %s", best.Name, old.Name),
		Cost: "another price and another quality: compare both; figures of " + firstOf(best.Source, " "),
	}, apply: func(v *scenario.Voice) { set(v, d) }}}
}

// comparable reports whether two components were measured alike, and whether the second can
// be rented.
func comparable(old, c *catalog.Component) bool {
	own := strings.Contains(c.Condition+c.Name, "local") || strings.Contains(c.Name, "self-hosted") || strings.Contains(c.Condition, "not real time")
	return c.Kind == old.Kind && c.Source == old.Source && c.Statistic == catalog.Median && c.P50 != pipeline.Unknown && !own &&
		firstOf(c.Condition, ";") == firstOf(old.Condition, ";") && (c.SpreadKnown() || !old.SpreadKnown()) && !c.WholeTurn()
}

// firstOf returns a text up to a sign.
func firstOf(text, sign string) string {
	first, _, _ := strings.Cut(text, sign)
	return first
}
