package phone

import (
	"encoding/base64"
	"math"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	meter "halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
)

// TestMuLaw compares every sample with the codec of the mock, and what can be heard with the
// meter of other clients.
func TestMuLaw(t *testing.T) {
	for s := math.MinInt16; s <= math.MaxInt16; s++ {
		want := audio.Encode(nil, []int16{int16(s)}, audio.MuLaw)[0]
		if got := muLawOf(int16(s)); got != want {
			t.Fatalf("%d is %x, want %x", s, got, want)
		}
	}
	for code := range 256 {
		m := meter.NewMeter(meter.Format{Encoding: meter.MuLaw, Rate: rate, Channels: 1})
		if _, err := m.Take([]byte{0xff, byte(code)}, 0); err != nil || m.Audible() != audible[code] {
			t.Errorf("%x is audible: %t, %v, want %t", code, audible[code], err, m.Audible())
		}
	}
	if muLawOf(0) != 0xff {
		t.Error("silence is not 0xff")
	}
}

// TestQueue: frames begin at 7, 27, 47 ms and so on.
func TestQueue(t *testing.T) {
	q := queue{origin: 7 * msec, end: 7 * msec}
	for _, tt := range []struct {
		at      time.Duration // samples come, or a clear
		samples int           // -1 is a clear
		start   time.Duration // or when the clear cuts
		end     time.Duration
	}{
		{0, 160, 7 * msec, 27 * msec},
		{27 * msec, 160, 27 * msec, 47 * msec},    // just in time
		{47*msec + 1, 160, 67 * msec, 87 * msec},  // too late for a frame
		{87 * msec, 40, 87 * msec, 92 * msec},     // a quarter of one
		{91 * msec, 40, 107 * msec, 112 * msec},   // the rest of it was silent
		{106 * msec, 240, 112 * msec, 142 * msec}, // before it begins, its rest can be filled
		{110 * msec, -1, 127 * msec, 127 * msec},  // the frame under way is played
		{127 * msec, 320, 127 * msec, 167 * msec},
		{147 * msec, -1, 147 * msec, 147 * msec}, // the next one is not under way
		{400 * msec, -1, 407 * msec, 147 * msec}, // nothing is queued
		{400 * msec, 8000, 407 * msec, 1407 * msec},
	} {
		var start time.Duration
		if tt.samples < 0 {
			start = q.clear(tt.at)
		} else {
			start, _ = q.add(tt.at, tt.samples)
		}
		if start != tt.start || q.end != tt.end {
			t.Errorf("at %s: %s and then until %s, want %s, %s", tt.at, start, q.end, tt.start, tt.end)
		}
	}
}

// FuzzRead: no message breaks its reader, and audio is audio.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		seed(), clearing, marking, `{"event":"media","streamSid":"SID","media":{"payload":"//8="}}`, `{"event":"media","streamSid":"SID","media":null}`,
		`{"event":"media","streamSid":"SID","media":{"payload":"UklGRg=="}}`, `{"event":"mark","streamSid":"SID","mark":{}}`, `{"event":"media","media":{"payload":"?"}}`, "null", "[]", "{", "",
	} {
		f.Add([]byte(text), false)
	}
	f.Add([]byte{0}, true)
	f.Fuzz(func(t *testing.T, data []byte, binary bool) {
		m := read(talk.Message{Binary: binary, Data: data}, "SID")
		switch {
		case m.event == "" && m.fault == "", m.fault != "" && m.why == "":
			t.Errorf("%q: %+v", data, m)
		case (m.event == "media") != (len(m.codes) > 0):
			t.Errorf("%q: %s with %d samples", data, m.event, len(m.codes))
		}
	})
}

func seed() string {
	return payload(base64.StdEncoding.EncodeToString(append(flat(span, 0xff), flat(span, 0x80)...)))
}

// FuzzStory: whatever comes and is done, in whatever order, instants are in order, no sample
// is lost but by a clear, and a turn ends.
func FuzzStory(f *testing.F) {
	f.Add([]byte{0, 0, 0, 10, 1, 20, 40, 2, 2, 3, 5, 1, 60, 4, 30, 0, 3, 200, 1, 100})
	f.Add([]byte{0, 0, 3, 5, 1, 60, 3, 5, 1, 20, 2, 9, 5, 9, 1, 40})
	f.Add([]byte{3, 1, 1, 200, 3, 100, 1, 90, 5, 50, 5, 255, 2, 1})
	f.Fuzz(func(t *testing.T, ops []byte) { unfold(t, ops) })
}

