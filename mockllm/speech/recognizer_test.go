package speech

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

var quick = STT{
	Final:   dist.Constant(250 * ms),
	Interim: dist.Constant(100 * ms),
	Every:   500 * ms,
	Turn:    Turn{Silence: 200 * ms},
}

// three is a text of 18 characters' time, as long as said(18, ...) takes.
const three = "aaaaa bbbbb ccccc"

// TestAnUtterance tells all of one, to the nanosecond: speech from 1 s to 2 s, which is
// found 120 ms after its start, in chunks of 20 ms.
func TestAnUtterance(t *testing.T) {
	h := Hearing{Profile: quick, Script: Script{Texts: []string{three}}, WordGap: 600 * ms}
	c := converse(h, said(18, time.Second), 20*ms)
	compare(t, c.do(3*time.Second, c.Close).run(t),
		"1.12s speech started 0, 1s to 1.12s",
		"1.72s interim 0, 0s to 1.62s: aaaaa (1s to 1.333s)", // heard 500 ms later, told 100 ms after that
		"2.2s end of speech 0, 0s to 2s",
		"2.22s interim 0, 0s to 2.12s: aaaaa bbbbb ccccc (1s to 2s)",
		"2.25s final 0, 0s to 2.2s: aaaaa bbbbb ccccc (1s to 2s), endpoint", // 250 ms after the last sample
		"2.6s utterance end 0, 2s to 2s",
		"3s closed 0, 3s to 3s",
	)
}

// TestChunksOfAQuarterSecond: the same audio, of which each chunk is heard when it has
// arrived. The last sample of speech comes with the chunk that ends at 2 s, the silence of
// 200 ms after it with the one that ends at 2.25 s.
func TestChunksOfAQuarterSecond(t *testing.T) {
	h := Hearing{Profile: quick, Script: Script{Texts: []string{three}}, WordGap: 600 * ms}
	c := converse(h, said(18, time.Second), 250*ms)
	compare(t, c.do(3*time.Second, c.Close).run(t),
		"1.25s speech started 0, 1s to 1.12s",
		"1.85s interim 0, 0s to 1.62s: aaaaa (1s to 1.333s)",
		"2.25s end of speech 0, 0s to 2s",
		"2.25s final 0, 0s to 2.2s: aaaaa bbbbb ccccc (1s to 2s), endpoint",
		"2.75s utterance end 0, 2s to 2s",
		"3s closed 0, 3s to 3s",
	)
}

// TestFinalsWaitForBoth: for the recognition, counted from the last sample of speech, and
// for the silence that ends the utterance, at the same time. No silence ends one that is
// shorter than the detector's hangover.
func TestFinalsWaitForBoth(t *testing.T) {
	for _, c := range []struct{ final, silence, want time.Duration }{
		{250 * ms, 200 * ms, 250 * ms},
		{250 * ms, 500 * ms, 500 * ms},
		{50 * ms, 10 * ms, 100 * ms},
		{0, 250 * ms, 250 * ms},
		{1234 * ms, 10 * ms, 1234 * ms},
	} {
		p := quick
		p.Final, p.Turn.Silence = dist.Constant(c.final), c.silence
		told := converse(Hearing{Profile: p}, said(18, 2*time.Second), 10*ms).run(t)
		if last := told[len(told)-1]; last.Kind != Final || last.at != lastSpeech(told)+c.want {
			t.Errorf("final after %s, silence %s: %s, want a final at %s", c.final, c.silence, last, lastSpeech(told)+c.want)
		}
	}
}

// lastSpeech returns the last sample of speech.
func lastSpeech(told []telling) (end time.Duration) {
	for _, e := range told {
		if e.Kind == EndOfSpeech {
			end = e.End
		}
	}
	return end
}

// timeless returns what does not depend on chunks: all but the instants, and the interims,
// which a Final may overtake. What comes at once is listed before what takes its time.
func timeless(told []telling) (all []string) {
	for _, atOnce := range []bool{true, false} {
		for _, e := range told {
			if e.Kind != Interim && (e.Kind == SpeechStarted || e.Kind == EndOfSpeech) == atOnce {
				all = append(all, strings.SplitN(e.String(), " ", 2)[1])
			}
		}
	}
	return all
}

