package study

import (
	"fmt"
	"math"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
)

// lever is a change of a voice scenario's settings. apply changes a copy: what the scenario
// points to is replaced, never written to.
type lever struct {
	budgets.Change
	apply func(v *scenario.Voice)
}

// What levers set. Those without a source are assumed, and their words say what they are.
const (
	shortStop    = 200 * time.Millisecond // Pipecat's VADParams.stop_secs; see package ending
	slowEnd      = 100 * time.Millisecond // a wait for the end of a turn that a turn model may be quicker than
	trimmed      = 20 * time.Millisecond  // silence that is left before the first sound
	nearTrip     = 20 * time.Millisecond  // to a model in the same region and back: the default of a scenario
	nearWay      = 40 * time.Millisecond  // from a caller in the same region, one way: the default of a scenario
	guessRight   = .9                     // share of early requests that hold
	worthAChange = .9                     // a component that takes more than this share of another's time is no better
)

// leversOf returns the changes that a scenario's settings leave room for.
func leversOf(s *scenario.Scenario) (all []lever) {
	v := s.Voice
	for _, of := range [][]lever{ofNetwork(v), ofSound(v)} {
		all = append(all, of...)
	}
	if v.Direct != nil {
		return append(ofDirect(v), all...)
	}
	return append(append(append(ofEnding(v), ofModel(v, s.Arrivals.Users)...), ofVoice(v)...), all...)
}

// words returns a delay for a reader.
func words(d time.Duration) string { return budgets.Duration.Format(float64(d)) }

func constant(d time.Duration) scenario.Delay { return scenario.Delay{Dist: dist.Constant(d)} }

const endsSooner = "it ends turns sooner: see the cut-in rate"

