package voice

import (
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
)

// What a service that writes speech down has heard, and what becomes of that.

// hears takes what the service says. The transcript is final with the word that all of it is
// there, whether that comes with the last of it or behind it.
func (t *turn) hears(h pipeline.Heard) {
	l := t.live
	if h.SoFar != "" && !l.final {
		l.heard = h.SoFar
	}
	if h.Settled && l.heard != "" && !l.final && h.At >= t.trace.Due {
		t.finalText()
	}
}

// goesOn reports whether another turn of the call follows.
func (t *turn) goesOn() bool {
	turns, last := t.simulator.config.Stack.Context.Turns, t.simulator.config.Services.Last
	return turns > 1 && last != nil && (t.trace.Index+1)%turns != 0 && !last(t.trace.Session, t.trace.Index)
}

// transcript returns what the model is asked with for what the user said; "" where that is
// words of ours.
func (t *turn) transcript() string {
	if t.live == nil || !t.simulator.config.Services.Prompts {
		return ""
	}
	return t.live.heard
}

// written returns a prompt as text, with what was heard in place of our words for it.
func (t *turn) written(p token.Passage) string {
	heard := t.transcript()
	if heard == "" && len(t.of.heard) == 0 {
		return p.Text()
	}
	var parts []string
	for i, s := range p {
		text, known := t.of.heard[s.ID]
		switch {
		case s.ID == t.userName(false) && heard != "":
			text = heard
		case !known:
			text = p[i : i+1].Text()
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// keepHeard has the call remember what was heard, and the trace say what the model was asked
// with.
func (t *turn) keepHeard() {
	if t.live == nil || !t.simulator.config.Services.Prompts || len(t.askings) == 0 {
		return
	}
	heard := t.transcript()
	if heard == "" {
		t.fact(pipeline.FactAskedWith, pipeline.PromptMadeUp)
		return
	}
	t.fact(pipeline.FactAskedWith, pipeline.PromptHeard)
	if t.of.heard == nil {
		t.of.heard = map[token.ID]string{}
	}
	t.of.heard[t.userName(false)] = heard
}
