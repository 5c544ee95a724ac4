package ide

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// request is a request under way, or one whose answer may still be used.
type request struct {
	pipeline.Call
	editor *Editor
	key    *key
	asked  document.Snapshot
	truth  string // what follows at the cursor then
	// document is the number of the document that it is about.
	document int
	sent     prompt.Prompt
	answer   answer
	ends     [2]int // counts of interest of a wrong answer

	tokens int    // of the modelled answer that are out
	text   string // that came so far
	whole  bool   // nothing more will come
	first  pipeline.SpanID
	valid  bool // the text can be shown as of the last time that it came

	ready time.Duration // since when its text waits to be shown; Unknown when it does not
	begun time.Duration // since when there is text of a line that is to be whole first; Unknown when there is none

	speculative bool // asked as if a suggestion were accepted
	warmUp      bool // nobody waits for its answer
	cached      bool // the answer is from the cache, and was asked for earlier
	dropped     bool // the editor gave it up
	closed      bool // on the wire
	ended       bool
}

// newRequest returns the request of a step in the document.
func (e *Editor) newRequest(k *key) *request {
	r := e.requestOf(k, e.prompts.Build(&e.document), e.truth)
	r.asked = *r.sent.Asked()
	return r
}

// requestOf fills the call: everything that does not depend on what happens next. Truth is
// what will follow at the cursor.
func (e *Editor) requestOf(k *key, sent prompt.Prompt, truth string) *request {
	p := &e.sim.config.Plugin
	r := &request{editor: e, key: k, sent: sent, truth: truth, document: e.number, ready: pipeline.Unknown, begun: pipeline.Unknown}
	r.Session, r.PromptTokens = e.user, max(1, r.sent.Tokens())
	r.answer, r.Draw = e.sim.answers.to(e.user, k, truth)
	r.Kind = pipeline.RequestCompletion
	r.OutputTokens, r.MaxTokens = r.answer.tokens, p.MaxTokens
	r.Counts = r.counts()
	r.Prompt, r.Answer, r.Blocks, r.Notify, r.Done = r.sent.Text, r.say, r.blocks, r.notify, r.done
	r.Record = pipeline.NewRequest(e.sim.config.NextRequest(), e.sim.config.Loop.Now())
	return r
}

// send asks, and has the key wait.
func (e *Editor) send(r *request) {
	k, now := r.key, e.sim.config.Loop.Now()
	e.drift(r)
	r.first = k.Add(pipeline.Span{Name: pipeline.SpanLLMFirstToken, Start: now, End: pipeline.Unknown}, k.waited(now))
	k.request = r
	e.live = append(e.live, r)
	e.sim.config.LLM.Start(&r.Call)
}

// counts returns the counts of tokens to be told of. Typing can match any token
// of a right answer, so all of them matter; a wrong one is wrong from its first
// sign on.
func (r *request) counts() []int {
	if r.answer.right {
		return r.editor.sim.answers.upTo(r.answer.tokens)
	}
	r.ends = [2]int{1, r.answer.tokens}
	return r.ends[:min(2, r.answer.tokens)]
}

func (r *request) blocks(dst []uint64, size int) []uint64 {
	return r.sent.Blocks(dst, size, r.answer.text)
}

func (r *request) say() string { return r.answer.text }

// read adds the text that came, and reports whether there was any: a server sends nothing for
// a token without text.
func (r *request) read(p pipeline.Progress) bool {
	had := len(r.text)
	if p.Modelled {
		r.text = r.answer.upTo(had, r.tokens, p.Tokens)
		r.tokens = p.Tokens
		r.whole = p.Tokens == r.answer.tokens && len(r.text) > had
	} else {
		r.text += p.Text
	}
	return len(r.text) > had
}

// judge compares the text that came with the document now, and returns what may be shown.
func (r *request) judge() (rest string, ok bool) {
	e := r.editor
	v, rest := e.document.Judge(&r.asked, r.text)
	if r.speculative && v == document.Undone {
		r.key.ahead = true
		return "", false // what it supposes has not happened yet
	}
	ok = document.Visible(rest)
	if ok && !e.displayable(rest) {
		v, ok = document.NotDisplayable, false
	}
	if !ok {
		r.begun = pipeline.Unknown
	}
	if r.valid = ok; !r.cached {
		r.key.verdict = v
	}
	return rest, ok
}

// fits reports whether the text that came can be shown at the cursor, as far as the document
// tells.
func (r *request) fits() bool {
	_, rest := r.editor.document.Judge(&r.asked, r.text)
	return document.Visible(rest) && r.editor.displayable(rest)
}

