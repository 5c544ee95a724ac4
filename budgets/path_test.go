package budgets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

func words(path []Segment) string {
	var out []string
	for _, s := range path {
		out = append(out, fmt.Sprintf("%s %v", s.Name, s.For()))
	}
	return strings.Join(out, ", ")
}

func TestPath(t *testing.T) {
	plain := turn(3, 90*ms, 180*ms)
	late := turn(3, 90*ms, 180*ms) // heard 5 ms after its last span
	late.Marks[0].At += 5 * ms
	waited := turn(3, 90*ms, 180*ms) // the model began 30 ms late
	for id := 4; id <= 5; id++ {
		waited.Spans[id].Start += 30 * ms
		waited.Spans[id].End += 30 * ms
	}
	waited.Marks[0].At += 30 * ms
	behind := turn(3, 90*ms, 180*ms) // a transcript 27 ms slower than the wait for the end of the turn
	behind.Spans[3].End = behind.Spans[2].End + 27*ms
	for id := 4; id <= 5; id++ {
		behind.Spans[id].Start += 27 * ms
		behind.Spans[id].End += 27 * ms
	}
	behind.Marks[0].At += 27 * ms
	early := turn(3, 90*ms, 180*ms) // uplink began before the turn was due
	early.Spans[0].Start -= 15 * ms
	inside := key(1, true, 120*ms) // the last span goes on after the landing
	inside.Spans[1].End += 40 * ms
	bare := key(1, true, -1)
	bare.Marks = []pipeline.Mark{{Name: "first_character", At: bare.Due + 7*ms}}
	open := key(1, true, 120*ms) // a span that never ended explains nothing
	open.Append("stream", ms, true)
	open.Spans[2].End = pipeline.Unknown

	tests := []struct {
		name  string
		trace pipeline.Trace
		mark  string
		want  string
	}{
		{"plain", plain, "reply_heard", "uplink 20ms, vad_wait 200ms, end_of_turn 90ms, llm_first_token 180ms, tts_first_audio 120ms"},
		{"landing after the last span", late, "reply_heard", "uplink 20ms, vad_wait 200ms, end_of_turn 90ms, llm_first_token 180ms, tts_first_audio 120ms, wait before reply_heard 5ms"},
		{"a wait", waited, "reply_heard", "uplink 20ms, vad_wait 200ms, end_of_turn 90ms, wait before llm_first_token 30ms, llm_first_token 180ms, tts_first_audio 120ms"},
		{"the other branch", behind, "reply_heard", "uplink 20ms, stt_tail 317ms, llm_first_token 180ms, tts_first_audio 120ms"},
		{"clipped at due", early, "reply_heard", "uplink 20ms, vad_wait 200ms, end_of_turn 90ms, llm_first_token 180ms, tts_first_audio 120ms"},
		{"clipped at the landing", inside, "first_character", "debounce 50ms, llm_first_token 70ms"},
		{"no span", bare, "first_character", "wait before first_character 7ms"},
		{"open span", open, "first_character", "debounce 50ms, llm_first_token 70ms"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := newGraph(&test.trace, test.mark, test.trace.Mark(test.mark))
			if got := words(g.path()); got != test.want {
				t.Errorf("path =\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The segments of any path follow each other and add up to landing - due.
func TestPathAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		x := anyGraph(rng)
		landing := x.Due + time.Duration(rng.IntN(150)) // anywhere, also inside a span
		g := newGraph(&x, "reply_heard", landing)
		cursor := x.Due
		for _, s := range g.path() {
			if s.Start != cursor || s.End <= s.Start {
				t.Fatalf("%+v: path %s is broken at %v", x, words(g.path()), cursor)
			}
			cursor = s.End
		}
		if cursor != landing {
			t.Fatalf("%+v: path %s ends at %v, want %v", x, words(g.path()), cursor, landing)
		}
	}
}

// With its slack added a span does not move the landing, with a nanosecond more
// it does, by that nanosecond; a span without slack to speak of never does.
func TestSlackIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20_000 {
		x := anyGraph(rng)
		g := newGraph(&x, "reply_heard", x.End)
		longer := func(which pipeline.SpanID, by time.Duration) time.Duration {
			return g.replay(func(id pipeline.SpanID) time.Duration {
				if id == which {
					return g.took(id) + by
				}
				return g.took(id)
			})
		}
		for i, slack := range g.slack() {
			id := pipeline.SpanID(i)
			switch {
			case slack == pipeline.Unknown:
				if got := longer(id, time.Hour); got != x.End {
					t.Fatalf("%+v: span %d moves the landing to %v", x, id, got)
				}
			case longer(id, slack) != x.End || longer(id, slack+1) != x.End+1:
				t.Fatalf("%+v: span %d has slack %v, but with it the landing is %v, with 1 ns more %v, want %v",
					x, id, slack, longer(id, slack), longer(id, slack+1), x.End)
			}
		}
	}
}

// Spans on the critical path have no slack.
func TestCriticalSpansHaveNoSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 5_000 {
		x := anyGraph(rng)
		g := newGraph(&x, "reply_heard", x.End)
		slack := g.slack()
		for _, s := range g.path() {
			if s.Span != pipeline.NoSpan && slack[s.Span] != 0 {
				t.Fatalf("%+v: span %d is on the path %s with slack %v", x, s.Span, words(g.path()), slack[s.Span])
			}
		}
	}
}

func TestSlack(t *testing.T) {
	x := turn(0, 90*ms, 180*ms)
	aside := x.Append("log", 9*ms, true, 2)
	g := newGraph(&x, "reply_heard", x.Mark("reply_heard"))
	want := []time.Duration{0, 0, 0, 243 * ms, 0, 0, pipeline.Unknown}
	if got := g.slack(); !slices.Equal(got, want) || aside != 6 {
		t.Errorf("slack = %v, want %v", got, want)
	}
}
