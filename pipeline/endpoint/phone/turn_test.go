package phone

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
)

func script(parts ...any) []any { return append(parts, hangs{}) }

// silent is silence at the pace of speech.
func silent(d time.Duration) (all []any) {
	for ; d > 0; d -= span {
		all = append(all, sound(span, 0), span)
	}
	return all
}

// TestTurns: 300 ms of speech begin at 0, and its last sample is spoken at 300.
func TestTurns(t *testing.T) {
	brief := Config{Patience: 2 * time.Second, Longest: 3 * time.Second}
	tests := map[string]struct {
		config Config
		script []any
		want   string
	}{
		"whole":            {brief, script(until(500*msec), sound(40*msec, 100*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 540..640 lead 40 v2v 240 samples 1120 queued 140 end 1640 ok ""`},
		"within a frame":   {brief, script(until(505*msec), sound(40*msec, 100*msec)), `speech 0.125..300 audio 505..505 audible 505 heard 560..660 lead 40 v2v 260 samples 1120 queued 155 end 1660 ok ""`},
		"link":             {Config{Uplink: 40 * msec, Downlink: 65 * msec}, script(until(500*msec), sound(40*msec, 100*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 605..705 lead 40 v2v 305 samples 1120 queued 140 end 1705 ok ""`},
		"paced":            {brief, script(until(500*msec), paced(400*msec)), `speech 0.125..300 audio 500..880 audible 500 heard 500..900 lead 0 v2v 200 samples 3200 queued 20 end 1900 ok ""`},
		"at once":          {brief, script(until(500*msec), sound(0, 1500*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 500..2000 lead 0 v2v 200 samples 12000 queued 1500 end 3000 ok ""`},
		"silence before":   {brief, script(silent(500*msec), sound(10*msec, 90*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 510..600 lead 10 v2v 210 samples 800 queued 100 end 1600 ok ""`},
		"silence from 400": {brief, script(until(400*msec), silent(100*msec), sound(10*msec, 90*msec)), `speech 0.125..300 audio 400..500 audible 500 heard 510..600 lead 110 v2v 210 samples 1600 queued 100 end 1600 ok ""`},
		"gap":              {brief, script(until(500*msec), sound(0, 100*msec), 250*msec, sound(0, 100*msec), 130*msec, sound(0, 100*msec)), `speech 0.125..300 audio 500..880 audible 500 heard 500..980 lead 0 v2v 200 samples 2400 queued 110 underruns 2 180 longest 160 end 1980 ok ""`},
		"late frames":      {brief, script(until(500*msec), sound(0, 20*msec), 21*msec, sound(0, 20*msec), 20*msec, sound(0, 20*msec)), `speech 0.125..300 audio 500..541 audible 500 heard 500..580 lead 0 v2v 200 samples 480 queued 39 underruns 1 20 longest 20 end 1580 ok ""`},
		"half frames":      {brief, script(until(500*msec), sound(0, 10*msec), 10*msec, sound(0, 10*msec), 10*msec, sound(0, 10*msec)), `speech 0.125..300 audio 500..520 audible 500 heard 500..540 lead 0 v2v 200 samples 240 queued 20 underruns 1 10 longest 10 end 1540 ok ""`},
		"pause":            {brief, script(until(500*msec), sound(0, 100*msec), 1099*msec, sound(0, 100*msec)), `speech 0.125..300 audio 500..1599 audible 500 heard 500..1700 lead 0 v2v 200 samples 1600 queued 101 underruns 1 1000 longest 1000 end 2700 ok ""`},
		"too long a pause": {brief, script(until(500*msec), sound(0, 100*msec), 1101*msec, sound(0, 100*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 500..600 lead 0 v2v 200 samples 800 queued 100 end 1600 ok ""`},
		"never":            {brief, script(), `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 2300 truncated "no answer was heard within 2s of the end of speech"`},
		"silence for ever": {brief, script(silent(5 * time.Second)), `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 2300 truncated "no answer was heard within 2s of the end of speech"`},
		"never over":       {brief, script(until(505*msec), paced(5*time.Second)), `speech 0.125..300 audio 505..3285 audible 505 heard 520..3320 lead 0 v2v 220 samples 22400 queued 35 end 3300 timeout "the answer was not over within 3s of the end of speech"`},
		"queued for ever":  {brief, script(until(500*msec), sound(0, 5*time.Second)), `speech 0.125..300 audio 500..500 audible 500 heard 500..5500 lead 0 v2v 200 samples 40000 queued 5000 end 3300 timeout "the answer was not over within 3s of the end of speech"`},
		"clears at speech": {brief, script(until(100*msec), clearing, until(500*msec), sound(0, 100*msec)), `speech 0.125..300 audio 500..500 audible 500 heard 500..600 lead 0 v2v 200 samples 800 queued 100 end 1600 ok ""`},
		"clears itself":    {brief, script(until(500*msec), sound(0, time.Second), 300*msec, clearing), `speech 0.125..300 audio 500..500 audible 500 heard 500..800 lead 0 v2v 200 samples 8000 queued 1000 interrupted - cleared 800 stopped - after - backlog - on - played 300 dropped 700 end 1800 truncated "the bot cleared its own answer, which nobody had interrupted"`},
		// It takes a pause for the end of the turn, and notices.
		"cut-in, cleared":        {brief, script(until(100*msec), sound(0, time.Second), until(350*msec), clearing, until(700*msec), sound(0, 100*msec)), `speech 0.125..300 audio 700..700 audible 700 heard 700..800 lead 0 v2v 400 samples 800 queued 100 cut-ins 1 from 100 interrupted - cleared 350 stopped - after - backlog - on - played 100 dropped 0 end 1800 ok ""`},
		"cut-in, cleared unsaid": {brief, script(until(100*msec), sound(100*msec, time.Second), until(150*msec), clearing, until(700*msec), sound(0, 100*msec)), `speech 0.125..300 audio 700..700 audible 700 heard 700..800 lead 0 v2v 400 samples 800 queued 100 cut-ins 1 from - interrupted - cleared 150 stopped - after - backlog - on - played 100 dropped 0 end 1800 ok ""`},
		"cut-in, paced":          {brief, script(until(100*msec), paced(260*msec), until(900*msec), sound(0, 100*msec)), `speech 0.125..300 audio 900..900 audible 900 heard 900..1000 lead 0 v2v 600 samples 800 queued 100 cut-ins 1 from 100 end 2000 ok ""`},
		"two cut-ins":            {brief, script(until(20*msec), paced(40*msec), clearing, until(200*msec), paced(40*msec), clearing, until(900*msec), sound(0, 100*msec)), `speech 0.125..300 audio 900..900 audible 900 heard 900..1000 lead 0 v2v 600 samples 800 queued 100 cut-ins 2 from 20 end 2000 ok ""`},
		"cut-in that goes on":    {brief, script(until(100*msec), sound(0, time.Second)), `speech 0.125..300 audio 100..100 audible 100 heard 100..1100 lead 0 v2v -200 samples 8000 queued 1000 cut-ins 1 from 100 end 2100 truncated "the bot spoke from 200ms before the end of speech until after it, without a silence of 500ms: where in that the answer begins is not known"`},
		"cut-in, a gap of words": {brief, script(until(100*msec), sound(0, 100*msec), until(400*msec), sound(0, 300*msec)), `speech 0.125..300 audio 100..400 audible 100 heard 100..700 lead 0 v2v -200 samples 3200 queued 300 underruns 1 200 longest 200 cut-ins 1 from 100 end 1700 truncated "the bot spoke from 200ms before the end of speech until after it, without a silence of 500ms: where in that the answer begins is not known"`},
		"cut-in, sent before":    {brief, script(until(20*msec), sound(0, 80*msec), until(290*msec), sound(160*msec, 100*msec)), `speech 0.125..300 audio 20..290 audible 20 heard 20..560 lead 0 v2v -280 samples 2720 queued 270 underruns 1 200 longest 200 cut-ins 1 from 20 end 1560 truncated "the bot spoke from 280ms before the end of speech until after it, without a silence of 500ms: where in that the answer begins is not known"`},
		"cut-in alone":           {brief, script(until(100*msec), sound(0, 100*msec)), `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - cut-ins 1 from 100 end 2300 truncated "the bot spoke before the end of speech, and not within 2s of it"`},
		"cut-in alone, cleared":  {brief, script(until(100*msec), sound(0, 300*msec), 50*msec, clearing), `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - cut-ins 1 from 100 interrupted - cleared 150 stopped - after - backlog - on - played - dropped - end 2300 truncated "the bot spoke before the end of speech, and not within 2s of it"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.config.NoGreeting = true
			bubble(t, (&bot{t: t, script: tt.script}).serve(), tt.config, func(r *rig) {
				a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)})
				got := a.wait()
				if figures(got) != tt.want {
					t.Errorf("\n got %s\nwant %s", figures(got), tt.want)
				}
			})
		})
	}
}

// TestQuick: a second of speech, into which the bot says something that is over before its end; 400 ms
// later it says more. That may be its answer, or the next sentence of what it had begun.
func TestQuick(t *testing.T) {
	s := script(until(700*msec), sound(0, 100*msec), until(1200*msec), sound(0, 300*msec))
	bubble(t, (&bot{t: t, script: s}).serve(), Config{NoGreeting: true, Patience: 2 * time.Second}, func(r *rig) {
		got := r.speak(pipeline.Turn{Voice: spoken(0, 1000*msec, 0)}).wait()
		want := "the bot spoke from 300ms before the end of speech until after it, without a silence of 500ms: where in that the answer begins is not known"
		if got.Outcome != pipeline.Truncated || got.Reason != want || got.CutIns != 1 || got.FirstCutIn != 700*msec {
			t.Errorf("%s", figures(got))
		}
	})
}

// TestBadBots: as above, with bots that do not do what they should.
func TestBadBots(t *testing.T) {
	answer := []any{until(500 * msec), sound(0, 100*msec)}
	tests := map[string]struct {
		script []any
		early  string
		want   string
	}{
		"before start":        {script(), strings.ReplaceAll(sound(0, 100*msec), `"streamSid":"SID",`, ""), `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults no_stream_sid*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a media message has no streamSid: the bot sent it before it had read start, or leaves it out (no_stream_sid, 1 of them)"`},
		"no stream":           {script(until(500*msec), strings.ReplaceAll(sound(0, 100*msec), `"streamSid":"SID",`, "")), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults no_stream_sid*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a media message has no streamSid: the bot sent it before it had read start, or leaves it out (no_stream_sid, 1 of them)"`},
		"snake case":          {script(until(500*msec), strings.ReplaceAll(sound(0, 100*msec), "streamSid", "stream_sid")), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults no_stream_sid*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a media message has no streamSid: the bot sent it before it had read start, or leaves it out (no_stream_sid, 1 of them)"`},
		"wrong stream":        {script(until(500*msec), strings.ReplaceAll(sound(0, 100*msec), "SID", "MZ0"), strings.ReplaceAll(clearing, "SID", "MZ0")), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults wrong_stream_sid*2 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a media message is for the stream \"MZ0\": want that of start (wrong_stream_sid, 2 of them)"`},
		"not base64":          {script(until(500*msec), payload("?")), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults not_base64*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: the payload of a media message is not base64: illegal base64 data at input byte 0 (not_base64, 1 of them)"`},
		"empty":               {script(until(500*msec), payload("")), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults empty_payload*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: the payload of a media message is empty (empty_payload, 1 of them)"`},
		"binary":              {script(until(500*msec), []byte{0xff}), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults binary_message*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a binary message came: want text (binary_message, 1 of them)"`},
		"not JSON":            {script(until(500*msec), "{"), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults not_json*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a message is not JSON of the right form: unexpected end of JSON input (not_json, 1 of them)"`},
		"wrong types":         {script(until(500*msec), `{"event":"media","streamSid":7}`), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults not_json*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a message is not JSON of the right form: json: cannot unmarshal number into Go struct field .streamSid of type string (not_json, 1 of them)"`},
		"unknown event":       {script(until(500*msec), `{"event":"audio","streamSid":"SID"}`, `{"event":"media","streamSid":"SID"}`, `{"event":"mark","streamSid":"SID"}`), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults unknown_event*3 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: a message has the event \"audio\": want media, mark or clear, with what belongs to it (unknown_event, 3 of them)"`},
		"long mark":           {script(until(400*msec), `{"event":"mark","streamSid":"SID","mark":{"name":"`+strings.Repeat("m", 1001)+`"}}`, answer), "", `speech 0.125..300 audio 500..500 audible 500 heard 500..600 lead 0 v2v 200 samples 800 queued 100 faults mark_not_taken*1 end 1600 ok ""`},
		"WAV":                 {script(until(500*msec), payload("UklGRiQAAABXQVZFZm10IA=="), sound(0, 100*msec)), "", `speech 0.125..300 audio 500..500 audible 500 heard 500..602 lead 0 v2v 200 samples 816 queued 102 faults audio_file*1 end 1602 ok ""`},
		"overflow":            {script(until(500*msec), sound(5*time.Minute, 0), sound(5*time.Minute-span, 0), sound(0, 100*msec)), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - faults buffer_overflow*1 end 2300 truncated "no answer was heard within 2s of the end of speech; what could not be played: audio of more than 10m0s is queued: what comes is dropped (buffer_overflow, 1 of them)"`},
		"closes":              {script(until(200*msec), closes(1000)), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 200 truncated "the bot closed the stream before it answered"`},
		"closes in answer":    {script(answer, 50*msec, closes(1000)), "", `speech 0.125..300 audio 500..500 audible 500 heard 500..560 lead 0 v2v 200 samples 800 queued 100 end 550 truncated "the bot closed the stream before all of its answer was played"`},
		"closes after answer": {script(answer, 100*msec, closes(1000)), "", `speech 0.125..300 audio 500..500 audible 500 heard 500..600 lead 0 v2v 200 samples 800 queued 100 end 600 ok ""`},
		"closes with error":   {script(until(200*msec), closes(1011)), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 200 error "the server closed with code 1011: so it is"`},
		"breaks off":          {script(until(200*msec), breaks{}), "", `speech 0.125..300 audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 200 truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF"`},
		"bad and good":        {script(until(100*msec), "{", "[", answer), "", `speech 0.125..300 audio 500..500 audible 500 heard 500..600 lead 0 v2v 200 samples 800 queued 100 faults not_json*2 end 1600 ok ""`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, (&bot{t: t, script: tt.script, early: tt.early}).serve(), Config{NoGreeting: true, Patience: 2 * time.Second}, func(r *rig) {
				got := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
				if figures(got) != tt.want {
					t.Errorf("\n got %s\nwant %s", figures(got), tt.want)
				}
			})
		})
	}
}

// TestNoBot: what answers is no bot.
func TestNoBot(t *testing.T) {
	for want, handle := range map[string]http.HandlerFunc{
		"error the bot does not accept the stream: HTTP 404":                                      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"error the bot does not accept the stream: HTTP 200: the server did not open a WebSocket": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
		"timeout the bot does not accept the stream: no response within 30s (--limit-first-byte)": func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) },
	} {
		bubble(t, peer.Handle(handle), Config{}, func(r *rig) {
			got := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			if text := got.Outcome.String() + " " + got.Reason; text != want {
				t.Errorf("got %s, want %s", text, want)
			}
		})
	}
}

// TestInterruptions: as above, and the caller cuts in for 200 ms from 500 ms after it is
// first heard on.
func TestInterruptions(t *testing.T) {
	brief := Config{Patience: 2 * time.Second, Longest: 5 * time.Second}
	stops := func(d time.Duration) []any { return append([]any{until(500 * msec)}, paced(d)...) }
	tests := map[string]struct {
		config Config
		script []any
		want   string
	}{
		"clears":                {brief, script(until(500*msec), sound(0, 3*time.Second), until(1205*msec), clearing), `speech 0.125..300 audio 500..500 audible 500 heard 500..1220 lead 0 v2v 200 samples 24000 queued 3000 interrupted 1000.125 cleared 1205 stopped 1220 after 219.875 backlog 2499.875 on 0 played 720 dropped 2280 end 1205 ok ""`},
		"clears, link":          {Config{Downlink: 65 * msec}, script(until(500*msec), sound(0, 3*time.Second), until(1205*msec), clearing), `speech 0.125..300 audio 500..500 audible 500 heard 565..1285 lead 0 v2v 265 samples 24000 queued 3000 interrupted 1065.125 cleared 1205 stopped 1285 after 219.875 backlog 2434.875 on 0 played 720 dropped 2280 end 1205 ok ""`},
		"plays on":              {brief, script(until(500*msec), sound(0, 2*time.Second)), `speech 0.125..300 audio 500..500 audible 500 heard 500..2500 lead 0 v2v 200 samples 16000 queued 2000 interrupted 1000.125 cleared - stopped 2500 after 1499.875 backlog 1499.875 on 1499.875 played 2000 dropped 0 end 3000 ok ""`},
		"stops":                 {brief, script(stops(720 * msec)), `speech 0.125..300 audio 500..1200 audible 500 heard 500..1220 lead 0 v2v 200 samples 5760 queued 20 interrupted 1000.125 cleared - stopped 1220 after 219.875 backlog 19.875 on 20 played 720 dropped 0 end 1720 ok ""`},
		"stops and clears":      {brief, script(stops(720*msec), clearing), `speech 0.125..300 audio 500..1200 audible 500 heard 500..1220 lead 0 v2v 200 samples 5760 queued 20 interrupted 1000.125 cleared 1220 stopped 1220 after 219.875 backlog 19.875 on 0 played 720 dropped 0 end 1220 ok ""`},
		"stops at once":         {brief, script(stops(500 * msec)), `speech 0.125..300 audio 500..980 audible 500 heard 500..1000 lead 0 v2v 200 samples 4000 queued 20 end 2000 ok ""`},
		"goes on":               {brief, script(until(505*msec), paced(6*time.Second)), `speech 0.125..300 audio 505..5285 audible 505 heard 520..5320 lead 0 v2v 220 samples 38400 queued 35 interrupted 1020.125 cleared - stopped 5320 after 4299.875 backlog 19.875 on 35 played 4800 dropped 0 end 5300 timeout "the answer did not stop within 5s of the end of speech, though the caller had cut in"`},
		"queued":                {brief, script(until(500*msec), sound(0, 6*time.Second)), `speech 0.125..300 audio 500..500 audible 500 heard 500..6500 lead 0 v2v 200 samples 48000 queued 6000 interrupted 1000.125 cleared - stopped 6500 after 5499.875 backlog 5499.875 on 5499.875 played 6000 dropped 0 end 5300 timeout "the answer did not stop within 5s of the end of speech, though the caller had cut in"`},
		"over before":           {brief, script(stops(400 * msec)), `speech 0.125..300 audio 500..880 audible 500 heard 500..900 lead 0 v2v 200 samples 3200 queued 20 end 1900 ok ""`},
		"answers, plays on":     {brief, script(until(500*msec), sound(0, 2*time.Second), until(1700*msec), sound(0, time.Second)), `speech 0.125..300 audio 500..500 audible 500 heard 500..2500 lead 0 v2v 200 samples 16000 queued 2000 interrupted 1000.125 cleared - stopped 2500 after 1499.875 backlog 1499.875 on 1499.875 played 2000 dropped 0 end 2500 ok ""`},
		"answers before a hush": {brief, script(stops(720*msec), until(1400*msec), sound(0, time.Second)), `speech 0.125..300 audio 500..1400 audible 500 heard 500..2400 lead 0 v2v 200 samples 13760 queued 1000 underruns 1 180 longest 180 interrupted 1000.125 cleared - stopped 2400 after 1399.875 backlog 19.875 on 1000 played 1720 dropped 0 end 2900 ok ""`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.config.NoGreeting = true
			over := spoken(0, 200*msec, 0)
			bubble(t, (&bot{t: t, script: tt.script}).serve(), tt.config, func(r *rig) {
				got := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec), Interruption: &over, InterruptAfter: 500 * msec}).wait()
				if figures(got) != tt.want {
					t.Errorf("\n got %s\nwant %s", figures(got), tt.want)
				}
			})
		})
	}
}
