package cartesia

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

func inking(t *testing.T, texts ...string) *voicetest.Rig {
	return start(t, voicetest.Verbal, texts...)
}

// tellInk tells of a message of either of Cartesia's conversations in a line.
func tellInk(t *testing.T) func([]byte) string {
	return func(b []byte) string {
		m := voicetest.Parsed[cartesia.Transcript](t, b)
		if m.Type != cartesia.TypeTranscript {
			return aRequest.ReplaceAllString(string(b), `"request_id":"ID"`)
		}
		final := ""
		if m.IsFinal {
			final = " final"
		}
		return fmt.Sprintf("%.2f s%s %q of %d", m.Duration, final, m.Text, len(m.Words))
	}
}

const inkQuery = "?model=ink-2&encoding=pcm_s16le&sample_rate=16000"

// TestCartesiaSTT: only the client makes a transcript final. Texts of those that are,
// put together, make the whole.
func TestCartesiaSTT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inking(t, "one two.", "Three four.", "Five.")
		defer r.Stop()
		l := r.Call("/stt/websocket"+inkQuery, tellInk(t))
		l.Command("finalize") // nothing was heard: an answer comes all the same
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(400*ms, voicetest.Rate), voicetest.Silent(400*ms, voicetest.Rate))
		l.Command("finalize")
		l.Speak(voicetest.Silent(400*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate))
		l.Command("finalize")
		l.Command("flush")
		l.Speak(voicetest.Silent(700*ms, voicetest.Rate), voicetest.Voiced(300*ms, voicetest.Rate))
		l.Command("close")
		l.Expect(
			`10 {"type":"flush_done","request_id":"ID"}`,
			`650 0.53 s "one" of 1`,
			`750 0.69 s "one two." of 2`,
			`1020 1.00 s final "one two." of 2`,
			`1020 {"type":"flush_done","request_id":"ID"}`,
			`1960 0.84 s " Three" of 1`,
			`2040 {"type":"error","status_code":400,"error_code":"invalid_request","title":"Invalid request","message":"unknown command \"flush\": want finalize or close, as bare words","request_id":"ID"}`,
			`2320 1.00 s final " Three four." of 2`,
			`2320 {"type":"flush_done","request_id":"ID"}`,
			`3340 1.00 s final " Five." of 1`,
			`3340 {"type":"done","request_id":"ID"}`,
			`3340 websocket: close 1000 (normal)`,
		)
		e := r.Last()
		if e.Protocol != "cartesia stt" || e.Model != "ink-2" || e.AudioIn != 3000*ms || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestCartesiaSTTWhisper: the older model ends utterances after a silence that the
// client names.
func TestCartesiaSTTWhisper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inking(t, "Hello there.")
		defer r.Stop()
		l := r.Call("/stt/websocket?model=ink-whisper&encoding=pcm_s16le&sample_rate=16000&max_silence_duration_secs=0.4", tellInk(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate))
		l.Command("close")
		l.Expect(
			`740 0.64 s "Hello" of 1`,
			`1300 1.21 s final "Hello there." of 2`,
			`1410 {"type":"done","request_id":"ID"}`,
			`1410 websocket: close 1000 (normal)`,
		)
	})
}