// unfold takes pairs of what comes or is done, and how long after the one before.
func unfold(t *testing.T, ops []byte) {
	s := story{setting: setting{Stream: "SID", Downlink: 5 * msec, Greeting: time.Second, Pause: time.Second, Hush: 500 * msec, Patience: 2 * time.Second, Longest: 4 * time.Second}}
	at := time.Duration(0)
	s.begin(at)
	var records []*Record
	// settle ends what is over by an instant.
	settle := func() {
		for (s.now.speaks || s.now.greets) && s.settled() <= at {
			before := s.settled()
			if _, r := s.over(max(before, 0)); r.SpeechEnd != pipeline.Unknown {
				records = append(records, r)
			}
		}
	}
	for ; len(ops) >= 2; ops = ops[2:] {
		at += time.Duration(ops[1]) * 3 * msec
		settle()
		switch n := int(ops[1]); ops[0] % 6 {
		case 0, 1:
			code := byte(0xff)
			if ops[0]%6 == 1 {
				code = 0x80
			}
			s.take(&message{event: "media", codes: slices.Repeat([]byte{code}, 1+40*n)}, at)
		case 2:
			s.take(&message{event: "clear"}, at)
		case 3, 4:
			if (!s.now.speaks && !s.now.greets) || s.now.answered() && s.barging == nil && at >= s.now.end {
				u := newTurn(pipeline.Unknown)
				u.start, u.onset, u.end = at, at, at+time.Duration(n)*msec
				s.said(u)
			}
		case 5:
			s.take(&message{fault: FaultJSON, why: "so"}, at)
		}
		known(t, &s.now.reply)
		settle()
	}
	for i := 0; (s.now.speaks || s.now.greets) && i < 10; i++ {
		at = max(at, s.settled())
		settle()
	}
	if s.now.speaks {
		t.Fatalf("a turn does not end: %+v", s.now)
	}
	for _, r := range records {
		played, sent := r.Played, pipeline.SamplesLast(r.Samples, rate)
		switch {
		case r.Voiced == pipeline.Unknown:
		case r.Voiced < r.FirstAudible, r.FirstAudible < r.FirstAudio, r.Over < r.Voiced, r.LastAudio < r.FirstAudible, r.Lead < 0:
			t.Errorf("out of order: %s", figures(r))
		case played+r.Dropped != sent:
			t.Errorf("%s played and %s dropped of %s: %s", played, r.Dropped, sent, figures(r))
		case r.Interrupted != pipeline.Unknown && (r.Backlog < 0 || r.PlayedOn < 0 || r.BargeIn() != pipeline.Unknown && r.BargeIn() < 0):
			t.Errorf("an interruption: %s", figures(r))
		}
	}
}

// known checks what a reply knows of its pieces against a look at all of them.
func known(t *testing.T, r *reply) {
	t.Helper()
	opening, closing, arrived := -1, -1, -1
	for i := range r.pieces {
		if p := &r.pieces[i]; p.end > 0 {
			closing = i
			if opening < 0 {
				opening = i
			}
		}
		if r.pieces[i].loud {
			arrived = i
		}
	}
	if r.opens-1 != opening || r.closes-1 != closing || r.arrived-1 != arrived {
		t.Errorf("heard from piece %d to %d, loud until %d; want %d to %d, %d", r.opens-1, r.closes-1, r.arrived-1, opening, closing, arrived)
	}
}

// TestInterruptedSilence: who cuts into an answer that has just ended did not interrupt it.
func TestInterruptedSilence(t *testing.T) {
	for onset, want := range map[time.Duration]time.Duration{1400 * msec: pipeline.Unknown, 1100 * msec: 100 * msec} {
		s := story{setting: setting{Stream: "SID", Greeting: 0, Pause: time.Second, Hush: 500 * msec, Patience: 2 * time.Second, Longest: 4 * time.Second}}
		s.begin(0)
		say := func(start, onset, end time.Duration) {
			u := newTurn(pipeline.Unknown)
			u.start, u.onset, u.end = start, onset, end
			s.said(u)
		}
		say(0, 0, 500*msec)
		s.take(&message{event: "media", codes: slices.Repeat([]byte{0x80}, 8*200)}, 1000*msec) // until 1200
		say(1000*msec, onset, onset+400*msec)
		_, r := s.over(s.settled())
		if r.BargeIn() != want || r.Interrupted != onset {
			t.Errorf("interrupted at %s: stopped %s after, want %s", r.Interrupted, r.BargeIn(), want)
		}
	}
}

// BenchmarkSilence: a message of silence costs as much after many as after few.
func BenchmarkSilence(b *testing.B) {
	for b.Loop() {
		s := story{setting: setting{Stream: "SID", Hush: 500 * msec, Patience: time.Hour, Longest: time.Hour}}
		s.begin(0)
		u := newTurn(pipeline.Unknown)
		u.start, u.onset, u.end = 0, 0, msec
		s.said(u)
		m := &message{event: "media", codes: []byte{0xff}}
		for i := range 20_000 {
			s.take(m, time.Duration(i)*msec)
			_ = s.settled()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/message")
}
