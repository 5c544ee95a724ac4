package budgets

import (
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// voiceMetrics are those of voice turns, beside the reply and the stages.
var voiceMetrics = []Metric{
	firstToken,
	latency("filler", "first audible sample of a filler heard - end of the user's speech (mark filler_heard - due)", "turns with a filler",
		func(t *pipeline.Trace) (float64, standing) { return ifMarked(t, pipeline.MarkFillerHeard) }),
	latency("first_sound", "first audible sample of a filler or of the answer heard, whichever comes first - end of the user's speech", "turns", toFirstSound),
	tally("barge_in_stop", Duration, "silence at the ear - the user's first sound into the reply (mark silence - mark barge_in)", "replies that were stopped", toStop),
	tally("false_stop_share", Share, "replies that were stopped by what was no interruption / replies that were stopped or spoken into", "replies that were spoken into",
		ofFact(pipeline.FactBargeIn, "false stop")),
	tally(CutInShare, Share, "turns into a pause of which the agent would have spoken, or a real one did / turns", "turns whose pauses are known, or that a real agent heard", ofFact(pipeline.FactCutIn, "yes")),
	tally("guess_hit_share", Share, "turns whose early request was right / turns that made one", "turns with an early request", guessed),
	wastedTokens(false),
	tally("speech_clipped", Share, "frames of the user's speech that were lost and not replaced / frames of it", "turns whose sound loses frames", ofShare(pipeline.FactSpeechClipped)),
	tally("reply_clipped", Share, "frames of the reply that were lost and not replaced / frames of it", "turns whose sound loses frames", ofShare(pipeline.FactReplyClipped)),
	tally("underruns", Count, "holes in the reply after it began; a modelled piece that is made slower than it plays has one for all its stalls, real sound one at each, so compare stalled", "turns whose reply was followed to its end, or came from a service", underruns),
	latency("stalled", "time that the reply is silent after it began, since the next audio is not there", "turns whose reply was followed to its end, or came from a service", stalled),
}

// firstToken adds up what the model takes until the first token of its answer, where that
// is told apart as well as where it is not.
var firstToken = Metric{
	Name: pipeline.SpanLLMFirstToken, Unit: Duration, Over: "interactions that reached it",
	Formula: "request to the first token of the answer, without waiting for the model to be loaded: the spans llm_first_token, queue, prefill and reasoning",
	rests:   restsOnStage, stage: pipeline.SpanLLMFirstToken,
	gather: func(traces []pipeline.Trace, p *Pool) {
		for i := range traces {
			p.put(okOnly(traces[i].Outcome)(toFirstToken(&traces[i])))
		}
	},
}

func toFirstToken(t *pipeline.Trace) (sum float64, s standing) {
	parts := []string{pipeline.SpanLLMFirstToken, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMReasoning}
	for i := range t.Spans {
		x := &t.Spans[i]
		switch {
		case !slices.Contains(parts, x.Name):
		case x.End == pipeline.Unknown:
			return 0, missing
		default:
			sum, s = sum+float64(x.For()), present
		}
	}
	return sum, s
}

func toFirstSound(t *pipeline.Trace) (float64, standing) {
	reply, s := toReply(t)
	if filler, ok := toMark(t, pipeline.MarkFillerHeard); ok == present && (s != present || filler < reply) {
		return filler, present
	}
	return reply, s
}

func toStop(t *pipeline.Trace) (float64, standing) {
	d := pipeline.Since(t.Mark(pipeline.MarkBargeIn), t.Mark(pipeline.MarkSilence))
	if d == pipeline.Unknown {
		return 0, outside
	}
	return float64(d), present
}

// ofFact is 1 for an interaction whose fact has a value, 0 for another one that has the
// fact, and leaves out those without.
func ofFact(name, value string) func(t *pipeline.Trace) (float64, standing) {
	return func(t *pipeline.Trace) (float64, standing) {
		v := t.Fact(name)
		if v == "" {
			return 0, outside
		}
		return flag(v == value)
	}
}

// ofShare is the share that a fact has, and leaves out turns without it.
func ofShare(name string) func(t *pipeline.Trace) (float64, standing) {
	return func(t *pipeline.Trace) (float64, standing) {
		share, err := strconv.ParseFloat(t.Fact(name), 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return 0, outside
		}
		return share, present
	}
}

func guessed(t *pipeline.Trace) (float64, standing) {
	if t.Fact(pipeline.FactGuess) == "none" {
		return 0, outside
	}
	return ofFact(pipeline.FactGuess, "right")(t)
}

// wastedTokens returns the tokens of early requests that were wrong, and 0 in every other
// turn that could make one, or with all in every turn whose model was asked. They are those
// of all turns or of none: a mean without the wrong ones would be of the others.
func wastedTokens(all bool) Metric {
	m := Metric{
		Name: "wasted_tokens", Unit: Count, Over: "turns that could ask early",
		Formula: "tokens of prompts and answers of requests that were made for nothing, 0 where none was; our own count of the prompts that no server counted; none where not even that is known of a wrong one",
	}
	if all {
		m.Over = "turns whose model was asked"
	}
	m.gather = func(traces []pipeline.Trace, p *Pool) {
		counted := !slices.ContainsFunc(traces, func(t pipeline.Trace) bool { _, s := wasted(&t, all); return s == unseen })
		for i := range traces {
			v, s := wasted(&traces[i], all)
			if s == present && !counted {
				s = unseen
			}
			p.put(v, s)
		}
	}
	return m
}

func wasted(t *pipeline.Trace, all bool) (float64, standing) {
	n, err := strconv.Atoi(t.Fact(pipeline.FactWasted))
	asked := len(t.Requests) > 0 && t.Fact(pipeline.FactLog) == "" // what others asked early they do not say
	switch guess := t.Fact(pipeline.FactGuess); {
	case err == nil && n == 0 && uncounted(t):
		return 0, unseen // it was written so before unknown counts were told from none
	case err == nil:
		return float64(n), present
	case guess == "wrong", InVain(t) > 0:
		return 0, unseen
	case guess != "", all && asked:
		return 0, present
	}
	return 0, outside
}

// uncounted reports whether nobody knows what a request for nothing took.
func uncounted(t *pipeline.Trace) bool {
	lost := InVain(t)
	if t.Fact(pipeline.FactGuess) == "wrong" {
		lost++
	}
	return slices.ContainsFunc(t.Requests[:min(lost, len(t.Requests))], func(r pipeline.Request) bool { _, _, _, ok := r.Tokens(); return !ok })
}

func underruns(t *pipeline.Trace) (float64, standing) {
	n, _, s := holes(t)
	return float64(n), s
}

func stalled(t *pipeline.Trace) (float64, standing) {
	_, sum, s := holes(t)
	return float64(sum), s
}

// holes returns how many holes there are in a reply, and how long they are together: those
// of its spans, or of what a real voice sent.
func holes(t *pipeline.Trace) (n int, sum time.Duration, s standing) {
	if n, sum, ok := starved(t); ok {
		return n, sum, present
	}
	if t.Mark(pipeline.MarkReplyOver) == pipeline.Unknown {
		return 0, 0, outside
	}
	for i := range t.Spans {
		if t.Spans[i].Name == pipeline.SpanUnderrun {
			n, sum = n+1, sum+t.Spans[i].For()
		}
	}
	return n, sum, present
}

// starved returns how often a player that begins with the first audio of a reply has nothing
// to play before its end, and for how long in all: within the texts that were spoken, or the
// answer, and between these texts. ok is false where no service spoke.
func starved(t *pipeline.Trace) (n int, sum time.Duration, ok bool) {
	over := pipeline.Unknown // what came before is played
	for i := range t.Sayings {
		r := &t.Sayings[i]
		if r.FirstAudio == pipeline.Unknown || r.Outcome != pipeline.OK {
			continue
		}
		if over != pipeline.Unknown && r.FirstAudio > over {
			n, sum = n+1, sum+r.FirstAudio-over
		}
		n, sum, ok = n+r.Underruns, sum+r.Stalled, true
		over = max(over, r.FirstAudio) + r.Length() + r.Stalled
	}
	for i := range t.Answers {
		if r := &t.Answers[i]; r.FirstAudio != pipeline.Unknown && r.Outcome == pipeline.OK {
			n, sum, ok = n+r.Underruns, sum+r.Stalled, true
		}
	}
	return n, sum, ok
}
