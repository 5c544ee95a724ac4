package deepgram

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/deepgram"
)

// tellFlux tells of a message of /v2/listen in a line.
func tellFlux(t *testing.T) func([]byte) string {
	return func(b []byte) string {
		m := voicetest.Parsed[deepgram.TurnInfo](t, b)
		if m.Type != deepgram.TypeTurnInfo {
			return aRequest.ReplaceAllString(string(b), `"request_id":"ID"`)
		}
		if len(strings.Fields(m.Transcript)) != len(m.Words) {
			t.Errorf("%s has %d words", b, len(m.Words))
		}
		return strings.TrimSpace(fmt.Sprintf("%d %s %d %.2f-%.2f %q %g %s", m.SequenceID, m.Event, m.TurnIndex, m.AudioWindowStart, m.AudioWindowEnd, m.Transcript, m.EndOfTurnConfidence, m.Trigger))
	}
}

const fluxPath = "/v2/listen?model=flux-general-en&encoding=linear16&sample_rate=16000"

// swift is Flux: nothing comes on top of what turn detection waits for, and interims
// are 40 ms behind.
func swift(string) speech.STT {
	return speech.STT{Interim: dist.Constant(40 * ms), Every: 250 * ms}
}

func fluxing(t *testing.T, texts ...string) *voicetest.Rig {
	return start(t, swift, texts...)
}

// TestFlux: a turn from .5 to 1.5 s. It starts with its first word, and ends after the
// 260 ms of silence that make its end certain enough.
func TestFlux(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "Hello there, good day.")
		defer r.Stop()
		l := r.Call(fluxPath, tellFlux(t))
		l.Speak(voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(900*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`340 1 Update 0 0.00-0.25 "" 0`,
			`540 2 Update 0 0.00-0.50 "" 0`,
			`840 3 Update 0 0.00-0.75 "" 0`,
			`1040 4 StartOfTurn 0 0.00-0.97 "Hello" 0`,
			`1340 5 Update 0 0.00-1.22 "Hello there," 0`,
			`1540 6 Update 0 0.00-1.47 "Hello there," 0`,
			`1800 7 EndOfTurn 0 0.00-1.77 "Hello there, good day." 0.7 model`,
			`2140 8 Update 1 1.77-2.02 "" 0`,
			`2340 9 Update 1 1.77-2.27 "" 0`,
			`2410 websocket: close 1005 (no status)`,
		)
		e := r.Last()
		if e.Protocol != "deepgram flux" || e.Model != "flux-general-en" || e.AudioIn != 2400*ms || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestFluxEager: a pause is long enough for an eager end and too short for the end; the
// next one is not.
func TestFluxEager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "I need to cancel my subscription please now.")
		defer r.Stop()
		l := r.Call(fluxPath+"&eager_eot_threshold=0.5&eot_threshold=0.9", tellFlux(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(1400*ms, voicetest.Rate), voicetest.Silent(300*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`340 1 Update 0 0.00-0.25 "" 0`,
			`540 2 StartOfTurn 0 0.00-0.42 "I" 0`,
			`740 3 Update 0 0.00-0.67 "I" 0`,
			`1040 4 Update 0 0.00-0.92 "I need to" 0`,
			`1240 5 Update 0 0.00-1.17 "I need to" 0`,
			`1540 6 Update 0 0.00-1.42 "I need to cancel my" 0`,
			`1740 7 Update 0 0.00-1.67 "I need to cancel my" 0`,
			`1800 8 EagerEndOfTurn 0 0.00-1.76 "I need to cancel my subscription please now." 0.5007`,
			`2000 9 TurnResumed 0 0.00-1.96 "I need to cancel my subscription please now." 0`,
			`2340 10 Update 0 0.00-2.22 "I need to cancel my subscription please now." 0`,
			`2540 11 Update 0 0.00-2.47 "I need to cancel my subscription please now." 0`,
			`2700 12 EagerEndOfTurn 0 0.00-2.66 "I need to cancel my subscription please now." 0.5007`,
			`3100 13 EndOfTurn 0 0.00-3.01 "I need to cancel my subscription please now." 0.9013 model`,
			`3210 websocket: close 1005 (no status)`,
		)
	})
}

