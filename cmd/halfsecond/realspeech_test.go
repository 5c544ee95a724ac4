//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ours is what simulators/voice/utterance/ours says.
const ours = "please book a table for two people tomorrow evening"

// askSpeechDoctor examines an endpoint, whatever the verdict is, and returns its document.
func askSpeechDoctor(t *testing.T, args ...string) *speechDocument {
	t.Helper()
	code, out, errs := doctor(t, append(args, "--format", "json")...)
	var d speechDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code == exitUsage || code == exitUnmeasured {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	for _, f := range d.Findings {
		if f.Severity == "broken" || f.Severity == "misleading" {
			t.Errorf("%s: %s: %v", f.ID, f.Title, f.Evidence)
		}
	}
	for _, s := range d.Sessions {
		if s.Outcome != "ok" {
			t.Errorf("session %d ended %s: %v", s.ID, s.Outcome, s.Reason)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return &d
}

// TestDoctorOfPocketsphinx: a real recogniser hears our sentence, and the session that asks
// for the text is told from the one that waits for silence. On a machine with other work
// each instant may be late, so that bounds are wide; none is early.
func TestDoctorOfPocketsphinx(t *testing.T) {
	const silence = 700
	parts := startSpeechParts(t, "--silence-ms=700")
	documents := make([]*speechDocument, 2)
	var group sync.WaitGroup // both at once: each stream has a decoder of its own
	for i := range documents {
		group.Go(func() {
			documents[i] = askSpeechDoctor(t, parts.stt, "--protocol", "deepgram-listen", "--model", pocketsphinx, "--requests", "3")
		})
	}
	group.Wait()
	for _, d := range documents {
		if d == nil || len(d.Sessions) != 3 {
			t.Fatalf("%+v, want three sessions", d)
		}
		for i, s := range d.Sessions {
			l := s.Listened
			if l == nil || l.TTFPMS == nil || l.TTFSMS == nil || l.EndedByTag == nil {
				t.Fatalf("session %d: %+v, want partial and final texts and the end of the turn", s.ID, l)
			}
			t.Logf("%s ends the turn: ttfp %.0f ms, ttfs %.0f ms, %q", *s.EndedBy, *l.TTFPMS, *l.TTFSMS, l.Text)
			flag, least := "speech_final", silence-200. // where speech ends is told by other rules here
			if i == 1 {
				flag, least = "from_finalize", 0
			}
			if *l.EndedByTag != flag || *l.TTFSMS < least || *l.TTFSMS > 20_000 || l.Finals != 1 || l.Partials == 0 {
				t.Errorf("session %d: flag %s, ttfs %.0f ms, %d finals, %d partials; want %s, %.0f ms or more, one, some", s.ID, *l.EndedByTag, *l.TTFSMS, l.Finals, l.Partials, flag, least)
			}
			if !slices.ContainsFunc(s.Events, func(e speechEvent) bool { return e.Name == "SpeechStarted" }) {
				t.Errorf("session %d: no SpeechStarted", s.ID)
			}
			if n, all := wordsHeard(l.Text, ours), len(strings.Fields(ours)); 2*n < all {
				t.Errorf("session %d: %d of %d words in %q", s.ID, n, all, l.Text)
			}
		}
	}
	// The first and the last of each hear the same samples to the same end.
	want := documents[0].Sessions[0].Listened.Text
	for _, s := range []sessionDocument{documents[0].Sessions[2], documents[1].Sessions[0], documents[1].Sessions[2]} {
		if s.Listened.Text != want {
			t.Errorf("%q, and %q of the same audio", s.Listened.Text, want)
		}
	}
}

// wordsHeard returns how many of the words of said are in heard, in their order.
func wordsHeard(heard, said string) int {
	a, b := strings.Fields(strings.ToLower(heard)), strings.Fields(said)
	row := make([]int, len(b)+1) // the longest common subsequence of a so far and b[:i]
	for _, word := range a {
		before := 0 // of a without this word and b[:i]
		for i := range b {
			above := row[i+1]
			if word == b[i] {
				row[i+1] = before + 1
			} else {
				row[i+1] = max(above, row[i])
			}
			before = above
		}
	}
	return row[len(b)]
}

func TestWordsHeard(t *testing.T) {
	for heard, want := range map[string]int{
		ours: 9, "": 0, "please look enabled for two people tomorrow evening": 6, "evening tomorrow people": 1, "a a a": 1, "Please table": 2,
	} {
		if n := wordsHeard(heard, ours); n != want {
			t.Errorf("wordsHeard(%q) = %d, want %d", heard, n, want)
		}
	}
}

// TestDoctorOfSpeakers: real voices are heard, flite's a sentence at a time, and festival's
// in one burst when all of it is made.
func TestDoctorOfSpeakers(t *testing.T) {
	parts := startSpeechParts(t)
	for _, c := range []struct{ model, voice, samples string }{
		{flite, fliteVoice, "pcm"}, {flite, "kal", "wav"}, {espeak, espeakVoice, "wav"}, {festival, festivalSays, "pcm"},
	} {
		t.Run(c.model+" "+c.voice, func(t *testing.T) {
			d := askSpeechDoctor(t, parts.tts, "--protocol", "openai-speech", "--model", c.model, "--voice", c.voice, "--samples", c.samples, "--requests", "3")
			var shares []float64 // of the time until the last audio, the first
			for _, s := range d.Sessions {
				v := s.Spoken
				if v == nil || v.FirstMS == nil || v.LastMS == nil || v.AudibleMS == nil {
					t.Fatalf("session %d: %+v, want audio that can be heard", s.ID, v)
				}
				t.Logf("ttfa %.0f ms, last audio %.0f ms, %.0f ms long", *v.FirstMS, *v.LastMS, v.LengthMS)
				if v.LengthMS < 3000 || v.LengthMS > 12_000 || v.Rate != 24_000 || v.Channels != 1 || v.Bits != 16 {
					t.Errorf("session %d: %.0f ms of %d channels of %d bits at %d Hz", s.ID, v.LengthMS, v.Channels, v.Bits, v.Rate)
				}
				shares = append(shares, *v.FirstMS / *v.LastMS)
			}
			switch least := slices.Min(shares); {
			case c.model == festival && least < .5:
				t.Errorf("the first audio came after %.2f of the time: want a burst at the end", shares)
			case c.voice == fliteVoice && least > .9: // the first sentence has a fifth of the text
				t.Errorf("the first audio came after %.2f of the time: want a sentence at a time", shares)
			}
		})
	}
}

// TestSpeechPartsRefuse: what cannot be asked is refused with what can.
func TestSpeechPartsRefuse(t *testing.T) {
	parts := startSpeechParts(t)
	say := func(body string) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return http.Post(parts.tts+"/audio/speech", "application/json", strings.NewReader(body))
		}
	}
	hear := func(query string) func() (*http.Response, error) {
		return func() (*http.Response, error) { return http.Get(parts.stt + query) }
	}
	for _, c := range []struct {
		name   string
		ask    func() (*http.Response, error)
		status int
		says   string
	}{
		{"no JSON", say(`[`), 400, "line 1"},
		{"no object", say(`[]`), 400, "want an object"},
		{"model", say(`{"model":["flite"]}`), 400, "want flite, espeak-ng, festival"},
		{"voice", say(`{"model":"flite","voice":"alloy"}`), 400, "voice is 'alloy': want slt|rms"},
		{"a file as a voice", say(`{"model":"flite","voice":"/tmp/slt"}`), 400, "want slt|rms"},
		{"code as a voice", say(`{"model":"festival","voice":"kal_diphone) (quit"}`), 400, "want kal_diphone"},
		{"mp3", say(`{"model":"flite","voice":"slt","response_format":"mp3"}`), 400, "want pcm or wav"},
		{"speed", say(`{"model":"flite","voice":"slt","response_format":"pcm","speed":2}`), 400, "want 1"},
		{"no text", say(`{"model":"flite","voice":"slt","response_format":"pcm","input":" "}`), 400, "want 1 to 4096 characters"},
		{"half a character", say(`{"model":"flite","voice":"slt","response_format":"pcm","input":"\ud800"}`), 400, "surrogates"},
		{"no rate", hear(""), 400, "sample_rate is '': want 8000 to 48000"},
		{"encoding", hear("?sample_rate=8000&encoding=mulaw"), 400, "want linear16"},
		{"endpointing", hear("?sample_rate=8000&endpointing=soon"), 400, "endpointing is 'soon'"},
		{"another's model", hear("?sample_rate=8000&model=nova-3"), 400, "want pocketsphinx"},
		{"no WebSocket", hear("?sample_rate=8000"), 426, "is a WebSocket"},
		{"another path", func() (*http.Response, error) { return http.Get(parts.root + "/v1/models") }, 404, "are served here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.ask()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			body, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != c.status || !strings.Contains(string(body), c.says) {
				t.Errorf("%d %s, %v; want %d and %q", r.StatusCode, body, err, c.status, c.says)
			}
		})
	}
}

// TestSpeechPartsEnd: they end while a text is being spoken, and after one whose asker hung
// up; startSpeechParts wants every process gone, those of engines too.
func TestSpeechPartsEnd(t *testing.T) {
	var parts speechParts
	long := strings.Repeat("Your table is booked. ", 100) // it takes festival many times 300 ms
	say := func(ctx context.Context) {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, parts.tts+"/audio/speech",
			strings.NewReader(`{"model":"festival","voice":"kal_diphone","response_format":"pcm","input":"`+long+`"}`))
		if err != nil {
			t.Error(err)
			return
		}
		if r, err := http.DefaultClient.Do(q); err == nil {
			r.Body.Close()
			t.Errorf("HTTP %d: want no answer", r.StatusCode)
		}
	}
	var group sync.WaitGroup
	t.Cleanup(group.Wait) // after the parts have ended
	parts = startSpeechParts(t)
	group.Go(func() { say(context.Background()) })
	ctx, hangUp := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer hangUp()
	say(ctx)
}
