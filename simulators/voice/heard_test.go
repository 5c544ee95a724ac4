package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// told is a recognizer that says what a test has it say, so long after the end of speech.
type told struct {
	loop pipeline.Scheduler
	says []pipeline.Heard // At is since the end of speech
	ends time.Duration
	text string
	more []bool // of each turn: whether another follows
}

func (s *told) Start(h *pipeline.Hearing) {
	end := h.Begin + h.Voice.SpeechEnd
	s.more = append(s.more, h.More)
	for _, say := range s.says {
		s.loop.At(end+say.At, pipeline.RankInput, func() {
			say.At = s.loop.Now()
			h.Notify(say)
		})
	}
	s.loop.At(end+s.ends, pipeline.RankInput, func() {
		h.Record.Text = s.text
		h.Done()
	})
}

func (s *told) Cancel(*pipeline.Hearing) {}

// asked is a model that keeps what it was asked.
type asked struct {
	pipeline.LLM
	prompts []string
}

func (a *asked) Start(c *pipeline.Call) {
	p := c.Prompt()
	a.prompts = append(a.prompts, p.Text)
	a.LLM.Start(c)
}

// heardTurns runs turns of one session on such a recognizer.
func heardTurns(t *testing.T, stt *told, stack Stack, prompts bool, turns int) (*asked, []*pipeline.Trace) {
	t.Helper()
	var loop pipeline.Virtual
	stt.loop = &loop
	model := &asked{LLM: hosted(&loop)}
	s := Services{
		STT: stt, Prompts: prompts, Last: func(_, index int) bool { return index == turns-1 },
		Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}},
	}
	id := int64(0)
	sim := New(Config{Loop: &loop, LLM: model, Stack: stack, Services: s, Seed: 1, NextRequest: func() int64 { id++; return id }})
	var all []*pipeline.Trace
	var next func()
	next = func() {
		sim.Begin(0, len(all), func(tr *pipeline.Trace) {
			if all = append(all, tr); len(all) < turns {
				loop.After(time.Second, pipeline.RankInput, next)
			}
		})
	}
	loop.At(time.Second, pipeline.RankInput, next)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return model, all
}

// TestSettled: the transcript is final with the word that it is, whether that comes with a text
// or by itself, and no sooner than there is a text and the user has finished. Speech has come to
// the agent 40 ms after it left the mouth.
func TestSettled(t *testing.T) {
	final := func(at time.Duration, settled bool) pipeline.Heard {
		return pipeline.Heard{Kind: pipeline.HeardFinal, At: at, Text: "hello", SoFar: "hello", Settled: settled}
	}
	event := func(at time.Duration, text string) pipeline.Heard {
		return pipeline.Heard{Kind: pipeline.HeardEvent, At: at, Name: "done", SoFar: text, Settled: true}
	}
	for name, tt := range map[string]struct {
		says []pipeline.Heard
		want string
	}{
		"with the text":    {[]pipeline.Heard{final(300*ms, true)}, "stt_tail 340ms, ok"},
		"by itself":        {[]pipeline.Heard{final(100*ms, false), event(300*ms, "hello")}, "stt_tail 340ms, ok"},
		"of earlier text":  {[]pipeline.Heard{final(-time.Second, true), event(300*ms, "hello")}, "stt_tail 340ms, ok"},
		"without a text":   {[]pipeline.Heard{event(200*ms, ""), final(300*ms, true)}, "stt_tail 340ms, ok"},
		"only at the end":  {[]pipeline.Heard{final(100*ms, false)}, "stt_tail 1.04s, ok"},
		"nothing but that": {[]pipeline.Heard{event(200*ms, "")}, `stt_tail -2562047h47m16.854775808s, error "speech to text: nothing was heard"`},
	} {
		text := "hello"
		if strings.HasPrefix(name, "nothing") {
			text = ""
		}
		_, all := heardTurns(t, &told{says: tt.says, ends: time.Second, text: text}, tuned, false, 1)
		tr := all[0]
		tail := pipeline.Unknown
		for _, s := range tr.Spans {
			if s.Name == pipeline.SpanSTTTail && s.End != pipeline.Unknown {
				tail = s.End - tr.Due
			}
		}
		got := fmt.Sprintf("stt_tail %s, %s", tail, tr.Outcome)
		if tr.Reason != "" {
			got += fmt.Sprintf(" %q", tr.Reason)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestPrompts: the model is asked with what was heard, of earlier turns of the call too, and with
// words of ours where nothing had been.
func TestPrompts(t *testing.T) {
	grows := tuned
	grows.Context = Context{Turns: 3, Grows: true}
	say := []pipeline.Heard{{Kind: pipeline.HeardFinal, At: 300 * ms, Text: "hello", SoFar: "hello there", Settled: true}}
	model, all := heardTurns(t, &told{says: say, ends: time.Second, text: "hello there"}, grows, true, 4)
	for i, want := range []int{1, 2, 3, 1} { // the fourth begins another call
		if got := strings.Count(model.prompts[i], "hello there"); got != want || !strings.HasSuffix(model.prompts[i], " hello there") {
			t.Errorf("turn %d: heard %d times, want %d: %q", i, got, want, model.prompts[i])
		}
		if got := all[i].Fact(pipeline.FactAskedWith); got != pipeline.PromptHeard {
			t.Errorf("turn %d was asked with %q", i, got)
		}
	}
	plain, all := heardTurns(t, &told{says: say, ends: time.Second, text: "hello there"}, grows, false, 4)
	for i := range plain.prompts {
		if strings.Contains(plain.prompts[i], "hello") || all[i].Fact(pipeline.FactAskedWith) != "" {
			t.Errorf("turn %d: %q", i, plain.prompts[i])
		}
	}
}

// TestGoesOn: turns of a call go on in its session, and the last of all in none.
func TestGoesOn(t *testing.T) {
	for turns, want := range map[int]string{0: "[false false false false]", 3: "[true true false false]", 4: "[true true true false]", 9: "[true true true false]"} {
		stack := tuned
		stack.Context.Turns = turns
		stt := &told{says: []pipeline.Heard{{Kind: pipeline.HeardFinal, At: 300 * ms, Text: "a", SoFar: "a", Settled: true}}, ends: time.Second, text: "a"}
		heardTurns(t, stt, stack, false, 4)
		if got := fmt.Sprint(stt.more); got != want {
			t.Errorf("%d turns a call: %s, want %s", turns, got, want)
		}
	}
}
