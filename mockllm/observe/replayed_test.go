package observe_test

import (
	"testing"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// Windows of the prompts in these tests, in bytes.
const (
	windowBefore = 3000
	windowAfter  = 800
)

// typed is a step of a typing that was asked about, as an observer can see it.
type typed struct {
	insert  string
	deleted int
	moved   bool // of the document nothing changed, such as when a closing bracket is typed over
}

// observed has a plugin ask at each of the first n steps, and returns what was done before
// each request but the first of a document.
func observed(t testing.TB, source typing.Source, n int) (o *observe.Observer, done []typed) {
	t.Helper()
	o = observe.New(observe.Config{})
	var d document.Document
	var now time.Duration
	for range n {
		step, ok := source.Next()
		if !ok {
			break
		}
		old := ""
		if step.Kind == typing.Key || step.Kind == typing.Change {
			old = d.Text()[step.Edit.Offset : step.Edit.Offset+step.Edit.Delete]
		}
		step.Do(&d)
		now += step.Gap
		before, after := string(d.Before()), d.After()
		before, after = before[max(0, len(before)-windowBefore):], after[:min(len(after), windowAfter)]
		o.Begin(observe.Request{Arrived: now, Prompt: observe.Made(observe.Section{Name: observe.Prefix, Text: before}, observe.Section{Name: observe.Suffix, Text: after})})
		switch {
		case step.Kind == typing.Open && len(done) == 0: // the first request of all
		case step.Kind == typing.Move || old == step.Edit.Insert:
			done = append(done, typed{moved: true})
		default:
			done = append(done, typed{insert: step.Edit.Insert, deleted: step.Edit.Delete})
		}
	}
	return o, done
}

// TestTypistIsReconstructed: of a person who types, with slips, backspaces and closed
// brackets, each key is told exactly.
func TestTypistIsReconstructed(t *testing.T) {
	text, err := typing.Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := typing.ProfileNamed("average")
	if err != nil {
		t.Fatal(err)
	}
	y, err := typing.NewTypist(text, profile)
	if err != nil {
		t.Fatal(err)
	}
	o, done := observed(t, y.Type(1, 0), 600)
	r := o.Report(true)
	if len(r.Documents) != 1 || r.Documents[0].Erased == 0 {
		t.Fatalf("%d documents, want 1", len(r.Documents))
	}
	for i, s := range r.Documents[0].Steps[1:] {
		want := done[i]
		if s.Text != want.insert || s.Deleted != want.deleted || (s.Kind == observe.Moved || s.Kind == observe.Same) != want.moved {
			t.Errorf("step %d: %s %q, %d bytes deleted; want %+v", i, s.Kind, s.Text, s.Deleted, want)
		}
	}
}

// TestSessionIsReconstructed: of the recorded session of an expert, with pastes, formatting
// and edits of several places at once, the bytes that came and went are those of the
// recording in all but 77 of 1497 steps: the editor wrote text again that was there, of which
// only the difference is seen. Texts of more than a suggestion that come in at once begin a
// document each.
func TestSessionIsReconstructed(t *testing.T) {
	source, err := recording.BuiltIn().Replay(22)
	if err != nil {
		t.Fatal(err)
	}
	o, done := observed(t, source, 1500)
	r := o.Report(true)
	same, all := 0, 0
	for _, d := range r.Documents {
		for _, s := range d.Steps[1:] {
			all++
			if want := done[s.Request-2]; s.Text == want.insert && s.Deleted == want.deleted && (s.Kind == observe.Moved || s.Kind == observe.Same) == want.moved {
				same++
			}
		}
	}
	if len(r.Documents) != 3 || same != 1420 || all != 1497 {
		t.Errorf("%d documents, %d of %d steps told exactly; want 3, 1420 of 1497", len(r.Documents), same, all)
	}
}
