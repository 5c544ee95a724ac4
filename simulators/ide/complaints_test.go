package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// The cases in this file come from complaints about real plugins; instants and
// counts are exact. Sources: TabbyML/tabby PR 106, zed-industries/zed PR 33616
// (a request a key); continuedev/continue PR 2935, microsoft/vscode-copilot-chat
// PR 2478 (cancel in the editor only); binaricat/Netcatty PR 815,
// neovim/neovim PR 39628 (late answers); ggml-org/llama.vim issue 16,
// microsoft/vscode issue 276898 (blinking); read 2026-11-29.

var stale = []string{string(document.Diverged), string(document.Moved), string(document.Undone), string(document.Dropped)}

// sent returns when requests were sent, in ms.
func sent(all []pipeline.Request) (at []int64) {
	for _, r := range all {
		at = append(at, r.Sent.Milliseconds())
	}
	return at
}

// closed returns when requests were closed, in ms.
func closed(all []pipeline.Request) (at []int64) {
	for _, r := range all {
		if r.Outcome == pipeline.Cancelled {
			at = append(at, r.End.Milliseconds())
		}
	}
	return at
}

// wasted returns the number of stale answers, and the tokens of theirs and of
// closed requests.
func wasted(traces []*pipeline.Trace) (answers, tokens int) {
	for _, t := range traces {
		isStale := slices.Contains(stale, t.Fact("verdict"))
		if isStale {
			answers++
		}
		for _, r := range t.Requests {
			if isStale || r.Outcome == pipeline.Cancelled {
				tokens += r.OutputTokens
			}
		}
	}
	return answers, tokens
}

// unrelated makes every answer wrong and 20 tokens long.
func unrelated(r *rig, a *at) *at {
	r.config.Right = 0
	return a.will(string(a.doc.Before()) + "if a == b || c == d || e == f || g == h || i == j { return }")
}

// One request a key and no cancel: the queue grows without end. The last answer
// ends 9400 ms after the last key, and 220 of 240 tokens are for nobody.
func TestQueueOfRequestsWithoutCancel(t *testing.T) {
	r := newRig(t, 1, 50*ms, 50*ms)
	r.config.Plugin.Wait.For = 150 * ms
	traces := r.play(unrelated(r, open("", "")).keys(0, 250*ms, "if a == b ||"))
	all := requests(traces)
	want := []int64{150, 400, 650, 900, 1150, 1400, 1650, 1900, 2150, 2400, 2650, 2900}
	if got := sent(all); !slices.Equal(got, want) {
		t.Errorf("sent at %v, want %v", got, want)
	}
	if got := all[11].End; got != 12150*ms || got-traces[11].Due != 9400*ms {
		t.Errorf("last answer ended at %s, %s after its key; want 12.15s, 9.4s", got, got-traces[11].Due)
	}
	if answers, tokens := wasted(traces); answers != 11 || tokens != 220 {
		t.Errorf("%d stale answers, %d tokens wasted; want 11, 220", answers, tokens)
	}
}

// With cancel on the wire the last request starts at once.
func TestQueueOfRequestsWithCancel(t *testing.T) {
	r := newRig(t, 1, 50*ms, 50*ms)
	r.config.Plugin.Wait.For, r.config.Plugin.Cancel = 150*ms, plugin.CancelWire
	traces := r.play(unrelated(r, open("", "")).keys(0, 250*ms, "if a == b ||"))
	all := requests(traces)
	last := traces[11]
	if len(all) != 12 || len(closed(all)) != 11 {
		t.Errorf("%d requests, %d closed; want 12, 11", len(all), len(closed(all)))
	}
	if got := all[11]; got.Scheduled != 2900*ms || got.End != 3900*ms || got.End-last.Due != 1150*ms {
		t.Errorf("last request ran from %s to %s; want 2.9s to 3.9s", got.Scheduled, got.End)
	}
	if got := last.Mark("first_character"); got != 2950*ms || got-last.Due != 200*ms {
		t.Errorf("first text at %s; want 2.95s, 200ms after the key", got)
	}
}

