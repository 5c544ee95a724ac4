package finding

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// waits finds what makes the first character late.
func waits(v *view) []Finding {
	var found []Finding
	for _, check := range []func() (Finding, bool){v.coldStart, v.reasoning, v.outside} {
		if f, ok := check(); ok {
			f.Severity = Slow
			found = append(found, f)
		}
	}
	return found
}

// coldStart finds a first request that was far slower than those after it, or for which the
// server says that it loaded the model. Times count from when the connection was there, so
// its cost is no part of them.
func (v *view) coldStart() (Finding, bool) {
	const times, least = 3, 300 * time.Millisecond
	fresh := v.fresh()
	if len(fresh) == 0 || fresh[0].Record.ID != 1 || ttft(fresh[0]) == pipeline.Unknown {
		return Finding{}, false
	}
	var others []time.Duration
	for _, r := range fresh[1:] {
		others = append(others, ttft(r))
	}
	first, usual, load := ttft(fresh[0]), median(others), fresh[0].Record.Server.Load
	f := Finding{
		ID: "cold_start", Title: "the server was cold: the first request waited far longer than those after it",
		Fix: "keep the model loaded and send a request to warm it up before users come; hosted models that scale to zero need one instance that stays",
	}
	slower := usual != pipeline.Unknown && first >= times*usual && first-usual >= least
	switch {
	case slower:
		f.Cost = first - usual
	case load != pipeline.Unknown && load >= least:
		f.Cost, f.Title = load, "the server was cold: it loaded the model for the first request"
	default:
		return Finding{}, false
	}
	if usual != pipeline.Unknown {
		f.Evidence = []string{fmt.Sprintf("first output after %s in request 1, after %s in later ones with new prompts; connection costs are not in it", ms(first), ms(usual))}
	}
	if load != pipeline.Unknown {
		f.Evidence = append(f.Evidence, "the server says that it loaded the model for "+ms(load))
	}
	if v.Protocol == dialect.OllamaChat || v.Protocol == dialect.OllamaGenerate {
		f.Fix += "; in Ollama: OLLAMA_KEEP_ALIVE=-1, or \"keep_alive\": -1 in requests"
	}
	return f, true
}

// hidden returns how many tokens of reasoning the server counts that it did not send;
// pipeline.UnknownCount where it does not say.
func hidden(r *seen.Request) int {
	if r.Reply == nil || r.Reply.Usage == nil || r.Reply.Answer().Reasoning != "" {
		return pipeline.UnknownCount
	}
	return r.Reply.Usage.Reasoning
}

// reasoning finds answers whose text had to wait for reasoning.
func (v *view) reasoning() (Finding, bool) {
	const least, fewTokens = 50 * time.Millisecond, 8
	for _, r := range v.begun {
		text := r.Since(r.Record.FirstText)
		if text == pipeline.Unknown && !r.OK() {
			continue // it may have come yet
		}
		f := Finding{ID: "reasoning", Fix: "turn reasoning off, or down, for what a user waits for: " + reasoningSwitch(v.Protocol)}
		switch n := hidden(r); {
		case n >= fewTokens:
			f.Cost = text
			f.Title = "the model reasons before it answers, and does not show it"
			f.Evidence = []string{fmt.Sprintf("%s: %d of its %d tokens are reasoning, none was sent; %s", v.which(r), n, r.Record.OutputTokens, firstText(text))}
			if all, sent := r.Reply.TPOT(), r.Reply.VisibleTPOT(); all != pipeline.Unknown && sent != pipeline.Unknown {
				f.Evidence = append(f.Evidence, fmt.Sprintf("tpot is %s by all of its tokens, and %s by those that were sent", ms(all), ms(sent)))
			}
		case r.Reply.Answer().Reasoning != "" && (text == pipeline.Unknown || text-ttft(r) >= least):
			f.Cost = pipeline.Since(r.Record.FirstOutput, r.Record.FirstText)
			f.Title = "the model reasons before it answers"
			f.Evidence = []string{fmt.Sprintf("%s: reasoning from %s on, %s: a tool that counts any output reports a ttft without what a user waits for", v.which(r), ms(ttft(r)), firstText(text))}
		default:
			continue
		}
		if text == pipeline.Unknown {
			f.Evidence = append(f.Evidence, "all that the answer may have went into reasoning: ask for more with --answer to see the text")
		}
		return f, true
	}
	return Finding{}, false
}

