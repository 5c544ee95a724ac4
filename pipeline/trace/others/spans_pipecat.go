package others

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// pipecatTurns makes turns of Pipecat's spans. A span turn begins when the user begins to
// speak, so that its own instants say nothing of the latency; its attributes do. Spans stt and
// tts end before what they stand for does, so that of them only metrics.ttfb is used.
func (im *Importer) pipecatTurns() error {
	s := &im.spans
	children := map[spanKey][]*span{}
	var turns []*span
	for i := range s.spans {
		switch sp := &s.spans[i]; sp.name {
		case "turn":
			turns = append(turns, sp)
		case "stt", "llm", "tts":
			if t := s.within(sp, "turn"); t != nil {
				children[t.key] = append(children[t.key], sp)
			} else {
				im.leave("spans outside of any turn")
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
	for _, sp := range turns {
		parts := children[sp.key]
		slices.SortStableFunc(parts, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
		t, err := s.pipecatTurn(sp, parts)
		if err != nil {
			return fmt.Errorf("span %s of trace %s (%s): %w", sp.key.id, sp.key.trace, sp.name, err)
		}
		heard := slices.ContainsFunc(parts, func(p *span) bool { return p.name == "stt" })
		if t.sent == unknown && !heard && t.number == "1" {
			im.leave("answers without a latency, such as greetings")
			continue
		}
		if err := im.add(t, place{file: "spans", line: len(im.turns)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *spanStore) pipecatTurn(sp *span, parts []*span) (*turn, error) {
	a := sp.attributes
	call := a.word("conversation.id")
	if call == "" {
		if c := s.within(sp, "conversation"); c != nil {
			call = c.attributes.word("conversation.id")
		}
	}
	t := newTurn(cmp.Or(call, sp.key.trace), a.word("turn.number"))
	var released, gathering time.Duration
	for _, f := range []figure{{"turn.user_bot_latency_seconds", &t.sent}, {"turn.user_turn_seconds", &released}, {"turn.text_aggregation_seconds", &gathering}} {
		d, err := a.span(f.name, time.Second)
		if err != nil {
			return nil, err
		}
		*f.into = d
	}
	first := map[string]time.Duration{"stt": unknown, "llm": unknown, "tts": unknown}
	var model *span
	speaks := slices.IndexFunc(parts, func(p *span) bool { return p.name == "tts" })
	for i, p := range parts {
		d, err := p.attributes.span("metrics.ttfb", time.Second)
		if err != nil {
			return nil, fmt.Errorf("its span %s: %w", p.name, err)
		}
		if d == 0 {
			d = unknown // what Pipecat has before it measured
		}
		switch before := speaks < 0 || i < speaks; {
		case p.name == "llm" && (before || model == nil):
			model, first["llm"] = p, d
		case p.name == "tts" && first["tts"] == unknown, p.name == "stt" && before && d != unknown:
			first[p.name] = d
		}
	}
	t.lay([][]step{{{pipeline.SpanSTTTail, first["stt"]}}, {{pipeline.SpanEndOfTurn, released}}},
		[]step{{pipeline.SpanLLMFirstToken, first["llm"]}, {pipeline.SpanGathering, gathering}, {pipeline.SpanTTSFirstAudio, first["tts"]}})
	t.earlier(model, parts)
	interrupted := a.true("turn.was_interrupted")
	if interrupted {
		t.fact("interrupted", "yes")
	}
	switch failed := slices.IndexFunc(parts, func(p *span) bool { return p.failed != "" }); {
	case t.sent != unknown:
	case failed >= 0:
		t.outcome, t.reason = pipeline.Error, parts[failed].name+": "+parts[failed].failed
	case interrupted:
		t.outcome, t.reason = pipeline.Cancelled, "interrupted before the bot spoke"
	}
	return t, nil
}

// earlier places calls of the model before the one that answers, which asked for tools: spans
// of models are where the calls were.
func (t *turn) earlier(model *span, parts []*span) {
	i := slices.IndexFunc(t.stages, func(s stage) bool { return s.name == pipeline.SpanLLMFirstToken })
	if i < 0 {
		return
	}
	placed := t.stages[i].from
	n := 0
	for _, p := range parts {
		if p.name == "llm" && p != model && p.from < model.from && p.to != unknown && p.to <= model.from && n < mostTools {
			from := placed - (model.from - p.from)
			t.add(pipeline.SpanToolCall, from, from+p.to-p.from)
			n++
		}
	}
}