// document.Dropped in the editor is not closed on the wire.
func TestCancelThatDoesNotReachTheWire(t *testing.T) {
	for _, c := range []struct {
		cancel         plugin.Cancel
		closed         []int64
		stale, wasted  int
		prefillsWasted int
	}{
		{plugin.CancelDiscard, nil, 4, 80, 0},
		{plugin.CancelWire, []int64{120, 240, 360, 480}, 0, 0, 4},
	} {
		t.Run(c.cancel.String(), func(t *testing.T) {
			r := newRig(t, 4, 200*ms, 10*ms)
			r.config.Plugin.Wait.For, r.config.Plugin.Cancel = 50*ms, c.cancel
			traces := r.play(unrelated(r, open("", "")).keys(0, 120*ms, "if a "))
			all := requests(traces)
			if got := sent(all); !slices.Equal(got, []int64{50, 170, 290, 410, 530}) {
				t.Errorf("sent at %v", got)
			}
			if got := closed(all); !slices.Equal(got, c.closed) {
				t.Errorf("closed at %v, want %v", got, c.closed)
			}
			if answers, tokens := wasted(traces); answers != c.stale || tokens != c.wasted {
				t.Errorf("%d stale answers, %d tokens wasted; want %d, %d", answers, tokens, c.stale, c.wasted)
			}
			prefills := 0
			for _, r := range all {
				if r.Outcome == pipeline.Cancelled && r.OutputTokens == 0 {
					prefills++
				}
			}
			if prefills != c.prefillsWasted {
				t.Errorf("%d prefills wasted, want %d", prefills, c.prefillsWasted)
			}
			if got := traces[4].Mark("first_character"); got != 730*ms || got-traces[4].Due != 250*ms {
				t.Errorf("first text at %s; want 730ms, 250ms after the last key", got)
			}
		})
	}
}

// An answer to an older version is right when the typing is its start.
func TestLateAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		then    func(*at)
		verdict document.Verdict
		shown   string
		accept  string
	}{
		{"A types s", func(a *at) { a.key(80*ms, "s") }, document.TypedThrough, "ole.log(x)", "console.log(x)"},
		{"B types f", func(a *at) { a.key(80*ms, "f") }, document.Diverged, "", ""},
		{"C backspace", func(a *at) { a.backspace(80 * ms) }, document.Undone, "", ""},
		{"D cursor to another line", func(a *at) { a.move(80*ms, 0) }, document.Moved, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, 1, 0, 0)
			model := &spoken{loop: r.loop, after: 120 * ms, says: []string{"sole.log(x)"}}
			r.config.LLM = model
			a := open("\nco", "").key(0, "n")
			c.then(a)
			steps := scripted(a.steps)
			e := r.start(1, 10, func(int) typing.Source { return &steps }, func() {})[0]
			r.loop.At(150*ms, pipeline.RankStart, func() { // before any later request is answered
				if e.Shown() != c.shown {
					t.Errorf("shown is %q, want %q", e.Shown(), c.shown)
				}
				if got := e.document.Text() + e.Shown(); c.shown != "" && got != "\n"+c.accept {
					t.Errorf("accepted it gives %q, want %q", got, c.accept)
				}
			})
			if err := r.virtual.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.sort()
			if got := r.traces[0].Fact("verdict"); got != string(c.verdict) {
				t.Errorf("verdict is %s, want %s", got, c.verdict)
			}
			if got, want := r.traces[0].Mark("first_character") == 120*ms, c.shown != ""; got != want {
				t.Errorf("first character came at 120 ms: %t, want %t", got, want)
			}
		})
	}
}

// Typing what the ghost says makes it blink unless it shrinks.
func TestGhostBlinks(t *testing.T) {
	for _, c := range []struct {
		reuse    plugin.Reuse
		requests int
		blank    time.Duration // in all
		flickers int           // shown again what a key had hidden
		reused   int
	}{
		{plugin.ReuseNone, 6, 480 * ms, 6, 0},
		{plugin.TypedAsSuggested, 0, 0, 0, 6},
	} {
		t.Run(c.reuse.String(), func(t *testing.T) {
			r := newRig(t, 1, 60*ms, 5*ms)
			r.config.Plugin.Wait.For, r.config.Plugin.Cancel, r.config.Plugin.Reuse = 20*ms, plugin.CancelWire, c.reuse
			steps := scripted(open("", "").will("return a + b").keys(90*ms, 90*ms, "return").steps)
			e := r.start(1, 10, func(int) typing.Source { return &steps }, func() {})[0]
			r.loop.At(0, pipeline.RankTimer, func() { e.screen = screen{rest: "return a + b", request: 99, whole: true, over: e.screen.over} })
			if err := r.virtual.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.sort()
			var blank time.Duration
			flickers, reused := 0, 0
			for _, trace := range r.traces {
				wait := trace.Mark("first_character") - trace.Due
				blank += wait
				if wait > 0 {
					flickers++
				}
				if slices.Equal(trace.Uses, []pipeline.Use{{Request: 99, How: "typed-as-suggested"}}) && trace.Fact("source") == "typed_as_suggested" {
					reused++
				}
			}
			if n := len(requests(r.traces)); n != c.requests || blank != c.blank || flickers != c.flickers || reused != c.reused {
				t.Errorf("%d requests, blank for %s, %d flickers, %d reused; want %+v", n, blank, flickers, reused, c)
			}
			if want := " a + b"; e.Shown() != want {
				t.Errorf("in the end %q is shown, want %q", e.Shown(), want)
			}
		})
	}
}