// arrived is told that enough of the answer is there to be shown, at once or after a hold.
func (r *request) arrived() {
	if k := r.key; !r.cached && k.arrival == "" {
		k.arrival = k.verdict
	}
}

// displayable reports whether a suggestion that is right may be shown at the cursor: before
// what follows there, and beside the list of completions.
func (e *Editor) displayable(rest string) bool {
	return e.sim.config.Plugin.Display.Fits(rest, e.document.RestOfLine()) && extends(rest, e.screen.entry)
}

// notify is told how far the answer is.
func (r *request) notify(p pipeline.Progress) {
	if r.closed || r.warmUp {
		return
	}
	e, had := r.editor, r.text != ""
	if !r.read(p) {
		return
	}
	now := e.sim.config.Loop.Now()
	if !had {
		r.key.Spans[r.first].End = now
		e.asking.patience.Answered(now - r.Record.Due)
	}
	if r.dropped {
		if s := &e.screen; s.rest == "" || s.request != r.Record.ID { // what still stands there is no waste
			r.key.verdict = document.Dropped
		}
		return
	}
	if rest, ok := r.judge(); ok {
		e.offer(r, rest)
	}
}

// source returns where the text of a request's own key comes from.
func (r *request) source() string {
	switch {
	case r.cached:
		return pipeline.SourceCache
	case r.speculative:
		return pipeline.SourceSpeculation
	}
	return pipeline.SourceNetwork
}

// use returns that the text of a step came from this request.
func (r *request) use(how string) pipeline.Use {
	if r.cached {
		how = "cached"
	}
	return pipeline.Use{Request: r.Record.ID, How: how}
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
	r.ended = true
	k.Spans[r.first].Simulated = record.Simulated
	if record.Whole() {
		k.Spans[r.first].Name = pipeline.SpanLLMWhole
	}
	k.SplitLoad(r.first, record)
	if record.Outcome == pipeline.OK && !r.dropped && !r.closed && !r.warmUp {
		r.complete()
	}
	r.agree()
	r.tell()
	e.store(r)
	e.ended(r)
}

// complete is told that the whole answer is there.
func (r *request) complete() {
	k := r.key
	late := !r.whole && r.editor.sim.config.Plugin.Display.Lines != plugin.LinesAll
	r.whole = true
	switch {
	case !document.Visible(r.text):
		k.verdict = document.Empty
	case late:
		if rest, ok := r.judge(); ok {
			r.editor.offer(r, rest)
		}
	case r.valid && k.landed(): // the line ends with the answer
		at := max(r.Record.LastOutput, k.Mark(pipeline.MarkFirstCharacter))
		r.land(pipeline.MarkFirstLine, at)
		r.land(pipeline.MarkLastCharacter, at)
		if s := &r.editor.screen; s.rest != "" && s.request == r.Record.ID {
			s.whole = true
			r.editor.speculate()
		}
	}
}

// agree has the key tell whether the answer is right, as far as it came: its first line is what
// the person goes on to type, as far as that is known. Where nothing follows at the cursor no
// answer is right.
func (r *request) agree() {
	if r.warmUp || !document.Visible(r.text) {
		return
	}
	line := r.text
	if end := document.LineEnd(line); end >= 0 {
		line = line[:end]
	}
	line = strings.TrimRight(line, " \t\r")
	r.key.right = yesNo(strings.HasPrefix(r.truth, line) || document.Visible(r.truth) && strings.HasPrefix(line, r.truth))
}

// ended takes a request out.
func (e *Editor) ended(r *request) {
	for i, x := range e.live {
		if x == r {
			e.live = append(e.live[:i], e.live[i+1:]...)
			break
		}
	}
	e.limited(r)
	if (r.closed || r.dropped) && r.begun != pipeline.Unknown {
		r.key.buffered(r.begun, pipeline.Unknown)
	}
	r.key.take(&r.Record)
	e.hand(r.key)
	if e.last != nil {
		e.room(r)
	}
	e.settle()
}

// cutOff ends the record of a request whose end nobody waits for, as far as it has come.
func (e *Editor) cutOff(r *request) {
	k := r.key
	if k.handed {
		return
	}
	if m, ok := e.sim.config.LLM.(pipeline.Reporter); ok {
		m.Report(&r.Call)
	}
	r.agree()
	k.Requests = append(k.Requests, r.Record)
	k.request, k.past = nil, true
	e.hand(k)
}
