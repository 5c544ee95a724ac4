package stage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

const ms = time.Millisecond

// The stages are what turns take.
var (
	_ pipeline.STT = (*STT)(nil)
	_ pipeline.TTS = (*TTS)(nil)
)

// spokenFor is a recording of half a second of silence, so much speech, and a tenth of a
// second of silence.
func spokenFor(length time.Duration) pipeline.Voice {
	const rate = 16_000
	all := make([]int16, rate/2+audio.Samples(length, rate)+rate/10)
	for i := range audio.Samples(length, rate) {
		loud := 3000 + 2500*math.Sin(2*math.Pi*float64(i)/1600)
		all[rate/2+i] = int16(loud * math.Sin(2*math.Pi*300*float64(i)/rate))
	}
	return pipeline.Voice{Rate: rate, Samples: all, SpeechEnd: 500*ms + length}
}

// hear has a recording heard that begins at 1 s, and returns what was told, in ms, and the
// record.
func hear(t *testing.T, c STTConfig, stop time.Duration, cancelAt time.Duration) ([]string, *pipeline.Transcription) {
	t.Helper()
	var loop pipeline.Virtual
	var told []string
	ended := 0
	c.Script, c.Trail = speech.Script{Texts: []string{"Good day to you all."}}, 3*time.Second
	c.Profile.Final, c.Profile.Interim = dist.Constant(250*ms), dist.Constant(40*ms)
	s := NewSTT(&loop, c)
	h := &pipeline.Hearing{Voice: spokenFor(890 * ms), Begin: time.Second, Stop: stop, Record: pipeline.NewTranscription(1, 0), Done: func() { ended++ }}
	h.Notify = func(x pipeline.Heard) {
		if x.At != loop.Now() {
			t.Errorf("told at %s of %s", loop.Now(), x.At)
		}
		what := x.Name
		if x.Kind != pipeline.HeardEvent {
			what = fmt.Sprintf("%d %q", x.Kind, x.Text)
		}
		if x.Settled {
			what += " settled"
		}
		told = append(told, fmt.Sprintf("%d %s", x.At/ms, what))
	}
	loop.At(900*ms, pipeline.RankTimer, func() { s.Start(h) })
	if cancelAt > 0 {
		loop.At(cancelAt, pipeline.RankTimer, func() { s.Cancel(h); s.Cancel(h) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended != 1 {
		t.Fatalf("it ended %d times, want once", ended)
	}
	return told, &h.Record
}

// TestSTT: speech ends at 2.39 s, the detector hears it for another 10 ms, and the frame that
// has the last of it comes at 2.4 s. The final text is there 250 ms after that, and not before
// it is asked for; the end of the session is the service's last word.
func TestSTT(t *testing.T) {
	for _, c := range []struct {
		name   string
		config STTConfig
		stop   time.Duration
		told   []string // but for interims
		end    time.Duration
		frames int
	}{
		{"asked soon", STTConfig{Frame: 100 * ms, Asked: true, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 200 * ms,
			[]string{`1600 SpeechStarted`, `2650 1 "Good day to you all." settled`, `2650 from_finalize settled`, `2650 speech_final settled`}, 2650 * ms, 16},
		{"asked late", STTConfig{Frame: 100 * ms, Asked: true, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 600 * ms,
			[]string{`1600 SpeechStarted`, `2990 1 "Good day to you all." settled`, `2990 from_finalize settled`, `2990 speech_final settled`}, 2990 * ms, 19},
		{"small frames", STTConfig{Frame: 20 * ms, Asked: true, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 200 * ms,
			[]string{`1560 SpeechStarted`, `2650 1 "Good day to you all." settled`, `2650 from_finalize settled`, `2650 speech_final settled`}, 2650 * ms, 82},
		{"told", STTConfig{Frame: 100 * ms, Profile: speech.STT{Turn: speech.Turn{Silence: 400 * ms}}}, 200 * ms,
			[]string{`1600 SpeechStarted`, `2800 1 "Good day to you all." settled`, `2800 speech_final settled`}, 2800 * ms, 18},
		{"a gap", STTConfig{Frame: 100 * ms, WordGap: time.Second, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 200 * ms,
			[]string{`1600 SpeechStarted`, `3400 1 "Good day to you all."`, `3400 UtteranceEnd settled`}, 3400 * ms, 24},
		{"nothing", STTConfig{Frame: 100 * ms, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 200 * ms,
			[]string{`1600 SpeechStarted`, `5500 1 "Good day to you all." settled`, `5500 speech_final settled`}, 5500 * ms, 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			told, r := hear(t, c.config, c.stop, 0)
			told = slices.DeleteFunc(told, func(s string) bool { return strings.Contains(s, ` 0 "`) })
			if !slices.Equal(told, c.told) {
				t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(c.told, "\n"))
			}
			if r.End != c.end || r.Frames != c.frames || r.SpeechEnd != 2390*ms || r.Ready != 900*ms || r.FirstFrame != time.Second+c.config.Frame || r.Text != "Good day to you all." || r.Outcome != pipeline.OK || !r.Simulated || r.Partials == 0 {
				t.Errorf("record %+v", r)
			}
		})
	}
}

// TestSTTCancel: it ends at once, and nothing is told any more.
func TestSTTCancel(t *testing.T) {
	told, r := hear(t, STTConfig{Frame: 100 * ms, Asked: true, Profile: speech.STT{Turn: speech.Turn{Never: true}}}, 200*ms, 2000*ms)
	if r.Outcome != pipeline.Cancelled || r.End != 2000*ms || !strings.HasPrefix(strings.Join(told, ","), "1600 SpeechStarted") || strings.Contains(strings.Join(told, ","), " 1 ") {
		t.Errorf("%s at %s, told %q", r.Outcome, r.End, told)
	}
}

// say has pieces of text spoken, each at its instant, the last of them the end, and returns
// the record and when the first sound came.
func say(t *testing.T, c TTSConfig, at []time.Duration, pieces []string, cancelAt time.Duration) (*pipeline.Speech, []pipeline.Sound) {
	t.Helper()
	var loop pipeline.Virtual
	var sounds []pipeline.Sound
	ended := 0
	c.Rate = 24_000
	s := NewTTS(&loop, c)
	x := &pipeline.Saying{Text: pieces[0], More: len(pieces) > 1, Record: pipeline.NewSpeech(1, 0), Done: func() { ended++ }}
	x.Notify = func(v pipeline.Sound) { sounds = append(sounds, v) }
	loop.At(at[0], pipeline.RankTimer, func() { s.Start(x) })
	for i, p := range pieces[1:] {
		loop.At(at[i+1], pipeline.RankTimer, func() {
			s.Say(x, p)
			if i == len(pieces)-2 {
				s.Finish(x)
			}
		})
	}
	if cancelAt > 0 {
		loop.At(cancelAt, pipeline.RankTimer, func() { s.Cancel(x); s.Cancel(x) })
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended != 1 {
		t.Fatalf("it ended %d times, want once", ended)
	}
	return &x.Record, sounds
}

// TestTTS: the first audio comes 150 ms after the text, and a chunk of 100 ms every 200. Each
// text plays 20 ms of silence first.
func TestTTS(t *testing.T) {
	profile := speech.TTS{FirstByte: dist.Constant(150 * ms), Speed: .5, Lead: 20 * ms, Pace: 10}
	for _, c := range []struct {
		name        string
		whole       bool
		at          []time.Duration
		pieces      []string
		first, last time.Duration
		samples     int64
		outcome     pipeline.Outcome
		reason      string
	}{
		{"one", false, []time.Duration{0}, []string{"abc"}, 150 * ms, 750 * ms, 24 * 320, pipeline.OK, ""},
		{"two, the second while the first is spoken", false, []time.Duration{0, 100 * ms}, []string{"abc", " def."}, 150 * ms, 1550 * ms, 24 * 640, pipeline.OK, ""},
		{"two, the second after it", false, []time.Duration{0, 2000 * ms}, []string{"abc", " def."}, 150 * ms, 2750 * ms, 24 * 640, pipeline.OK, ""},
		{"a whole in two", true, []time.Duration{0, 2000 * ms}, []string{"abc", "def"}, 2150 * ms, 3350 * ms, 24 * 620, pipeline.OK, ""},
		{"an end that says nothing", false, []time.Duration{0, 2000 * ms}, []string{"abc", "."}, 150 * ms, 750 * ms, 24 * 320, pipeline.OK, ""},
		{"nothing to say", false, []time.Duration{0}, []string{"..."}, pipeline.Unknown, pipeline.Unknown, 0, pipeline.Error, "no audio came"},
		{"no text", true, []time.Duration{0}, []string{""}, pipeline.Unknown, pipeline.Unknown, 0, pipeline.Dropped, "there is no text to be spoken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, sounds := say(t, TTSConfig{Profile: profile, Whole: c.whole}, c.at, c.pieces, 0)
			end := max(c.last, c.at[len(c.at)-1])
			if r.FirstAudio != c.first || r.LastAudio != c.last || r.End != end || r.Samples != c.samples || r.Outcome != c.outcome || r.Reason != c.reason || !r.Simulated {
				t.Errorf("first %s, last %s, end %s, %d samples, %s %q, want %s, %s, %s, %d, %s %q", r.FirstAudio, r.LastAudio, r.End, r.Samples, r.Outcome, r.Reason, c.first, c.last, end, c.samples, c.outcome, c.reason)
			}
			if c.outcome == pipeline.OK && (!sounds[0].Audible || sounds[0].Voiced != r.Voiced || r.Voiced < c.first+20*ms || r.Voiced > c.first+25*ms) {
				t.Errorf("the first sound is %+v, voiced at %s, want some 20ms after %s", sounds[0], r.Voiced, c.first)
			}
		})
	}
}

// TestTTSMeasures: a player that begins with the first chunk has nothing to play before each
// later one, which comes 100 ms after the end of the one before.
func TestTTSMeasures(t *testing.T) {
	r, _ := say(t, TTSConfig{Profile: speech.TTS{FirstByte: dist.Constant(150 * ms), Speed: .5, Lead: 230 * ms, Pace: 10}}, []time.Duration{0}, []string{"ab"}, 0)
	// 430 ms of audio in five chunks; two waits come before the first sample that is heard.
	if r.Underruns != 4 || r.Stalled != 400*ms || r.Lead < 230*ms || r.Lead > 235*ms || r.Voiced != 150*ms+200*ms+r.Lead || r.Length() != 430*ms {
		t.Errorf("%d waits of %s, %s of silence, voiced at %s, %s in all", r.Underruns, r.Stalled, r.Lead, r.Voiced, r.Length())
	}
}

// TestTTSCancel: it ends at once.
func TestTTSCancel(t *testing.T) {
	r, sounds := say(t, TTSConfig{Profile: speech.TTS{FirstByte: dist.Constant(150 * ms), Speed: .5}}, []time.Duration{0, 5000 * ms}, []string{"A long text is spoken.", "More."}, 300*ms)
	if r.Outcome != pipeline.Cancelled || r.End != 300*ms || len(sounds) != 1 {
		t.Errorf("%s at %s after %d sounds", r.Outcome, r.End, len(sounds))
	}
}

// TestStreams: delays are those of the stream that is asked for, in whatever order.
func TestStreams(t *testing.T) {
	var loop pipeline.Virtual
	tts := NewTTS(&loop, TTSConfig{Profile: speech.TTS{FirstByte: dist.Uniform(100*ms, 900*ms)}, Rate: 8000})
	first := map[int][]time.Duration{}
	for _, n := range []int{7, 8, 7} {
		x := &pipeline.Saying{Stream: n, Text: "abc", Record: pipeline.NewSpeech(1, 0), Done: func() {}}
		tts.Start(x)
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		first[n] = append(first[n], x.Record.FirstAudio-x.Record.Ready)
	}
	if first[7][0] != first[7][1] || first[7][0] == first[8][0] {
		t.Errorf("first audio after %v, want the same from one stream and another from the other", first)
	}
}
