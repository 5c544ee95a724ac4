package speech

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

const testRate = 16000

// telling is an event and the instant at which it was told.
type telling struct {
	at time.Duration
	Event
}

var kindNames = [...]string{"speech started", "interim", "final", "eager end", "resumed", "end of speech", "utterance end", "closed"}

// String is what tests compare.
func (t telling) String() string {
	s := fmt.Sprintf("%v %s %d, %v to %v", t.at, kindNames[t.Kind], t.Utterance, t.Start, t.End)
	if len(t.Words) > 0 {
		s += fmt.Sprintf(": %s (%v to %v)", t.Text(), t.Words[0].Start, t.Words[len(t.Words)-1].End)
	}
	if t.Endpoint {
		s += ", endpoint"
	}
	return s
}

// conversation is a recognizer that hears audio in real time, in chunks, each of which
// arrives when its last sample has been recorded.
type conversation struct {
	loop pipeline.Virtual
	*Recognizer
	told   []telling
	speech []Edge // starts and ends in the audio
}

func converse(h Hearing, samples []int16, chunk time.Duration) *conversation {
	c := &conversation{speech: edges(DetectorConfig{Rate: testRate}, samples, uncut)}
	h.Rate = testRate
	c.Recognizer = NewRecognizer(&c.loop, h, func(e Event) { c.told = append(c.told, telling{c.loop.Now(), e}) })
	n := audio.Samples(chunk, testRate)
	for at := 0; at < len(samples); at += n {
		piece := samples[at:min(at+n, len(samples))]
		c.loop.At(audio.Duration(at+len(piece), testRate), pipeline.RankInput, func() { c.Feed(piece) })
	}
	return c
}

// do has f run at an instant, after the audio that arrives then.
func (c *conversation) do(at time.Duration, f func()) *conversation {
	c.loop.At(at, pipeline.RankTimer, f)
	return c
}

func (c *conversation) run(t testing.TB) []telling {
	t.Helper()
	if err := c.loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c.told
}

// said is speech of so many characters, 18 a second, after a second of silence, and the
// silence that follows.
func said(characters int, silence time.Duration) []int16 {
	return Say(strings.Repeat("oleander ", characters)[:characters-1]+"a", TTS{Lead: time.Second, Tail: silence}, testRate).Samples
}

// spokenTexts is speech at the usual pace with a second of silence around each text.
func spokenTexts(texts ...string) []int16 {
	var samples []int16
	for _, text := range texts {
		samples = append(samples, Say(text, TTS{Lead: time.Second, Tail: time.Second}, testRate).Samples...)
	}
	return samples
}

func compare(t *testing.T, got []telling, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i].String()
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("event %d:\n got %s\nwant %s", i, g, w)
		}
	}
}

// TestAnyConversation: speech and silence of any length, in any chunks, with any requests.
// Every word of the script is told once and in order, finals follow on each other, no
// sample is told of before it has arrived, and every utterance that starts ends.
func TestAnyConversation(t *testing.T) {
	script := Script{Texts: []string{"a1 a2 a3 a4 a5 a6 a7 a8", "b1 b2", "c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19 c20"}}
	all := strings.Fields(strings.Join(script.Texts, " "))
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		var samples []int16
		for range 1 + r.IntN(8) {
			samples = append(samples, said(2+r.IntN(60), time.Duration(r.IntN(1500))*ms)[r.IntN(testRate):]...)
		}
		p := STT{Final: dist.Uniform(0, 600*ms), Interim: dist.Uniform(0, 300*ms), Every: time.Duration(r.IntN(3)*200) * ms, MaxSpan: time.Duration(r.IntN(3)) * time.Second}
		h := Hearing{Profile: p, Script: script, Seed: seed, WordGap: time.Duration(r.IntN(2)*500) * ms,
			Turn: Turn{Silence: time.Duration(10+r.IntN(600)) * ms, Unfinished: time.Duration(r.IntN(2)*1000) * ms, Eager: time.Duration(r.IntN(300)) * ms, Never: r.IntN(6) == 0}}
		chunk := time.Duration(1+r.IntN(400)) * ms
		c := converse(h, samples, chunk)
		end := audio.Duration(len(samples), testRate)
		for range r.IntN(4) {
			c.do(time.Duration(r.Int64N(int64(end))), []func(){c.Finalize, func() { c.EndTurn() }}[r.IntN(2)])
		}
		c.do(end, c.Close).run(t)
		checkConversation(t, seed, c, all, chunk)
	}
}

func checkConversation(t *testing.T, seed uint64, c *conversation, all []string, chunk time.Duration) {
	t.Helper()
	open, said, span, hasty := false, 0, time.Duration(0), false
	end := time.Duration(0) // of the last word
	never := c.h.Turn.Never // then UtteranceEnd may end an utterance without more
	for i, e := range c.told {
		bad := func(what string) { t.Errorf("seed %d: %s: %s", seed, e, what) }
		if arrived := min((e.End+chunk-1)/chunk*chunk, c.Heard()); e.at < arrived && e.End > 0 && e.Cause == BySilence {
			bad(fmt.Sprintf("its audio arrives at %s", arrived))
		}
		switch e.Kind {
		case SpeechStarted:
			if open && !never {
				bad("an utterance is open")
			}
			open = true
		case EndOfSpeech:
			if !open {
				bad("no utterance is open to end")
			}
			open = false
		case Final:
			if e.Start != span || e.End < e.Start {
				bad(fmt.Sprintf("want one from %s", span))
			}
			span, hasty = e.End, false
			for _, w := range e.Words {
				if w.Text != all[said%len(all)] {
					bad("want " + all[said%len(all)])
				}
				if w.Start < end || w.End < w.Start || w.End > e.End || w.Confidence < .9 || w.Confidence > .99 {
					bad(fmt.Sprint(w, " after ", end))
				}
				if !c.within(w) {
					bad(fmt.Sprint(w, " lies in no speech"))
				}
				end = w.End
				said++
			}
		case EagerEnd:
			hasty = true
		case Resumed:
			if !hasty {
				bad("nothing to resume")
			}
			hasty = false
		case Closed:
			if i != len(c.told)-1 {
				bad("more comes after it")
			}
		}
	}
	if open && !never {
		t.Errorf("seed %d: an utterance never ends", seed)
	}
}

// within reports whether a word begins in speech, and ends in it.
func (c *conversation) within(w Word) bool {
	starts, ends := false, false
	for i := 0; i < len(c.speech); i += 2 {
		from, to := c.speech[i].At, c.speech[i+1].At
		starts = starts || from <= w.Start && w.Start <= to
		ends = ends || from <= w.End && w.End <= to
	}
	return starts && ends
}
