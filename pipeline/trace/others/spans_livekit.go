package others

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// exchange is what a user said and all that the agent did until the user spoke again.
type exchange struct {
	user   *span
	wait   *span // eou_wait that ended in the turn's end
	agents []*span
	parts  []*span // in agents
}

// livekitTurns makes turns of the spans of LiveKit Agents. user_turn and agent_turn stand side
// by side in a session; an agent's turn answers the user's turn that began last before it. Names
// are those of livekit-agents/livekit/agents/telemetry/trace_types.py of
// github.com/livekit/agents, read 2026-11-30.
func (im *Importer) livekitTurns() error {
	s := &im.spans
	sessions := map[string][]*exchange{}
	agents := map[string][]*span{}
	parts := map[spanKey][]*span{}
	waits := map[spanKey]*span{}
	var order []string
	for i := range s.spans {
		sp := &s.spans[i]
		call := sp.key.trace
		if around := s.within(sp, "agent_session"); around != nil {
			call += "/" + around.key.id
		}
		switch sp.name {
		case "user_turn":
			if _, ok := sessions[call]; !ok {
				order = append(order, call)
			}
			sessions[call] = append(sessions[call], &exchange{user: sp})
		case "agent_turn":
			agents[call] = append(agents[call], sp)
		case "eou_wait":
			if u := s.within(sp, "user_turn"); u != nil && sp.attributes.text("lk.eou.outcome") == "committed" {
				waits[u.key] = sp
			}
		case "llm_node", "llm_request", "tts_node", "tts_request", "agent_speaking", "function_tool":
			if t := s.within(sp, "agent_turn"); t != nil {
				parts[t.key] = append(parts[t.key], sp)
			}
		}
	}
	for call, list := range agents {
		if _, ok := sessions[call]; !ok {
			im.left["answers to no logged end of turn, such as greetings"] += len(list)
		}
	}
	for _, call := range order {
		exchanges := sessions[call]
		slices.SortStableFunc(exchanges, func(a, b *exchange) int { return cmp.Compare(a.user.from, b.user.from) })
		for _, a := range agents[call] {
			i, _ := slices.BinarySearchFunc(exchanges, a.from, func(x *exchange, at time.Duration) int {
				if x.user.from <= at {
					return -1
				}
				return 1
			})
			if i == 0 {
				im.leave("answers to no logged end of turn, such as greetings")
				continue
			}
			x := exchanges[i-1]
			x.agents, x.parts = append(x.agents, a), append(x.parts, parts[a.key]...)
		}
		for _, x := range exchanges {
			x.wait = waits[x.user.key]
			if err := im.livekitTurn(call, x); err != nil {
				return fmt.Errorf("span %s of trace %s (user_turn): %w", x.user.key.id, x.user.key.trace, err)
			}
		}
	}
	return nil
}

// seconds reads an attribute in seconds; -1 is unknown.
func (sp *span) seconds(key string) (time.Duration, error) {
	m := metric{sp.attributes, time.Second}
	return m.figure(key)
}

// firstOf returns the time to the first output: of the span's own attribute, or of the metrics
// that it carries as JSON.
func (sp *span) firstOf(key, metrics, name string) (time.Duration, error) {
	if d, err := sp.seconds(key); err != nil || d != unknown {
		return d, err
	}
	var o object
	if text := sp.attributes.text(metrics); text == "" || json.Unmarshal([]byte(text), &o) != nil {
		return unknown, nil
	}
	m := metric{o, time.Second}
	return m.figure(name)
}

func (im *Importer) livekitTurn(call string, x *exchange) error {
	u := x.user
	delay, err := u.seconds("lk.end_of_turn_delay")
	if err != nil {
		return err
	}
	tail, err := u.seconds("lk.transcription_delay")
	if err != nil {
		return err
	}
	if delay == 0 { // what is logged where the end of speech was not detected
		delay, tail = unknown, unknown
	}
	t := newTurn(call, "")
	switch {
	case x.wait != nil:
		t.clock, delay = x.wait.from, minus(x.wait.to, x.wait.from)
	case u.to != unknown:
		t.clock = minus(u.to, delay)
	}
	if t.clock == unknown && len(x.agents) == 0 {
		im.leave("turns of users that were not committed")
		return nil
	}
	if tail != unknown {
		t.addLoose(pipeline.SpanSTTTail, 0, tail)
	}
	if delay != unknown {
		t.addLoose(pipeline.SpanEndOfTurn, 0, delay)
	}
	if err := x.reply(t); err != nil {
		return err
	}
	x.ended(t)
	return im.add(t, place{file: "spans", line: len(im.turns)})
}