func firstText(d time.Duration) string {
	if d == pipeline.Unknown {
		return "no text came"
	}
	return "the first text came after " + ms(d)
}

// reasoningSwitch says how reasoning is turned off, as the vendors' references of their
// APIs have it; read 2026-11-29.
func reasoningSwitch(p dialect.Protocol) string {
	switch p {
	case dialect.OpenAIResponses:
		return `"reasoning": {"effort": "low"}`
	case dialect.Anthropic:
		return `leave "thinking" out`
	case dialect.Gemini:
		return `"thinkingConfig": {"thinkingBudget": 0}`
	case dialect.OllamaChat, dialect.OllamaGenerate:
		return `"think": false`
	}
	return `"reasoning_effort": "low", or "chat_template_kwargs": {"enable_thinking": false} with vLLM, SGLang and llama.cpp`
}

// outside finds waits that the server knows nothing of: the network and queues before it.
func (v *view) outside() (Finding, bool) {
	const least, share = 100 * time.Millisecond, 0.5
	if v.shape.held() {
		return Finding{}, false // the wait is that of the delivery
	}
	r, usual := usualWait(v.fresh())
	if r == nil || usual < least || float64(usual) < share*float64(ttft(r)) {
		return Finding{}, false
	}
	f := Finding{
		ID: "outside_server", Cost: usual, Title: "most of the time to the first output passes outside of the server's own work: in a queue or on the network",
		Evidence: []string{fmt.Sprintf("%s: first output after %s; the server says that it worked for %s until then (%s)", v.which(r), ms(ttft(r)), ms(inside(r)), serverTimes(r))},
		Fix:      "see whether requests queue (slots, replicas, a gateway that serializes), and ask from nearer",
	}
	if trip := v.roundTrip(); trip != pipeline.Unknown {
		f.Evidence = append(f.Evidence, fmt.Sprintf("a round trip to it takes about %s, as opening the connection shows: the rest is a queue, or lies behind a proxy", ms(trip)))
	}
	return f, true
}

// usualWait returns the request whose first output waited the median time outside of the
// server's work, the lower of two, and that time; nil where no server says how long it
// worked. Where it reasoned unseen, it worked for longer than it says.
func usualWait(requests []*seen.Request) (*seen.Request, time.Duration) {
	waited := func(r *seen.Request) time.Duration { return pipeline.Since(inside(r), ttft(r)) }
	told := slices.DeleteFunc(slices.Clone(requests), func(r *seen.Request) bool {
		return inside(r) == pipeline.Unknown || ttft(r) == pipeline.Unknown || hidden(r) > 0
	})
	if len(told) == 0 {
		return nil, pipeline.Unknown
	}
	slices.SortStableFunc(told, func(a, b *seen.Request) int { return cmp.Compare(waited(a), waited(b)) })
	r := told[(len(told)-1)/2]
	return r, waited(r)
}

// inside returns how long the server says that it worked until the first output, waiting
// included where it says so; Unknown unless it states its prefill.
func inside(r *seen.Request) time.Duration {
	s := r.Record.Server
	if s.Prefill == pipeline.Unknown {
		return pipeline.Unknown
	}
	sum := s.Prefill
	for _, d := range []time.Duration{s.Queue, s.Load} {
		if d != pipeline.Unknown {
			sum += d
		}
	}
	return sum
}

// serverTimes says what a server says of its own time.
func serverTimes(r *seen.Request) string {
	s, text := r.Record.Server, ""
	for _, t := range []struct {
		name string
		d    time.Duration
	}{{"queue", s.Queue}, {"load", s.Load}, {"prefill", s.Prefill}, {"decode", s.Decode}, {"total", s.Total}} {
		if t.d != pipeline.Unknown {
			if text != "" {
				text += ", "
			}
			text += t.name + " " + ms(t.d)
		}
	}
	return text
}

// roundTrip returns how long the first connection took to open.
func (v *view) roundTrip() time.Duration {
	for i := range v.Requests {
		if d := v.Requests[i].Record.Transport.Connect; d != pipeline.Unknown {
			return d
		}
	}
	return pipeline.Unknown
}
