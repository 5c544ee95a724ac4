package listen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// goOn says a recording so many times in a session, each time so long after the end of the one
// before.
func (r *rig) goOn(wait time.Duration, v pipeline.Voice, times int) (all []*heard) {
	first := r.ID() * 100
	for i := range times {
		h := &heard{done: make(chan struct{})}
		h.Hearing = pipeline.Hearing{Voice: v, More: i < times-1, Begin: r.Now(), Record: pipeline.NewTranscription(first+int64(i), r.Now())}
		h.Notify = func(n pipeline.Heard) {
			if n.Kind == pipeline.HeardFinal {
				h.notes = append(h.notes, n.SoFar)
			}
		}
		h.Done = func() { close(h.done) }
		peer.ExpectIn(r.Rig, first, h.Record.ID, &h.Record, outcome, func(x *exchange.Exchange) (pipeline.Transcription, error) {
			all, err := RetellAll(x, nil)
			if err != nil || i >= len(all) {
				return pipeline.Transcription{}, fmt.Errorf("%d utterances: %w", len(all), err)
			}
			return all[i], nil
		})
		r.Do(func() { r.client.Start(&h.Hearing) })
		h.wait()
		all = append(all, h)
		time.Sleep(wait)
	}
	return all
}

// TestTurns: utterances of one session are heard in one session of the service, each with its own
// text and its own clock. The first is spoken from 500 to 1500. A service that is told so 50 ms
// later, when the frame of 1500 is out, knows its text at 1810; one that waits for 300 ms of
// silence hears the last of them in the frame of 1900. The next begins 1001 ms after that was
// known, so that a frame has its last sample 11 ms after it began: what waits for whole frames
// comes 11 ms sooner then, and what is told with the frame that has the end of speech 89 ms later.
// Who says where utterances end is silent between them.
func TestTurns(t *testing.T) {
	own := []string{`speech end 1500 ttfs 410 frames 19 from 100 ok "" "hello there"`, `speech end 4411 ttfs 399 frames 19 from 3000 ok "" "good day"`, `speech end 7311 ttfs 399 frames 19 from 5900 ok "" "bye"`}
	told := []string{`speech end 1500 ttfs 310 frames 18 from 100 ok "" "hello there"`, `speech end 4311 ttfs 399 frames 19 from 2900 ok "" "good day"`, `speech end 7211 ttfs 399 frames 19 from 5800 ok "" "bye"`}
	for name, tt := range map[string]struct {
		config Config
		rate   int
		want   []string
		silent bool
	}{
		"deepgram":       {Config{Protocol: DeepgramListen, EndSilence: 300 * msec}, 16_000, own, false},
		"deepgram, told": {Config{Protocol: DeepgramListen, Force: true, ForceAfter: 50 * msec}, 16_000, told, false},
		"flux":           {Config{Protocol: DeepgramFlux, Model: "flux-general-en"}, 16_000, own, false},
		"assemblyai":     {Config{Protocol: AssemblyAI, Model: "u3", EndSilence: 300 * msec}, 16_000, own, false},
		"cartesia, told": {Config{Protocol: CartesiaSTT, Model: "ink", Force: true, ForceAfter: 50 * msec}, 16_000, told, true},
		"cartesia":       {Config{Protocol: CartesiaTurns, Model: "ink"}, 16_000, own, false},
		"openai":         {Config{Protocol: OpenAIRealtime, Model: "t"}, 24_000, own, false},
		"openai, told":   {Config{Protocol: OpenAIRealtime, Model: "t", Force: true, ForceAfter: 50 * msec}, 24_000, told, true},
	} {
		bubble(t, mocked(t, "hello there", "good day", "bye"), tt.config, func(r *rig) {
			all := r.goOn(1001*msec, peer.Spoken(tt.rate, 500*msec, 1000*msec, 300*msec), 3)
			var got []string
			for i, h := range all {
				q := &h.Record
				got = append(got, fmt.Sprintf("speech end %s ttfs %s frames %d from %s %s %q %q", peer.MS(q.SpeechEnd), peer.MS(q.TTFS()), q.Frames, peer.MS(q.FirstFrame), q.Outcome, q.Reason, q.Text))
				if q.Transport.Reused != (i > 0) || q.Ready != 0 || strings.Join(h.notes, "|") != q.Text {
					t.Errorf("%s, %d: %+v ready %s, told %q", name, i, q.Transport, q.Ready, h.notes)
				}
			}
			same(t, name, got, tt.want)
			r.client.Close()
			frames := 0
			for _, m := range r.Kept()[0].Messages {
				if m.From == exchange.Client && m.Due != pipeline.Unknown {
					frames++
				}
			}
			if n := len(r.Kept()); n != 1 || (frames <= 57) != tt.silent {
				t.Errorf("%s: %d sessions, want 1, and %d frames", name, n, frames)
			}
		})
	}
}

// TestBadTurns: what goes wrong is of the utterance under way, and with the session those end that
// were to follow. 300 ms of speech begin at 0, and with an answer at 510 again at 1010.
func TestBadTurns(t *testing.T) {
	final := func(text string) string {
		return `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"` + text + `"}]}}`
	}
	one := func(more ...any) peer.Script { return append(peer.Script{410 * msec, final("a")}, more...) }
	for name, tt := range map[string]struct {
		script peer.Script
		want   string
	}{
		"whole":        {one(time.Second, final("b"), time.Second, final("c"), `{"type":"Metadata"}`, peer.Hangs{}), `ok "" "a", ok "" "b", ok "" "c"`},
		"nothing more": {one(peer.Hangs{}), `ok "" "a", truncated "no final transcript came after the end of speech" "", truncated "the session ended without a final transcript after the end of speech" ""`},
		"an error":     {one(time.Second, `{"type":"Error","description":"no","variant":"c"}`, peer.Hangs{}), `ok "" "a", error "the server reports error c: no" "", dropped "the session ended before the turn: the service said that nothing follows, or what cannot be read" ""`},
		"closes":       {one(700*msec, peer.Closes(1011)), `ok "" "a", error "the server closed with code 1011: so it is" "", dropped "the session ended before the turn: the server closed with code 1011: so it is" ""`},
		"closes early": {one(100*msec, peer.Closes(1000)), `ok "" "a", dropped "the session ended before the turn: the server closed with code 1000: so it is" "", dropped "the session ended before the turn: the server closed with code 1000: so it is" ""`},
	} {
		bubble(t, session(t, "", tt.script, nil), Config{Protocol: DeepgramListen}, func(r *rig) {
			var got []string
			for _, h := range r.goOn(500*msec, peer.Spoken(16_000, 0, 300*msec, 100*msec), 3) {
				got = append(got, fmt.Sprintf("%s %q %q", h.Record.Outcome, h.Record.Reason, h.Record.Text))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("%s\n got %s\nwant %s", name, text, tt.want)
			}
		})
	}
}

// TestTurnsStall: the limits count for each utterance, and none counts between them, whether
// silence goes out there or nothing.
func TestTurnsStall(t *testing.T) {
	for _, p := range []Protocol{CartesiaSTT, DeepgramListen} {
		c := Config{Protocol: p, Force: true}
		c.Limits.Gap, c.Limits.Whole = 3*time.Second, 20*time.Second
		bubble(t, mocked(t, "a", "b"), c, func(r *rig) {
			for i, h := range r.goOn(time.Minute, peer.Spoken(16_000, 500*msec, 300*msec, 100*msec), 2) {
				if h.Record.Outcome != pipeline.OK {
					t.Errorf("%s, %d: %s %q", p, i, h.Record.Outcome, h.Record.Reason)
				}
			}
		})
	}
}
