package observe

import (
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
)

// desk is a person in an editor, and a plugin that asks an observer's server.
type desk struct {
	o        *Observer
	text     string
	cursor   int
	now      time.Duration
	template Request // what all requests have in common
	window   int     // most bytes before the cursor that are sent; 0 for all
	suffix   int     // most bytes after the cursor; 0 for all, -1 for none
	first    bool    // the text after the cursor goes first
	context  func() string
}

// newDesk opens a text with the cursor at its bar.
func newDesk(text string) *desk {
	cursor := strings.IndexByte(text, '|')
	return &desk{o: New(Config{}), template: Request{MaxTokens: 48}, text: strings.Replace(text, "|", "", 1), cursor: cursor}
}

func (d *desk) prompt() Prompt {
	before, after := d.text[:d.cursor], d.text[d.cursor:]
	if d.window > 0 {
		before = before[max(0, len(before)-d.window):]
	}
	if d.suffix > 0 {
		after = after[:min(len(after), d.suffix)]
	}
	sections := []Section{{Prefix, before}, {Suffix, after}}
	if d.suffix < 0 {
		sections = sections[:1]
	} else if d.first {
		sections[0], sections[1] = sections[1], sections[0]
	}
	if d.context != nil {
		sections = append([]Section{{Context, d.context()}}, sections...)
	}
	return Made(sections...)
}

// ask sends a request after a while.
func (d *desk) ask(after time.Duration) (number int) {
	d.now += after
	r := d.template
	r.Prompt, r.Arrived = d.prompt(), d.now
	return d.o.Begin(r)
}

// answered ends a request that said so: its first token came a while after its arrival, and
// the rest took as long again.
func (d *desk) answered(number int, took time.Duration, text string) {
	arrived := d.o.kept[number-d.o.kept[0].Number].Arrived
	d.o.Finish(number, End{First: arrived + took, Ended: arrived + 2*took, Left: pipeline.Unknown, PromptTokens: 100, Generated: len(strings.Fields(text)), Answer: text})
}

// left ends a request that its client gave up so long after its arrival, with no token out.
func (d *desk) left(number int, after time.Duration) {
	at := d.o.kept[number-d.o.kept[0].Number].Arrived + after
	d.o.Finish(number, End{First: pipeline.Unknown, Ended: at, Left: at, PromptTokens: 100})
}

// put types a text at the cursor; what stands behind a bar stays behind the cursor.
func (d *desk) put(text string) {
	typed, closed, _ := strings.Cut(text, "|")
	d.text = d.text[:d.cursor] + typed + closed + d.text[d.cursor:]
	d.cursor += len(typed)
}

// back takes n characters back.
func (d *desk) back(n int) {
	for range n {
		_, size := utf8.DecodeLastRuneInString(d.text[:d.cursor])
		d.text = d.text[:d.cursor-size] + d.text[d.cursor:]
		d.cursor -= size
	}
}

// type presses a key each so long, with a request that is answered so long after it.
func (d *desk) typing(text string, every, took time.Duration, answer string) {
	for _, c := range text {
		d.put(string(c))
		d.answered(d.ask(every), took, answer)
	}
}

// found returns the finding of that name, nil for none.
func found(r Report, id string) *Finding {
	for i := range r.Findings {
		if r.Findings[i].ID == id {
			return &r.Findings[i]
		}
	}
	return nil
}
