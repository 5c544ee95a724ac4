package study

import (
	"fmt"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

// ofTranscript are those of how the words become final.
func ofTranscript(v *scenario.Voice) (all []lever) {
	if v.STTTimer > 0 {
		all = append(all, single("take the final that the transcriber marks", "ask for it at the detector's stop (Finalize, ForceEndpoint)",
			func(v *scenario.Voice) { v.STTTimer = 0 })...)
	}
	if v.STTFrom == voice.FromVADStop {
		all = append(all, single("transcribe while the detector waits", "takes a transcriber that streams",
			func(v *scenario.Voice) { v.STTFrom = voice.FromSpeech })...)
	}
	quick := faster("stt", v.STTTail, func(v *scenario.Voice, d scenario.Delay) { v.STTTail = d })
	return append(since(deciding, 0, all), since(writing, recognizers, quick)...)
}

// ofGuess are those of asking the model before the turn is committed: at the final text and
// at the detector's stop, of which the one that gains is kept, or not at all.
func ofGuess(v *scenario.Voice) (all []lever) {
	ask := func(from voice.GuessFrom, right float64, cost string) {
		all = append(all, lever{oneOf: "early", Change: budgets.Change{
			What: "ask the model before the commit, at " + wordsFrom(from), Cost: cost,
		}, apply: func(v *scenario.Voice) {
			g := voice.Guess{From: from, Right: right}
			if v.Guess != nil {
				g.TTS = v.Guess.TTS
			}
			v.Guess = &g
		}})
	}
	if g := v.Guess; g != nil {
		all = single("ask the model at the commit only", "replies wait for the commit", func(v *scenario.Voice) { v.Guess = nil })
		if g.From != voice.OnFinal {
			ask(voice.OnFinal, g.Right, "it begins later")
		}
		return since(asking, askedEarly(g), all)
	}
	cost := fmt.Sprintf("that %.0f %% of requests after the last word hold is assumed", 100*guessRight)
	if v.Hook.Mean() > 0 {
		// LiveKit's preemptive generation gives up what it asked when on_user_turn_completed
		// changes the prompt (livekit/agents#4219, read 2026-11-30).
		cost += "; the early request has nothing of what hook finds out: where hook makes part of the prompt, this gains nothing"
	}
	ask(voice.OnFinal, guessRight, cost)
	if v.Ending == nil || v.Ending.WaitsForStop() {
		ask(voice.OnStop, guessRight, cost)
	}
	return since(asking, models, all)
}

// askedEarly returns whose work early requests are, where they are made too early.
func askedEarly(g *voice.Guess) workers {
	if g.TTS {
		return models | voices
	}
	return models
}

// spentEarly says what a change to early requests has the model asked for nothing, as its run
// counted it; where no pause is known that is at the ends of turns alone.
func spentEarly(l *lever, a *budgets.Analysis) string {
	g, ok := a.Guesses()
	if l.oneOf != "early" || !ok || g.All == 0 {
		return ""
	}
	words := fmt.Sprintf("; a request for nothing in %s of turns, %s of all tokens", budgets.Share.Format(float64(g.Turns)/float64(g.Of)), budgets.Share.Format(float64(g.Wasted)/float64(g.All)))
	if c, ok := a.CutIns(); !ok || c.N == 0 {
		words += ", and more at pauses inside turns, which nobody knows here"
	}
	return words
}

// wordsFrom says at what the model is asked.
func wordsFrom(from voice.GuessFrom) string {
	return [...]string{voice.OnStop: "the detector's stop", voice.OnFinal: "the final text", voice.OnEarly: "a likely end"}[from]
}

// What an agent may do about being spoken into: take back what was sent ahead, or send less
// ahead (the most that cureFar of package diagnosis names), and believe an interruption after
// half a second of it, LiveKit's min_interruption_duration.
const (
	aheadAtMost = 400_000_000
	guarded     = 500_000_000
)

// ofBargeIn are those of the user speaking into a reply.
func ofBargeIn(v *scenario.Voice) (all []lever) {
	b := v.BargeIn
	if b == nil {
		return nil
	}
	change := func(p phase, work workers, what, cost string, set func(b *scenario.BargeIn)) {
		all = append(all, since(p, work, single(what, cost, func(v *scenario.Voice) {
			changed := *v.BargeIn
			set(&changed)
			v.BargeIn = &changed
		}))...)
	}
	const makers = models | voices // who stop when the agent notices
	if !b.Clear {
		change(playing, 0, "take back what was sent ahead when the user speaks", "", func(b *scenario.BargeIn) { b.Clear = true })
	}
	if b.Buffer.Mean() > aheadAtMost {
		change(playing, 0, fmt.Sprintf("send audio %s ahead at most", words(aheadAtMost)), "less to bridge a slow network with", func(b *scenario.BargeIn) { b.Buffer = constant(aheadAtMost) })
	}
	if b.Guard.Mean() > 0 {
		change(asking, makers, "take the first sound for an interruption", "a cough stops the reply", func(b *scenario.BargeIn) { b.Guard = constant(0) })
	}
	if b.False > 0 && b.Guard.Mean() < guarded {
		change(asking, makers, fmt.Sprintf("take %s of speech for an interruption", words(guarded)), "who interrupts is heard later", func(b *scenario.BargeIn) { b.Guard = constant(guarded) })
	}
	return all
}