// TestCartesiaTurns: the service finds turns, and says when they have probably ended.
func TestCartesiaTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inking(t, "I need help.", "Thank you.")
		defer r.Stop()
		l := r.Call("/stt/turns/websocket"+inkQuery, tellInk(t))
		l.Command(`{"type":"config","turn":{"end_threshold":0.1,"end_timeout_ms":1000}}`)
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(300*ms, voicetest.Rate), voicetest.Voiced(300*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate))
		l.Command(`{"type":"config","turn":{"eager_end_threshold":0.9}}`)
		l.Command(`{"type":"stop"}`)
		l.Command(`close`)
		l.Command(`{"type":"close"}`)
		l.Expect(
			`0 {"type":"connected","request_id":"ID"}`,
			`310 {"type":"turn.start","request_id":"ID"}`,
			`550 {"type":"turn.update","request_id":"ID","transcript":"I"}`,
			`750 {"type":"turn.update","request_id":"ID","transcript":"I need"}`,
			`1110 {"type":"turn.eager_end","request_id":"ID","transcript":"I need help."}`,
			`1110 {"type":"turn.resume","request_id":"ID"}`,
			`1350 {"type":"turn.update","request_id":"ID","transcript":"I need help."}`,
			`1710 {"type":"turn.eager_end","request_id":"ID","transcript":"I need help."}`,
			`1910 {"type":"turn.end","request_id":"ID","transcript":"I need help."}`,
			`2110 {"type":"turn.start","request_id":"ID"}`,
			`2520 {"type":"error","status_code":400,"error_code":"invalid_request","title":"Invalid request","message":"eager_end_threshold is 0.9: want a number from 0.3 to 0.6","request_id":"ID"}`,
			`2530 {"type":"error","status_code":400,"error_code":"invalid_request","title":"Invalid request","message":"unknown command \"stop\": want the type config or close","request_id":"ID"}`,
			`2540 {"type":"error","status_code":400,"error_code":"invalid_request","title":"Invalid request","message":"the message is not a command in JSON: invalid character 'c' looking for beginning of value","request_id":"ID"}`,
			`2550 {"type":"turn.update","request_id":"ID","transcript":" Thank"}`,
			`2810 {"type":"turn.end","request_id":"ID","transcript":" Thank you."}`,
			`2810 websocket: close 1000 (normal)`,
		)
	})
}

func TestCartesiaSTTIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inking(t)
		defer r.Stop()
		l := r.Call("/stt/websocket"+inkQuery, tellInk(t))
		time.Sleep(4 * time.Minute)
		l.Speak(voicetest.Silent(voicetest.Beat, voicetest.Rate))
		l.Expect(
			`540100 websocket: close 1000 (normal): connection idle timeout`,
		)
	})
}

func TestCartesiaSTTRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inking(t)
		defer r.Stop()
		for query, want := range map[string]string{
			"":                                        `model is required, such as ink-2 or ink-whisper`,
			"?model=ink-2&sample_rate=16000":          `encoding is "": this mock server decodes pcm_s16le, pcm_s32le, pcm_f32le, pcm_mulaw and pcm_alaw`,
			"?model=ink-2&encoding=pcm_mulaw":         `sample_rate is required`,
			inkQuery + "&turn_end_threshold=0.6":      `turn_end_threshold is "0.6": want a number from 0.05 to 0.5`,
			inkQuery + "&turn_end_threshold=0.5":      `the thresholds are end 0.5, eager end 0.4 and start 0.8: each must be less than the next`,
			inkQuery + "&turn_end_timeout_ms=0":       `turn_end_timeout_ms is "0": want a whole number from 640 to 11200`,
			inkQuery + "&max_silence_duration_secs=x": `max_silence_duration_secs is "x": want a number from 0 to 60`,
		} {
			got := r.Refused("/stt/turns/websocket" + query)
			body := voicetest.Parsed[cartesia.STTError](t, []byte(strings.TrimPrefix(got, "400 ")))
			if body.ErrorCode != "invalid_request" || body.Message != want {
				t.Errorf("%s is refused with %s\nwant %q", query, got, want)
			}
		}
	})
}

// TestCartesiaTurnsLong: a turn ends once, however long a final of the model may be.
func TestCartesiaTurnsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, voicetest.Patient, "One two three four five six seven eight nine ten eleven twelve.")
		defer r.Stop()
		l := r.Call("/stt/turns/websocket"+strings.Replace(inkQuery, "ink-2", "nova-3", 1), func(b []byte) string {
			if m := voicetest.Parsed[cartesia.TurnText](t, b); m.Type == cartesia.TypeTurnEnd {
				return m.Transcript
			}
			return ""
		})
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(7*time.Second, voicetest.Rate), voicetest.Silent(900*ms, voicetest.Rate))
		l.Command(`{"type":"close"}`)
		l.Expect(
			"7500 One two three four five six seven eight nine ten eleven twelve.",
			"8110 websocket: close 1000 (normal)",
		)
	})
}