// TestPositionsDoNotDependOnChunks: neither do words. Only who starts to speak before the
// final of what came before may be told of before it.
func TestPositionsDoNotDependOnChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	samples := spokenTexts("Could you book a table for two?", "At eight tomorrow, please, or at nine if that is easier for you.", "Thanks.")
	p := quick
	p.MaxSpan, p.Final = 2*time.Second, dist.Constant(0)
	h := Hearing{Profile: p, Script: Script{Texts: []string{"One two three four five six.", "Seven, eight, nine, ten, eleven and twelve are the other ones."}}, WordGap: 700 * ms}
	c := converse(h, samples, 20*ms)
	end := audio.Duration(len(samples), testRate)
	want := timeless(c.do(end, c.Close).run(t))
	if len(want) < 12 {
		t.Fatalf("only %d events: %q", len(want), want)
	}
	for _, chunk := range []time.Duration{250 * ms, time.Second, time.Minute, time.Duration(1+r.IntN(1000)) * ms, 1 * ms, 7777 * time.Microsecond} {
		c := converse(h, samples, chunk)
		if got := timeless(c.do(end, c.Close).run(t)); !slices.Equal(got, want) {
			t.Errorf("chunks of %s:\n%s\nwant\n%s", chunk, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestLongUtterances: finals come before the endpoint, each ends with its last word, they
// follow on each other and their words are the text.
func TestLongUtterances(t *testing.T) {
	const text = "Seven, eight, nine, ten, eleven and twelve are the numbers that come after the first six ones."
	p := quick
	p.MaxSpan, p.Every = 2*time.Second, 400*ms
	h := Hearing{Profile: p, Script: Script{Texts: []string{text}}, Turn: Turn{Silence: 400 * ms}}
	told := converse(h, spokenTexts(text), 20*ms).run(t)
	var words []string
	finals, shown, end := 0, 0, time.Duration(0)
	for _, e := range told {
		switch e.Kind {
		case Interim:
			if len(e.Words) < shown {
				t.Errorf("%s: an interim has fewer words than the one before", e)
			}
			shown = len(e.Words)
		case Final:
			if e.Start != end || e.Cause == BySpan && e.End != e.Words[len(e.Words)-1].End || e.Endpoint != (e.Cause == BySilence) {
				t.Errorf("%s: does not follow on %s", e, end)
			}
			words = append(words, e.Text())
			finals, shown, end = finals+1, 0, e.End
		}
	}
	if got := strings.Join(words, " "); got != text || finals != 4 {
		t.Errorf("%d finals: %q, want 4: %q", finals, got, text)
	}
}

// TestScripts: a text an utterance, in turn, and then again or nothing more.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		script Script
		want   []string
	}{
		{Script{Texts: []string{"one one one", "two two two"}}, []string{"one one one", "two two two", "one one one"}},
		{Script{Texts: []string{"one one one", "two two two"}, Ends: true}, []string{"one one one", "two two two", ""}},
		{Script{Texts: []string{"one one one", ""}}, []string{"one one one", "", "one one one"}},
	} {
		told := converse(Hearing{Profile: quick, Script: c.script}, spokenTexts("one one one", "two two two", "six six six"), 20*ms).run(t)
		var got []string
		for _, e := range told {
			if e.Kind == Final {
				got = append(got, e.Text())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: heard %q, want %q", c.script, got, c.want)
		}
	}
}

// TestWordsOfTheSeed: 2.5 a second, others for each utterance, stream and seed.
func TestWordsOfTheSeed(t *testing.T) {
	heard := func(seed uint64, stream int) (all []string) {
		h := Hearing{Profile: quick, Seed: seed, Stream: stream}
		samples := slices.Concat(said(180, time.Second), said(36, time.Second), said(4, time.Second))
		for _, e := range converse(h, samples, 20*ms).run(t) {
			if e.Kind == Final {
				all = append(all, e.Text())
			}
		}
		return all
	}
	one := heard(1, 0)
	if len(one) != 3 || words(one[0]) != 25 || words(one[1]) != 5 || words(one[2]) != 1 {
		t.Errorf("heard %q, want 25 words of 10 s, 5 of 2 s and 1 of less", one)
	}
	if strings.HasPrefix(one[0], one[1]) {
		t.Errorf("both utterances begin with %q", one[1])
	}
	if !slices.Equal(heard(1, 0), one) {
		t.Error("the same seed and stream hear other words")
	}
	if slices.Equal(heard(2, 0), one) || slices.Equal(heard(1, 1), one) {
		t.Error("another seed or stream hears the same words")
	}
}

func words(text string) int { return len(strings.Fields(text)) }

// TestAnUtteranceThatStopsEarly: before half of its text was heard, an endpoint tells
// what was; the text goes on with the next speech. What is told early, because more than
// half was heard, is over, and speech that goes on soon has no words.
func TestAnUtteranceThatStopsEarly(t *testing.T) {
	const text = "aaaaa bbbbb ccccc ddddd eeeee" // 30 characters' time
	h := Hearing{Profile: quick, Script: Script{Texts: []string{text, "next"}}}
	pause := func(characters int, silence time.Duration) []int16 { // without a second before
		return said(characters, silence)[testRate:]
	}
	samples := slices.Concat(said(13, 250*ms), pause(12, 250*ms), pause(6, time.Second), pause(6, time.Second))
	var got []string
	for _, e := range converse(h, samples, 20*ms).run(t) {
		if e.Kind == Final {
			got = append(got, e.Text())
		}
	}
	if want := []string{"aaaaa bbbbb", "ccccc ddddd eeeee", "", "next"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// TestATextWithoutWords is one: speech soon after it has the next text.
func TestATextWithoutWords(t *testing.T) {
	h := Hearing{Profile: quick, Script: Script{Texts: []string{"aaaaa bbbbb ccccc ddddd", "", "next"}}}
	var got []string
	for _, e := range converse(h, slices.Concat(said(15, time.Second), said(9, 300*ms), said(9, time.Second)[testRate:]), 20*ms).run(t) {
		if e.Kind == Final {
			got = append(got, e.Text())
		}
	}
	if want := []string{h.Script.Texts[0], "", "next"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// TestSpansCountSpeech: silence before an utterance does not make its first Final due.
func TestSpansCountSpeech(t *testing.T) {
	p := quick
	p.MaxSpan = 800 * ms
	h := Hearing{Profile: p, Script: Script{Texts: []string{three}}}
	var got []string
	for _, e := range converse(h, said(18, time.Second), 10*ms).run(t) {
		if e.Kind == Final {
			got = append(got, fmt.Sprint(e.Start, " to ", e.End, ": ", e.Text()))
		}
	}
	if want := []string{"0s to 1.667s: aaaaa bbbbb", "1.667s to 2.2s: ccccc"}; !slices.Equal(got, want) {
		t.Errorf("finals %q, want %q", got, want)
	}
}

// TestUnfinishedTextsMayWait: when half of a text was not heard, the silence that ends an
// utterance may be another.
func TestUnfinishedTextsMayWait(t *testing.T) {
	h := Hearing{Profile: quick, Turn: Turn{Silence: 200 * ms, Unfinished: 900 * ms}}
	for text, want := range map[string]time.Duration{three: 200 * ms, strings.Repeat("ddddd ", 9): 900 * ms} {
		h.Script.Texts = []string{text}
		told := converse(h, said(18, 2*time.Second), 10*ms).run(t)
		if last := told[len(told)-1]; last.Kind != Final || last.at != lastSpeech(told)+max(want, quick.Final.Mean()) {
			t.Errorf("%q of a second's speech: %s, want a final %s after %s", text, last, want, lastSpeech(told))
		}
	}
}

// TestEagerEnds: one comes after a shorter silence, with the words of the final. Speech
// that goes on takes it back, unless it was not told yet.
func TestEagerEnds(t *testing.T) {
	p := quick
	p.Every, p.Final = 10*time.Second, dist.Constant(150*ms)
	h := Hearing{Profile: p, Script: Script{Texts: []string{three + " ddddd eeeee"}}, Turn: Turn{Silence: 400 * ms, Eager: 120 * ms}}
	rest := said(12, time.Second)[testRate:]
	compare(t, converse(h, slices.Concat(said(18, 200*ms), rest), 20*ms).run(t),
		"1.12s speech started 0, 1s to 1.12s",
		"2.15s eager end 0, 0s to 2.12s: aaaaa bbbbb ccccc ddddd eeeee (1s to 2s)", // 150 ms after the last sample
		"2.26s resumed 0, 2.2s to 2.26s",
		"3.03s eager end 0, 0s to 2.99s: aaaaa bbbbb ccccc ddddd eeeee (1s to 2.87s)",
		"3.28s end of speech 0, 0s to 2.87s",
		"3.28s final 0, 0s to 3.27s: aaaaa bbbbb ccccc ddddd eeeee (1s to 2.87s), endpoint",
	)
}

// TestRequests: what was heard is told on request, at once when it was told, and else as
// long after the last sample of speech as any final.
func TestRequests(t *testing.T) {
	h := Hearing{Profile: quick, Script: Script{Texts: []string{three}}, Turn: Turn{Never: true}}
	p := quick
	p.Every = 10 * time.Second
	h.Profile = p
	c := converse(h, said(18, time.Second), 20*ms)
	c.do(500*ms, c.Finalize)
	c.do(1600*ms, c.Finalize) // in the middle of speech
	c.do(2200*ms, c.Finalize)
	c.do(2400*ms, c.Finalize)
	c.do(2500*ms, func() {
		if !c.EndTurn() {
			t.Error("no turn to end")
		}
		if c.EndTurn() {
			t.Error("a turn ended twice")
		}
	})
	compare(t, c.run(t),
		"500ms final 0, 0s to 500ms",
		"1.12s speech started 0, 1s to 1.12s",
		"1.85s final 0, 500ms to 1.6s: aaaaa bbbbb ccccc (1s to 1.6s)", // half of the text: it sounds finished
		"2.2s final 0, 1.6s to 2.2s",
		"2.4s final 0, 2.2s to 2.4s",
		"2.5s end of speech 0, 2.4s to 2s",
		"2.5s final 0, 2.4s to 2.5s, endpoint",
	)
}

// TestClose: what is open ends with all the words of its text, and closed comes last.
func TestClose(t *testing.T) {
	p := quick
	p.Every = 10 * time.Second
	h := Hearing{Profile: p, Script: Script{Texts: []string{three + " " + three}}}
	c := converse(h, said(18, 50*ms), 20*ms)
	c.do(2050*ms, c.Close).do(2100*ms, c.Close)
	c.do(2100*ms, func() { c.Feed(make([]int16, testRate)); c.Finalize() })
	compare(t, c.run(t),
		"1.12s speech started 0, 1s to 1.12s",
		"2.05s end of speech 0, 0s to 2s",
		"2.25s final 0, 0s to 2.05s: aaaaa bbbbb ccccc aaaaa bbbbb ccccc (1s to 2s), endpoint",
		"2.25s closed 0, 2.05s to 2.05s",
	)
	c = converse(h, nil, 20*ms)
	compare(t, c.do(0, c.Close).run(t), "0s closed 0, 0s to 0s")
}

// TestStop: nothing is told any more.
func TestStop(t *testing.T) {
	c := converse(Hearing{Profile: quick}, said(18, time.Second), 20*ms)
	compare(t, c.do(2210*ms, c.Stop).run(t), "1.12s speech started 0, 1s to 1.12s", "1.72s interim 0, 0s to 1.62s: "+c.told[1].Text()+" (1s to 1.4s)", "2.2s end of speech 0, 0s to 2s")
}

// TestWordGapsWithoutEndpoints: when silence ends nothing, words that stay away do.
func TestWordGapsWithoutEndpoints(t *testing.T) {
	p := quick
	p.Every = 10 * time.Second
	h := Hearing{Profile: p, Script: Script{Texts: []string{three}}, Turn: Turn{Never: true}, WordGap: 600 * ms}
	samples := said(18, time.Second)
	compare(t, converse(h, slices.Concat(samples, samples), 20*ms).run(t),
		"1.12s speech started 0, 1s to 1.12s",
		"2.6s final 0, 0s to 2s: aaaaa bbbbb ccccc (1s to 2s)",
		"2.6s utterance end 0, 2s to 2s",
		"4.12s speech started 1, 4s to 4.12s",
		"5.6s final 1, 2s to 5s: aaaaa bbbbb ccccc (4s to 5s)",
		"5.6s utterance end 1, 5s to 5s",
	)
}

// TestWordsThatAreHeardAreNoGap: a pause in the next utterance, long after the last word
// that was told, is not one without words.
func TestWordsThatAreHeardAreNoGap(t *testing.T) {
	p := quick
	p.Every = 10 * time.Second
	h := Hearing{Profile: p, Script: Script{Texts: []string{three, "ddddd eeeee"}}, WordGap: 600 * ms}
	samples := slices.Concat(said(18, 400*ms), said(12, time.Second)[testRate:])
	compare(t, converse(h, samples, 20*ms).run(t),
		"1.12s speech started 0, 1s to 1.12s",
		"2.2s end of speech 0, 0s to 2s",
		"2.25s final 0, 0s to 2.2s: aaaaa bbbbb ccccc (1s to 2s), endpoint",
		"2.46s speech started 1, 2.4s to 2.46s",
		"3.28s end of speech 1, 2.2s to 3.07s",
		"3.33s final 1, 2.2s to 3.27s: ddddd eeeee (2.4s to 3.07s), endpoint",
		"3.68s utterance end 1, 3.07s to 3.07s",
	)
}

// TestUsualTimes: 18 characters a second, the space behind a word included unless a mark
// makes it a part of a pause.
func TestUsualTimes(t *testing.T) {
	for word, characters := range map[string]float64{"seven": 6, "seven,": 5, "seven!?": 5, "a": 2, "-": 1, "!": 1, "it's": 4, "你好": 9} {
		if got, want := usualTime(word), time.Duration(characters/18*float64(time.Second)); got != want {
			t.Errorf("%q takes %s, want %s", word, got, want)
		}
	}
}

// TestAWordEach: without a cadence an interim comes for each word, when it has been heard
// for certain: the hangover after its end.
func TestAWordEach(t *testing.T) {
	p := quick
	p.Every, p.Interim = 0, dist.Dist{}
	var got []string
	for _, e := range converse(Hearing{Profile: p, Script: Script{Texts: []string{three}}}, said(18, time.Second), 10*ms).run(t) {
		if e.Kind == Interim {
			got = append(got, fmt.Sprint(e.at, " ", len(e.Words)))
		}
	}
	if want := []string{"1.44s 1", "1.77s 2", "2.1s 3"}; !slices.Equal(got, want) {
		t.Errorf("interims %q, want %q", got, want)
	}
}

// TestEndlessUtterance: speech that nobody ends does not take more and more memory and
// time: at some length nothing more is heard, and a Final tells what was.
func TestEndlessUtterance(t *testing.T) {
	var loop pipeline.Virtual
	p, _ := FindSTT("gpt-4o-transcribe")
	p.Final, p.Interim = dist.Constant(0), dist.Constant(0)
	var finals []int
	r := NewRecognizer(&loop, Hearing{Rate: 8000, Profile: p, Turn: Turn{Never: true}}, func(e Event) {
		if e.Kind == Final {
			finals = append(finals, len(e.Words))
		}
	})
	said := Say(strings.Repeat("Hello there how are you doing today. ", 10), TTS{}, 8000)
	for range 2 {
		for from := r.Heard(); r.Heard() < from+10*time.Minute; {
			r.Feed(said.Samples)
		}
		r.Finalize()
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{mostUntold, mostUntold}; !slices.Equal(finals, want) {
		t.Errorf("finals of %v words, want %v", finals, want)
	}
	if n := len(r.speech.stretches); n != 1 {
		t.Errorf("%d stretches of speech are remembered after all was told, want the last", n)
	}
}