// reply places what the agent did up to the first audio.
func (x *exchange) reply(t *turn) error {
	slices.SortStableFunc(x.agents, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
	slices.SortStableFunc(x.parts, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
	for _, a := range x.agents {
		d, err := a.seconds("lk.e2e_latency")
		if err != nil {
			return err
		}
		if d != unknown && t.sent == unknown {
			t.sent = d
		}
		t.fact("speech_id", a.attributes.text("lk.speech_id"))
	}
	if i := slices.IndexFunc(x.parts, func(p *span) bool { return p.name == "agent_speaking" }); i >= 0 && t.sent == unknown {
		t.sent = minus(x.parts[i].from, t.clock)
	}
	models, err := x.outputs("llm", "lk.response.ttft", "lk.llm_metrics", "ttft")
	if err != nil {
		return err
	}
	voices, err := x.outputs("tts", "lk.response.ttfb", "lk.tts_metrics", "ttfb")
	if err != nil {
		return err
	}
	x.place(t, models, voices)
	return nil
}

// output is a span with the time to its first output.
type output struct {
	*span
	first time.Duration
}

// outputs returns the nodes of a kind that had an output, or else the requests.
func (x *exchange) outputs(kind, key, metrics, name string) ([]output, error) {
	for _, form := range []string{"_node", "_request"} {
		var out []output
		for _, p := range x.parts {
			if p.name != kind+form {
				continue
			}
			d, err := p.firstOf(key, metrics, name)
			if err != nil {
				return nil, fmt.Errorf("its span %s: %w", p.name, err)
			}
			if d != unknown {
				out = append(out, output{p, d})
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, nil
}

func (x *exchange) place(t *turn, models, voices []output) {
	audio := unknown
	if len(voices) > 0 {
		audio = voices[0].first
	}
	if t.clock == unknown { // lengths alone
		first := unknown
		if len(models) > 0 {
			first = models[0].first
		}
		t.lay(nil, []step{{pipeline.SpanLLMFirstToken, first}, {pipeline.SpanTTSFirstAudio, audio}})
		return
	}
	answer := -1
	for i, m := range models { // the last whose first token came before the first audio
		if at := m.from + m.first - t.clock; answer < 0 || t.sent == unknown || at <= t.sent-known(audio)+alike {
			answer = i
		}
	}
	ready := time.Duration(0)
	for _, s := range t.stages {
		ready = max(ready, s.to)
	}
	tools := 0
	for _, p := range x.parts {
		if p.name == "function_tool" && p.to != unknown && tools < mostTools && (t.sent == unknown || p.from-t.clock < t.sent) {
			t.add(pipeline.SpanTool, p.from-t.clock, p.to-t.clock)
			tools++
		}
	}
	for i, m := range models {
		from := m.from - t.clock
		switch {
		case i == answer:
			t.addLoose(pipeline.SpanLLMFirstToken, from, from+m.first)
			ready = max(ready, from+m.first)
		case i < answer && tools > 0 && m.to != unknown && i < mostTools:
			t.add(pipeline.SpanToolCall, from, m.to-t.clock)
		}
	}
	switch {
	case audio == unknown:
	case t.sent != unknown:
		t.add(pipeline.SpanTTSFirstAudio, t.sent-audio, t.sent)
	default:
		t.add(pipeline.SpanTTSFirstAudio, ready, ready+audio)
	}
}

// ended says how a turn that was not sent ended.
func (x *exchange) ended(t *turn) {
	interrupted := slices.ContainsFunc(x.agents, func(a *span) bool { return a.attributes.true("lk.interrupted") })
	if interrupted {
		t.fact("interrupted", "yes")
	}
	failed := slices.IndexFunc(x.parts, func(p *span) bool { return p.failed != "" })
	switch {
	case t.sent != unknown:
	case failed >= 0:
		t.outcome, t.reason = pipeline.Error, x.parts[failed].name+": "+x.parts[failed].failed
	case interrupted:
		t.outcome, t.reason = pipeline.Cancelled, "interrupted before the first audio"
	}
}
