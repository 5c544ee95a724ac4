package observe_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// TestKeysReplay: the simulator of editors replays what was written, key by key, and ends
// with the text that the last prompt showed.
func TestKeysReplay(t *testing.T) {
	o := observe.New(observe.Config{})
	now := time.Minute
	ask := func(after time.Duration, before, behind string) int {
		now += after
		return o.Begin(observe.Request{Arrived: now, Prompt: observe.Made(observe.Section{Name: observe.Prefix, Text: before}, observe.Section{Name: observe.Suffix, Text: behind})})
	}
	const head = "// 😀 é\nfunc f() {\n\tx := "
	ask(0, head, "\n}\n")
	ask(300*time.Millisecond, head+"c", "\n}\n")
	ask(400*time.Millisecond, head+"ca(", ")\n}\n")
	n := ask(200*time.Millisecond, head+"c", "\n}\n") // two backspaces, the first in the pair
	o.Finish(n, observe.End{First: now + 10*time.Millisecond, Ended: now + 20*time.Millisecond, Left: pipeline.Unknown, Generated: 3, Answer: "os(x)"})
	ask(900*time.Millisecond, head+"cos(x)", "\n}\n")                 // accepted
	ask(900*time.Millisecond, head+"cos(x)\n\t{\n\t\t", "\n\t}\n}\n") // and typed: an end of a line with its indent, and a block
	ask(900*time.Millisecond, "// 😀 é", "\nfunc f() {\n\tx := cos(x)\n\t{\n\t\t\n\t}\n}\n")

	var out bytes.Buffer
	if err := o.WriteKeys(&out); err != nil {
		t.Fatal(err)
	}
	s, err := recording.Read("keys", bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	replay, err := s.Replay(1)
	if err != nil {
		t.Fatal(err)
	}
	var d document.Document
	var at time.Duration
	var keys []string
	for {
		step, ok := replay.Next()
		if !ok {
			break
		}
		at += step.Gap
		switch step.Kind {
		case typing.Open:
			d.Open(step.Text, 0)
		case typing.Move:
			d.Move(step.Cursor)
		default:
			d.Apply(step.Edit)
		}
		if step.Kind == typing.Key {
			keys = append(keys, step.Edit.Insert)
		}
	}
	if got, want := d.Text(), "// 😀 é\nfunc f() {\n\tx := cos(x)\n\t{\n\t\t\n\t}\n}\n"; got != want || string(d.Before()) != "// 😀 é" || at != 3600*time.Millisecond {
		t.Errorf("replayed in %s to %q with %q before the cursor; want %q after 3.6s\n%s", at, got, d.Before(), want, &out)
	}
	if want := []string{"c", "a", "()", "", ""}; !slices.Equal(keys[:min(5, len(keys))], want) {
		t.Errorf("keys %q, want %q first", keys, want)
	}
}

// TestKeysAreBounds: a key's line says between which instants it was pressed.
func TestKeysAreBounds(t *testing.T) {
	o := observe.New(observe.Config{})
	for i, text := range []string{"text", "text, and mo"} {
		o.Begin(observe.Request{Arrived: time.Duration(i+1) * 10 * time.Second, Prompt: observe.Plain(text)})
	}
	var out bytes.Buffer
	if err := o.WriteKeys(&out); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for line := range strings.Lines(out.String()) {
		var e struct {
			K        string
			T        int64
			Earliest *int64
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.K != "char" {
			continue
		}
		if got = append(got, e.T); e.Earliest == nil || *e.Earliest != 0 {
			t.Errorf("%s: want the earliest instant 0", line)
		}
	}
	if want := []int64{8600, 8800, 9000, 9200, 9400, 9600, 9800, 10000}; !slices.Equal(got, want) {
		t.Errorf("keys at %d, want %d", got, want)
	}
}