// TestFluxForce: a client ends turns itself; what is said then is another. Without an
// open turn nothing happens.
func TestFluxForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "one two three", "four five")
		defer r.Stop()
		l := r.Call(fluxPath+"&eot_threshold=1.0&eot_timeout_ms=600", tellFlux(t))
		l.Command(`{"type":"ForceEndTurn"}`)
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(900*ms, voicetest.Rate), voicetest.Silent(200*ms, voicetest.Rate))
		l.Command(`{"type":"ForceEndTurn"}`)
		l.Command(`{"type":"ForceEndTurn"}`)
		l.Speak(voicetest.Silent(300*ms, voicetest.Rate), voicetest.Voiced(400*ms, voicetest.Rate), voicetest.Silent(800*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`350 1 Update 0 0.00-0.25 "" 0`,
			`550 2 Update 0 0.00-0.50 "" 0`,
			`650 3 StartOfTurn 0 0.00-0.57 "one" 0`,
			`950 4 Update 0 0.00-0.82 "one two" 0`,
			`1150 5 Update 0 0.00-1.07 "one two" 0`,
			`1320 6 EndOfTurn 0 0.00-1.30 "one two three" 0.5851 manual`,
			`1670 7 Update 1 1.30-1.55 "" 0`,
			`1870 8 Update 1 1.30-1.80 "" 0`,
			`2170 9 StartOfTurn 1 1.30-2.01 "four" 0`,
			`2370 10 Update 1 1.30-2.26 "four" 0.6858`,
			`2670 11 Update 1 1.30-2.51 "four" 0.9013`,
			`2730 12 EndOfTurn 1 1.30-2.61 "four five" 0.9379 timeout`,
			`2840 websocket: close 1005 (no status)`,
		)
	})
}

// TestFluxConfigure: settings change while the stream goes on, and those that cannot be
// leave everything as it was.
func TestFluxConfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "hello world")
		defer r.Stop()
		l := r.Call(strings.Replace(fluxPath, "-en", "-multi", 1)+"&keyterm=a&language_hint=en", tellFlux(t))
		l.Command(`{"type":"Configure","thresholds":{"eot_threshold":0.8,"eager_eot_threshold":0.4}}`)
		l.Command(`{"type":"Configure","thresholds":{"eot_threshold":0.6,"eager_eot_threshold":0.7}}`)
		l.Command(`{"type":"Configure","thresholds":{"eot_timeout_ms":50}}`)
		l.Command(`{"type":"Configure","keyterms":[],"language_hints":["de","fr"]}`)
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`10 {"type":"ConfigureSuccess","request_id":"ID","thresholds":{"eager_eot_threshold":0.4,"eot_threshold":0.8,"eot_timeout_ms":5000},"keyterms":["a"],"language_hints":["en"],"sequence_id":1}`,
			`20 {"type":"ConfigureFailure","request_id":"ID","sequence_id":2,"code":"INVALID_THRESHOLD","description":"eager_eot_threshold must be less than or equal to eot_threshold"}`,
			`30 {"type":"ConfigureFailure","request_id":"ID","sequence_id":3,"code":"INVALID_THRESHOLD","description":"eot_timeout_ms is 50: want a number from 500 to 60000"}`,
			`40 {"type":"ConfigureSuccess","request_id":"ID","thresholds":{"eager_eot_threshold":0.4,"eot_threshold":0.8,"eot_timeout_ms":5000},"keyterms":[],"language_hints":["de","fr"],"sequence_id":4}`,
			`380 5 Update 0 0.00-0.25 "" 0`,
			`580 6 Update 0 0.00-0.50 "" 0`,
			`780 7 StartOfTurn 0 0.00-0.67 "hello" 0`,
			`1040 8 EagerEndOfTurn 0 0.00-0.93 "hello world" 0.4263`,
			`1240 9 EndOfTurn 0 0.00-1.16 "hello world" 0.8022 model`,
			`1450 websocket: close 1005 (no status)`,
		)
	})
}