// ofEnding are those of how the end of a turn is found.
func ofEnding(v *scenario.Voice) (all []lever) {
	detects := v.Ending == nil || v.Ending.WaitsForStop()
	if detects && v.VADSilence.Mean() > shortStop {
		all = append(all, lever{budgets.Change{
			What: fmt.Sprintf("stop the detector after %s of silence", words(shortStop)), Key: "vad_silence: " + shortStop.String(), Cost: endsSooner, Bolder: true,
		}, func(v *scenario.Voice) { v.VADSilence = constant(shortStop) }})
	}
	if waitsBlindly(v) {
		const name = "model-0-or-3000-after-vad"
		all = append(all, lever{budgets.Change{
			What: "a turn model in place of a wait", Key: fmt.Sprintf("ending: {preset: %s}, vad_silence: %s", name, shortStop.String()),
			Cost: "a model to run beside the detector; where it is not sure the turn ends after 3 s", Bolder: true,
		}, func(v *scenario.Voice) { endWith(v, name) }})
	}
	if f, ok := fixedOf(v); ok && f.From == ending.FromVADStop && f.Wait > 0 {
		f.From = ending.FromSpeech
		all = append(all, lever{budgets.Change{
			What: "count the wait from the end of speech", Key: "ending: {fixed: ..., from: speech}", Cost: endsSooner, Bolder: true,
		}, func(v *scenario.Voice) {
			v.Ending = &scenario.Ending{Policy: f, Scores: v.Ending.Scores, Kinds: v.Ending.Kinds}
		}})
	}
	return append(all, ofTranscript(v)...)
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

func fixedOf(v *scenario.Voice) (f ending.Fixed, ok bool) {
	if v.Ending != nil {
		f, ok = v.Ending.Policy.(ending.Fixed)
	}
	return f, ok
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

// ofTranscript are those of the words, and of asking the model before they are final.
func ofTranscript(v *scenario.Voice) (all []lever) {
	if v.STTTimer > 0 {
		all = append(all, lever{budgets.Change{
			What: "take the final that the transcriber marks", Key: "stt_timer: 0s", Cost: "ask for it at the detector's stop (Finalize, ForceEndpoint)",
		}, func(v *scenario.Voice) { v.STTTimer = 0 }})
	}
	if v.STTFrom == voice.FromVADStop {
		all = append(all, lever{budgets.Change{
			What: "transcribe while the detector waits", Key: "stt_from: speech", Cost: "takes a transcriber that streams",
		}, func(v *scenario.Voice) { v.STTFrom = voice.FromSpeech }})
	}
	if v.Guess == nil {
		from := voice.OnFinal
		if v.Ending == nil || v.Ending.WaitsForStop() {
			from = voice.OnStop
		}
		all = append(all, lever{budgets.Change{
			What: "ask the model before the commit", Key: fmt.Sprintf("guess: {from: %s, right: %.0f%%}", from, 100*guessRight),
			Cost: fmt.Sprintf("a request for nothing in %.0f %% of turns, which is assumed", 100*(1-guessRight)),
		}, func(v *scenario.Voice) { v.Guess = &voice.Guess{From: from, Right: guessRight} }})
	}
	return append(all, faster("stt", "stt_tail", v.STTTail, func(v *scenario.Voice, d scenario.Delay) { v.STTTail = d })...)
}

// ofModel are those of the language model, and of the detectors' room beside it.
func ofModel(v *scenario.Voice, users int) (all []lever) {
	if n := enoughDetectors(v, users); n > v.VADWorkers {
		all = append(all, lever{budgets.Change{
			What: fmt.Sprintf("%d detectors in place of %d", n, v.VADWorkers), Key: fmt.Sprintf("vad_workers: %d", n), Cost: "processor cores",
		}, func(v *scenario.Voice) { v.VADWorkers = n }})
	}
	if v.ReasoningTokens > 0 {
		all = append(all, lever{budgets.Change{
			What: "no reasoning before the answer", Key: "reasoning_tokens: 0", Cost: "answers may be worse",
		}, func(v *scenario.Voice) { v.ReasoningTokens = 0 }})
	}
	if e := v.LLM.Engine; e != nil && !caches(e) {
		on := *e
		yes := true
		on.PrefixCache = &yes
		if caches(&on) {
			all = append(all, lever{budgets.Change{
				What: "keep prompts in the engine's prefix cache", Key: "prefix_cache: true", Cost: "room in the KV cache",
			}, func(v *scenario.Voice) { v.LLM.Engine = &on }})
		}
	}
	if c := v.Context; c != nil && (c.TimeStamp > 0 || c.ToolOrder > 0 || c.Rewrite > 0) {
		kept := *c
		kept.TimeStamp, kept.ToolOrder, kept.Rewrite = 0, 0, 0
		all = append(all, lever{budgets.Change{
			What: "keep the beginning of prompts the same", Key: "context: {time_stamp: 0%, tool_order: 0%, rewrite: 0%}",
		}, func(v *scenario.Voice) { v.Context = &kept }})
	}
	if v.LLMConnect != nil {
		all = append(all, lever{budgets.Change{What: "keep the connection to the model open", Key: "llm_connect: left out"}, func(v *scenario.Voice) { v.LLMConnect = nil }})
	}
	if v.Filler != nil {
		all = append(all, lever{budgets.Change{
			What: "no filler before the answer", Key: "filler: left out", Cost: "the first sound comes with the answer",
		}, func(v *scenario.Voice) { v.Filler = nil }})
	}
	return append(all, faster("llm", "llm", v.LLM.TTFT, func(v *scenario.Voice, d scenario.Delay) { v.LLM.TTFT = d })...)
}

// caches reports whether an engine keeps prompts that begin alike.
func caches(e *scenario.Engine) bool {
	r, err := e.Replica()
	return err == nil && (r.Config().PrefixCache || r.Config().SlotCache)
}

// enoughDetectors returns how many detectors keep up with all users; 0 where they do not
// matter.
func enoughDetectors(v *scenario.Voice, users int) int {
	if v.VADWorkers == 0 || v.VADFrame == 0 {
		return 0
	}
	return int(math.Ceil(float64(users) * v.VADCompute.Mean().Seconds() / v.VADFrame.Seconds()))
}

// ofVoice are those of text on its way to the voice, and of the voice.
func ofVoice(v *scenario.Voice) (all []lever) {
	if v.Gather.By == gather.Sentence {
		all = append(all, lever{budgets.Change{
			What: "hand over the first clause", Key: "gather: {by: clause}", Cost: "the voice speaks a clause without knowing how the sentence goes on",
		}, func(v *scenario.Voice) { v.Gather = gather.Rule{By: gather.Clause} }})
	}
	if v.Gather.LookAhead {
		all = append(all, lever{budgets.Change{
			What: "hand over at the end mark", Key: "gather: {look_ahead: false}", Cost: "\"3.\" may go on as \"3.5\"",
		}, func(v *scenario.Voice) { v.Gather.LookAhead = false }})
	}
	if v.TTSHolds > 0 {
		all = append(all, lever{budgets.Change{
			What: "have the voice begin with the first piece", Key: "tts_holds: 0", Cost: "flush, or a mode of the vendor's; prosody may suffer",
		}, func(v *scenario.Voice) { v.TTSHolds = 0 }})
	}
	if v.TTSConnect != nil {
		all = append(all, lever{budgets.Change{What: "keep the connection to the voice open", Key: "tts_connect: left out"}, func(v *scenario.Voice) { v.TTSConnect = nil }})
	}
	if n := 2 * v.TTSWorkers; n > 0 {
		all = append(all, lever{budgets.Change{
			What: fmt.Sprintf("%d voices at a time in place of %d", n, v.TTSWorkers), Key: fmt.Sprintf("tts_workers: %d", n), Cost: "twice the machines, or the vendor's limit",
		}, func(v *scenario.Voice) { v.TTSWorkers = n }})
	}
	return append(all, faster("tts", "tts_first_audio", v.TTSFirstAudio, func(v *scenario.Voice, d scenario.Delay) { v.TTSFirstAudio = d })...)
}

// ofSound are those of the audio on its way out.
func ofSound(v *scenario.Voice) (all []lever) {
	if v.LeadingSilence.Mean() > trimmed {
		all = append(all, lever{budgets.Change{
			What: fmt.Sprintf("trim the leading silence to %s", words(trimmed)), Key: "leading_silence: " + trimmed.String(),
		}, func(v *scenario.Voice) { v.LeadingSilence = constant(trimmed) }})
	}
	if v.PostWait.Mean() > 0 {
		all = append(all, lever{budgets.Change{
			What: "speak as soon as there is audio", Key: "post_wait: 0s", Cost: "who goes on speaking is spoken into", Bolder: true,
		}, func(v *scenario.Voice) { v.PostWait = constant(0) }})
	}
	return all
}

// ofNetwork is that of a nearer region.
func ofNetwork(v *scenario.Voice) []lever {
	var keys []string
	far := func(key string, d scenario.Delay, near time.Duration) bool {
		if d.Mean() <= near {
			return false
		}
		keys = append(keys, key+": "+near.String())
		return true
	}
	uplink, trip, playout := far("uplink", v.Uplink, nearWay), v.Direct == nil && far("llm_round_trip", v.LLMRoundTrip, nearTrip), far("playout", v.Playout, nearWay)
	if len(keys) == 0 {
		return nil
	}
	return []lever{{budgets.Change{
		What: "a nearer region", Key: strings.Join(keys, ", "), Cost: "services and callers' media in one region; what a telephone leg adds stays",
	}, func(v *scenario.Voice) {
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
	return []lever{{budgets.Change{
		What: fmt.Sprintf("end the turn after %s of silence", words(shortStop)), Key: "speech_to_speech: {silence: " + shortStop.String() + "}", Cost: endsSooner, Bolder: true,
	}, func(v *scenario.Voice) {
		d := *v.Direct
		d.Silence = constant(shortStop)
		v.Direct = &d
	}}}
}

// faster is the quickest hosted component in place of another: by the same source, which
// measured both with one clock.
func faster(kind, key string, now scenario.Delay, set func(*scenario.Voice, scenario.Delay)) []lever {
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
	return []lever{{budgets.Change{
		What: fmt.Sprintf("%s in place of %s", best.Name, old.Name), Key: fmt.Sprintf("%s: {component: %s}", key, best.Slug),
		Cost: "another price and another quality: compare both; figures of " + firstOf(best.Source, " "),
	}, func(v *scenario.Voice) { set(v, d) }}}
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
