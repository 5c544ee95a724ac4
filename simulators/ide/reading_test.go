package ide

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// rounds watches what a person makes of each document before the next one is opened.
type rounds struct {
	document.Document
	ended []string
}

func (r *rounds) Open(_ int, _, text string, cursor int) {
	if r.Opened() > 0 {
		r.ended = append(r.ended, r.Text())
	}
	r.Document.Open(text, cursor)
}

func (r *rounds) Apply(_ int, e document.Edit) { r.Document.Apply(e) }
func (r *rounds) Move(_, cursor int)           { r.Document.Move(cursor) }

// Who takes suggestions, right ones and wrong ones, ends up with the same text, and types less
// of it. What is taken is part of the text, and a trace of its own tells of it.
func TestAccepts(t *testing.T) {
	t.Run("insert", func(t *testing.T) { accepts(t, plugin.AcceptInsert) })
	t.Run("replace_line", func(t *testing.T) { accepts(t, plugin.AcceptReplace) })
}

func accepts(t *testing.T, where plugin.Accept) {
	text, err := typing.Text("python-report")
	if err != nil {
		t.Fatal(err)
	}
	who := typist(t, "python-report", "fast")
	run := func(reads *typing.Reader) (*rounds, []*pipeline.Trace) {
		r := newRig(t, 4, 60*ms, 5*ms)
		w := &rounds{}
		r.config.Plugin.Wait.For, r.config.Plugin.Reuse = 50*ms, plugin.TypedAsSuggested
		r.config.Plugin.Display.Accept = where
		r.config.Right, r.config.Reads, r.config.Watch = .7, reads, w
		return w, r.run(1, 12_000, func(user int) typing.Source { return who.Type(3, user) })
	}
	through, typed := run(nil)
	taking, taken := run(&typing.Reader{Seed: 1, Right: .9, Wrong: .2, Full: 3})
	for _, w := range []*rounds{through, taking} {
		for i, got := range w.ended {
			if got != text {
				t.Fatalf("round %d ended with\n%s", i, got)
			}
		}
	}
	if len(through.ended) == 0 || len(taking.ended) <= len(through.ended) {
		t.Errorf("%d texts with suggestions that are taken, %d without, of as many keys", len(taking.ended), len(through.ended))
	}
	keys, accepts := 0, 0
	for _, trace := range taken {
		switch {
		case trace.Kind == pipeline.KindIDE:
			keys++
		case trace.Fact(pipeline.FactClass) == pipeline.ClassAccept:
			accepts++
			if trace.Fact(pipeline.FactSaved) == "" {
				t.Errorf("an accepted suggestion saved nothing: %+v", trace)
			}
		}
	}
	if keys != 12_000 || accepts < 100 {
		t.Errorf("%d keys and %d accepted suggestions, want 12,000 and some", keys, accepts)
	}
	for _, trace := range typed {
		if trace.Kind != pipeline.KindIDE {
			t.Fatalf("who takes nothing leaves a trace of kind %s", trace.Kind)
		}
	}
}

// accepting is typing that was written down, behind which nothing follows an acceptance.
type accepting struct{ scripted }

func (*accepting) Accepted(document.Edit, string) string { return "" }

// TestTakenWhileTheThreadWorks: who takes a suggestion while the editor's thread is at work waits
// for it as at any other step.
func TestTakenWhileTheThreadWorks(t *testing.T) {
	r := newRig(t, 4, 60*ms, 0)
	r.config.Plugin.Prepare, r.config.Plugin.Reuse = 3000*ms, plugin.TypedAsSuggested
	r.config.Reads = &typing.Reader{Seed: 1, Right: 1, Wrong: 1}
	s := &accepting{open("", "").will("abcdefgh = 1").key(0, "a").key(3100*ms, "b").key(9000*ms, "z").steps}
	traces := r.run(1, 9, func(int) typing.Source { return s })
	x := acceptance(t, traces)
	if want := fmt.Sprintf("key_wait %d-6100", x.Due/ms); x.Due <= 3100*ms || x.Due >= 6100*ms || !strings.HasPrefix(spans(x), want) {
		t.Errorf("taken at %s with spans %s, want between 3.1 s and 6.1 s, with %s", x.Due, spans(x), want)
	}
	if at := traces[0].Mark("accepted"); at != 6100*ms {
		t.Errorf("the suggestion is in the text at %s, want 6.1s", at)
	}
}