// TestFluxClose: the last words of a stream that is closed are in an Update, not in an
// EndOfTurn.
func TestFluxClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "hello world")
		defer r.Stop()
		l := r.Call(fluxPath, tellFlux(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(300*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`340 1 Update 0 0.00-0.25 "" 0`,
			`510 2 StartOfTurn 0 0.00-0.50 "hello world" 0`,
			`510 3 Update 0 0.00-0.50 "hello world" 0`,
			`510 websocket: close 1005 (no status)`,
		)
	})
}

// TestFluxAtOnce: audio that comes much faster than it is spoken is heard all the same.
func TestFluxAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t, "hello world")
		defer r.Stop()
		l := r.Call(fluxPath, tellFlux(t))
		l.Rate = 100 * voicetest.Rate
		l.Speak(voicetest.Silent(600*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate))
		time.Sleep(time.Second)
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`100 1 StartOfTurn 0 0.00-1.47 "hello world" 0.7`,
			`100 2 EndOfTurn 0 0.00-1.47 "hello world" 0.7 model`,
			`140 3 Update 1 1.47-1.72 "" 0`,
			`1110 websocket: close 1005 (no status)`,
		)
	})
}

func TestFluxBadFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t)
		defer r.Stop()
		l := r.Call(fluxPath, tellFlux(t))
		l.Command(`{"type":"Finalize"}`)
		l.Expect(
			`0 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`10 {"type":"Error","sequence_id":1,"code":"UNPARSABLE_CLIENT_MESSAGE","description":"Text message received from client did not match any of the formats we expect: want the type Configure, ForceEndTurn or CloseStream"}`,
			`10 websocket: close 1008 (policy violation): UNPARSABLE_CLIENT_MESSAGE: Text message received from client did not match any of the formats we expect: want the type C...`,
		)
		l = r.Call("/v2/listen?model=flux-general-en", tellFlux(t))
		l.Send(websocket.BinaryMessage, []byte("this is no audio file"))
		l.Expect(
			`10 {"type":"Connected","request_id":"ID","sequence_id":0}`,
			`10 {"type":"Error","sequence_id":1,"code":"DATA-0000","description":"unknown audio file: want WAV or Ogg Opus, or raw samples with their encoding and rate"}`,
			`10 websocket: close 1008 (policy violation): DATA-0000: unknown audio file: want WAV or Ogg Opus, or raw samples with their encoding and rate`,
		)
		if e := r.Last(); e.Outcome != pipeline.Error || !strings.HasPrefix(e.Reason, "DATA-0000: ") {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestFluxRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := fluxing(t)
		defer r.Stop()
		for query, want := range map[string]string{
			"":             "missing field `model`: want flux-general-en or flux-general-multi",
			"model=nova-3": `model is "nova-3": want flux-general-en or flux-general-multi; other models are served at /v1/listen`,
			"model=flux-general-en&eot_threshold=0.4":                         `eot_threshold is "0.4": want a number from 0.5 to 1`,
			"model=flux-general-en&eager_eot_threshold=1":                     `eager_eot_threshold is "1": want a number from 0.3 to 0.9`,
			"model=flux-general-en&eager_eot_threshold=0.8&eot_threshold=0.6": `eager_eot_threshold must be less than or equal to eot_threshold`,
			"model=flux-general-en&eot_timeout_ms=1e4":                        `eot_timeout_ms is "1e4": want a whole number from 500 to 60000`,
			"model=flux-general-en&language_hint=de":                          `language hints are only valid for flux-general-multi, not for flux-general-en`,
			"model=flux-general-en&encoding=linear16":                         `sample_rate is required when encoding is set`,
		} {
			got := r.Refused("/v2/listen?" + query)
			body := voicetest.Parsed[deepgram.ErrorBody](t, []byte(strings.TrimPrefix(got, "400 ")))
			if body.Code != "INVALID_QUERY_PARAMETER" || body.Message != "Failed to deserialize query parameters: "+want {
				t.Errorf("%s is refused with %s\nwant %q", query, got, want)
			}
		}
	})
}
