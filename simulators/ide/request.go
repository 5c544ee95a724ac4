package ide

import (
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// request is a request under way.
type request struct {
	pipeline.Call
	editor *editor
	key    *key
	asked  document.Snapshot
	from   int // the prompt's first byte before the cursor
	suffix int // its bytes after the cursor
	answer answer
	ends   [2]int // counts of interest of a wrong answer

	tokens  int    // of the modelled answer that are out
	text    string // that came so far
	first   pipeline.SpanID
	valid   bool // the text can be shown as of the last time that it came
	dropped bool // the editor gave it up
	closed  bool // on the wire
}

// newRequest fills the call: everything that does not depend on what happens
// next.
func (e *editor) newRequest(k *key) *request {
	p := &e.sim.config.Plugin
	r := &request{editor: e, key: k, asked: e.document.Snapshot()}
	r.Session, r.Draw = e.user, e.sim.answers.drawOf(e.user, k.Index)
	r.PromptTokens, r.from, r.suffix = e.window.Find(&e.document, p.PrefixTokens, p.SuffixTokens)
	r.answer = e.sim.answers.draw(e.user, k.Index, e.truth)
	r.OutputTokens, r.MaxTokens = r.answer.tokens, p.MaxTokens
	r.Counts = r.counts()
	r.Prompt, r.Answer, r.Blocks, r.Notify, r.Done = r.prompt, r.say, r.blocks, r.notify, r.done
	r.Record = pipeline.NewRequest(e.sim.config.NextRequest(), e.sim.config.Loop.Now())
	return r
}

// counts returns the counts of tokens to be told of. Typing can match any token
// of a right answer, so all of them matter; a wrong one is wrong from its first
// sign on.
func (r *request) counts() []int {
	if r.answer.right {
		return r.editor.sim.answers.counts[:r.answer.tokens]
	}
	r.ends = [2]int{1, r.answer.tokens}
	return r.ends[:min(2, r.answer.tokens)]
}

func (r *request) prompt() pipeline.Prompt {
	return pipeline.Prompt{Text: string(r.asked.Before()[r.from:]), Suffix: r.asked.After()[:r.suffix]}
}

func (r *request) blocks(dst []uint64, size int) []uint64 {
	p := r.prompt()
	return token.Blocks(dst, size, p.Text, p.Suffix, r.answer.text)
}

func (r *request) say() string { return r.answer.text }

// read adds the text that came.
func (r *request) read(p pipeline.Progress) {
	if !p.Modelled {
		r.text += p.Text
		return
	}
	more := token.Prefix(r.answer.text[len(r.text):], p.Tokens-r.tokens)
	r.tokens = p.Tokens
	r.text = r.answer.text[:len(r.text)+len(more)]
}

// notify is told how far the answer is.
func (r *request) notify(p pipeline.Progress) {
	if r.closed {
		return
	}
	had := r.text != ""
	if r.read(p); r.text == "" {
		return
	}
	now := r.editor.sim.config.Loop.Now()
	if !had {
		r.key.Spans[r.first].End = now
	}
	if r.dropped {
		if !had { // what was shown before was no waste
			r.key.verdict = document.Dropped
		}
		return
	}
	verdict, rest := r.editor.document.Judge(&r.asked, r.text)
	r.key.verdict, r.valid = verdict, document.Visible(rest)
	if r.valid {
		r.editor.show(r, rest)
		if document.LineEnd(rest) >= 0 {
			r.land(pipeline.MarkFirstLine, now)
		}
	}
}

// land marks what came for the request's key, and for the last key if that took
// it up.
func (r *request) land(name string, at time.Duration) {
	r.key.land(name, at)
	if k := r.editor.last; k != nil && k.joined == r {
		k.land(name, at)
	}
}

// done is told that the request has ended.
func (r *request) done() {
	e, k, record := r.editor, r.key, &r.Record
	k.Spans[r.first].Simulated = record.Simulated
	if record.Whole() {
		k.Spans[r.first].Name = pipeline.SpanLLMWhole
	}
	k.SplitLoad(r.first, record)
	if record.Outcome == pipeline.OK && !r.dropped && !r.closed {
		switch {
		case r.valid: // the line ends with the answer
			r.land(pipeline.MarkFirstLine, max(record.LastOutput, k.Mark(pipeline.MarkFirstCharacter)))
		case !document.Visible(r.text):
			k.verdict = document.Empty
		}
	}
	e.ended(r)
}
