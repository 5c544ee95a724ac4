package deepgram

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/deepgram"
)

// tellListen tells of a message of /v1/listen in a line.
func tellListen(t *testing.T) func([]byte) string {
	return func(b []byte) string {
		switch m := voicetest.Parsed[struct{ Type string }](t, b); m.Type {
		case deepgram.TypeResults:
			return tellResults(voicetest.Parsed[deepgram.Results](t, b))
		case deepgram.TypeMetadata:
			m := voicetest.Parsed[deepgram.Metadata](t, b)
			return fmt.Sprintf("Metadata %.2f s of %d", m.Duration, m.Channels)
		}
		return string(b)
	}
}

func tellResults(m deepgram.Results) string {
	marks := ""
	for _, mark := range []struct {
		on   bool
		name string
	}{{m.IsFinal, " final"}, {m.SpeechFinal, " speech"}, {m.FromFinalize, " asked"}} {
		if mark.on {
			marks += mark.name
		}
	}
	return fmt.Sprintf("%d/%d %.2f+%.2f%s %q", m.ChannelIndex[0], m.ChannelIndex[1], m.Start, m.Duration, marks, m.Channel.Alternatives[0].Transcript)
}

const listenPath = "/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000"

// TestListen: a text is spoken from .5 to 1.5 s. Its start is known in the frame that
// arrives at 600 ms; the detector hears its end 10 ms late. A second after the start an
// interim follows, 40 ms behind the audio that it stands for. A silence of 300 ms ends
// the utterance in the frame that arrives at 1900, when the 300 ms that a final takes
// from the arrival of the end, at 1600, are over too.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Hello there, good day.")
		defer r.Stop()
		l := r.Call(listenPath+"&endpointing=300&interim_results=true&vad_events=true&utterance_end_ms=1000&punctuate=true", tellListen(t))
		l.Speak(voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(1500*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`600 {"type":"SpeechStarted","channel":[0,1],"timestamp":0.5}`,
			`1640 0/1 0.00+1.57 "Hello there, good"`,
			`1900 0/1 0.00+1.81 final speech "Hello there, good day."`,
			`2600 {"type":"UtteranceEnd","channel":[0,1],"last_word_end":1.51}`,
			`2900 0/1 1.81+1.09 ""`,
			`3010 Metadata 3.00 s of 1`,
			`3010 websocket: close 1000 (normal)`,
		)
		e := r.Last()
		if e.Protocol != "deepgram listen" || e.Model != "nova-3" || e.AudioIn != 3*time.Second || e.First != 1640*ms || e.Ended != 3010*ms || e.Left != pipeline.Unknown || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestListenFinals: the default endpoint of 10 ms waits for the hangover of the
// detector, so that the final is there when its 300 ms are over. An utterance ends with
// the stream too.
func TestListenFinals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "One, two!", "three four five six")
		defer r.Stop()
		l := r.Call(listenPath+"&endpointing=10", tellListen(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(800*ms, voicetest.Rate), voicetest.Voiced(900*ms, voicetest.Rate))
		l.Send(websocket.BinaryMessage, nil)
		l.Expect(
			`1100 0/1 0.00+0.81 final speech "one two"`,
			`2700 0/1 0.81+1.59 final speech "three four five six"`,
			`2700 Metadata 2.40 s of 1`,
			`2700 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenFinalize: what was heard so far is final at once, and the utterance goes on.
func TestListenFinalize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "one two three four five six seven eight nine ten eleven twelve")
		defer r.Stop()
		l := r.Call(listenPath+"&endpointing=300", tellListen(t))
		l.Command(`{"type":"Finalize"}`) // before any audio: nothing to confirm
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate))
		l.Command(`{"type":"Finalize","channel":0}`)
		l.Command(`{"type":"Finalize","channel":1}`) // there is none
		l.Speak(voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(500*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`1510 0/1 0.00+1.20 final asked "one two three four"`,
			`2630 0/1 1.20+1.31 final speech "five six seven eight nine ten eleven twelve"`,
			`2740 Metadata 2.70 s of 1`,
			`2740 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenNeverEnds: without endpointing no result ends an utterance; UtteranceEnd
// still tells of its end.
func TestListenNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "one two", "three four")
		defer r.Stop()
		l := r.Call(listenPath+"&endpointing=false&interim_results=true&utterance_end_ms=1000", tellListen(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(1500*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(1300*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`1340 0/1 0.00+1.27 "one two"`,
			`1800 0/1 0.00+0.71 final "one two"`,
			`1800 {"type":"UtteranceEnd","channel":[0,1],"last_word_end":0.71}`,
			`1800 0/1 0.71+1.09 ""`,
			`3340 0/1 0.71+2.56 "three"`,
			`3800 0/1 0.71+2.00 final "three four"`,
			`3800 {"type":"UtteranceEnd","channel":[0,1],"last_word_end":2.71}`,
			`3800 0/1 2.71+1.09 ""`,
			`4010 Metadata 4.00 s of 1`,
			`4010 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenLong: an utterance that is long has several finals, of which only the last
// ends it.
func TestListenLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		l := r.Call(listenPath+"&mock_answer="+strings.Repeat("abc+", 40), tellListen(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(8000*ms, voicetest.Rate), voicetest.Silent(500*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`5240 0/1 0.00+5.09 final "abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc"`,
			`8500 0/1 5.09+3.26 final speech "abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc abc"`,
			`8710 Metadata 8.70 s of 1`,
			`8710 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenSilence: results without words come in silence, as often as others and final
// after as long.
func TestListenSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "hello")
		defer r.Stop()
		l := r.Call(listenPath+"&interim_results=true", tellListen(t))
		l.Speak(voicetest.Silent(5700*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`1000 0/1 0.00+1.00 ""`,
			`2000 0/1 0.00+2.00 ""`,
			`3000 0/1 0.00+3.00 ""`,
			`4000 0/1 0.00+4.00 ""`,
			`5000 0/1 0.00+5.00 final ""`,
			`6600 0/1 5.00+1.41 final speech "hello"`,
			`6910 Metadata 6.90 s of 1`,
			`6910 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenChannels: two channels are heard each for itself.
func TestListenChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "left or right")
		defer r.Stop()
		l := r.Call(listenPath+"&channels=2&multichannel=true&endpointing=200", tellListen(t))
		both := make([]int16, 0, 2*voicetest.Rate)
		left := append(voicetest.Silent(100*ms, voicetest.Rate), append(voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate)...)...)
		right := append(voicetest.Silent(300*ms, voicetest.Rate), append(voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(400*ms, voicetest.Rate)...)...)
		for i := range left {
			both = append(both, left[i], right[i])
		}
		l.Rate = 2 * voicetest.Rate // of samples
		l.Speak(both)
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`1000 0/2 0.00+0.81 final speech "left or right"`,
			`1200 1/2 0.00+1.01 final speech "left or right"`,
			`1210 Metadata 1.20 s of 2`,
			`1210 websocket: close 1000 (normal)`,
		)
	})
}

var aRequest = regexp.MustCompile(`"request_id":"[0-9a-f-]{36}"`)

// origin is how a Results of TestListenMessages ends.
const origin = `"metadata":{"request_id":"ID","model_info":{"name":"nova-3","version":"halfsecond","arch":"nova-3"},"model_uuid":"4d9521ab-8310-80ed-b7ea-4935e89eaae3"},"from_finalize":false}`

// TestListenMessages has every kind of message as it is sent; ' stands for a backquote.
func TestListenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "Hi, Bob.")
		defer r.Stop()
		l := r.Call(listenPath+"&endpointing=10&vad_events=true&smart_format=true&interim_results=true&utterance_end_ms=1000", func(b []byte) string {
			return strings.NewReplacer("`", "'", origin, "ORIGIN").Replace(aRequest.ReplaceAllString(string(b), `"request_id":"ID"`))
		})
		l.Command(`{"type":"KeepAlive "}`)
		l.Command(`{"type":"KeepAlive"}`)
		l.Command(`{"type":"Configure","keyterms":["Bob"]}`)
		l.Command(`{`)
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(300*ms, voicetest.Rate), voicetest.Silent(1200*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`10 {"type":"Error","variant":"SchemaError","description":"Could not deserialize last text message: unknown variant 'KeepAlive ', expected one of 'CloseStream', 'Configure', 'Sync', 'KeepAlive', 'Finalize'","message":"{\"type\":\"KeepAlive \"}"}`,
			`30 {"type":"ConfigureSuccess","request_id":"ID","keyterms":["Bob"]}`,
			`40 {"type":"Error","variant":"SchemaError","description":"Could not deserialize last text message: unexpected end of JSON input","message":"{"}`,
			`340 {"type":"SpeechStarted","channel":[0,1],"timestamp":0.2}`,
			`940 {"type":"Results","channel_index":[0,1],"duration":0.61,"start":0,"is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"Hi, Bob.","confidence":0.9135,"words":[{"word":"hi","start":0.2,"end":0.324,"confidence":0.906,"punctuated_word":"Hi,"},{"word":"bob","start":0.324,"end":0.51,"confidence":0.921,"punctuated_word":"Bob."}]}]},ORIGIN`,
			`1640 {"type":"UtteranceEnd","channel":[0,1],"last_word_end":0.51}`,
			`1740 {"type":"Results","channel_index":[0,1],"duration":1.09,"start":0.61,"is_final":false,"speech_final":false,"channel":{"alternatives":[{"transcript":"","confidence":0,"words":[]}]},ORIGIN`,
			`1750 {"type":"Metadata","transaction_key":"deprecated","request_id":"ID","sha256":"3d0fa2f0450e01449c5f1a1a2aa381f00dceea4e4bc478403955c3dcf4f06d3e","created":"2000-01-01T00:00:00.000Z","duration":1.7,"channels":1,"models":["4d9521ab-8310-80ed-b7ea-4935e89eaae3"],"model_info":{"4d9521ab-8310-80ed-b7ea-4935e89eaae3":{"name":"nova-3","version":"halfsecond","arch":"nova-3"}}}`,
			`1750 websocket: close 1000 (normal)`,
		)
	})
}

// TestListenIdle: a connection is closed ten seconds after the last that came.
func TestListenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "hello")
		defer r.Stop()
		l := r.Call(listenPath, tellListen(t))
		time.Sleep(9989 * ms)
		l.Command(`{"type":"KeepAlive"}`)
		time.Sleep(9 * time.Second)
		l.Speak(voicetest.Silent(100*ms, voicetest.Rate))
		l.Expect(
			`29099 websocket: close 1011 (internal server error): Deepgram did not receive audio data or a text message within the timeout window. See https://dpgr.am/net0001`,
		)
		if e := r.Last(); e.Outcome != pipeline.Error || e.Ended != 29_099*ms || e.Left != pipeline.Unknown {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestListenContainer: a WAV says itself what it is, and what is no audio ends the
// stream.
func TestListenContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "hello world")
		defer r.Stop()
		l := r.Call("/v1/listen?model=nova-3&endpointing=10", tellListen(t))
		l.Send(websocket.BinaryMessage, audio.AppendWAVHeader(nil, audio.Format{Rate: voicetest.Rate, Channels: 1}, audio.ToTheEnd))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(500*ms, voicetest.Rate))
		l.Command(`{"type":"CloseStream"}`)
		l.Expect(
			`1100 0/1 0.00+0.81 final speech "hello world"`,
			`1210 Metadata 1.20 s of 1`,
			`1210 websocket: close 1000 (normal)`,
		)
		l = r.Call("/v1/listen?model=nova-3", tellListen(t))
		l.Send(websocket.BinaryMessage, []byte("\x1a\x45\xdf\xa3 and so on, a browser's recording"))
		l.Expect(
			`1210 websocket: close 1008 (policy violation): DATA-0000: WebM or Matroska cannot be decoded as it arrives: want WAV or Ogg Opus`,
		)
	})
}

// TestListenGone: nothing more is told when the client has gone.
func TestListenGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t, "hello")
		defer r.Stop()
		l := r.Call(listenPath, tellListen(t))
		l.Speak(voicetest.Voiced(300*ms, voicetest.Rate))
		l.Conn.Close()
		synctest.Wait()
		e := r.Last()
		if e.Left != 300*ms || e.Ended != 300*ms || e.Outcome != pipeline.Cancelled || e.AudioIn != 300*ms {
			t.Errorf("the ledger has %+v", e)
		}
		time.Sleep(time.Minute) // no timer is left that would do harm
	})
}

// TestListenKey: a browser gives its key as a sub-protocol, of which one comes back; an
// answer names the request.
func TestListenKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		d := websocket.Dialer{NetDialContext: r.DialContext, Subprotocols: []string{"token", "secret"}}
		conn, answer, err := d.Dial("ws://mock"+listenPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if conn.Subprotocol() != "token" || len(answer.Header.Get("dg-request-id")) != 36 {
			t.Errorf("sub-protocol %q, request %q", conn.Subprotocol(), answer.Header.Get("dg-request-id"))
		}
	})
}

func TestListenRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := listening(t)
		defer r.Stop()
		for query, want := range map[string]string{
			"model=flux-general-en":                                     `model "flux-general-en" is served at /v2/listen`,
			"encoding=linear16":                                         `sample_rate is required when encoding is set`,
			"encoding=linear16&sample_rate=fast":                        `sample_rate is "fast": want a whole number from 4000 to 192000`,
			"encoding=speex&sample_rate=8000":                           `encoding is "speex": this mock server decodes linear16, linear32, mulaw, alaw, opus and ogg-opus, and what WAV and Ogg Opus files hold when there is none`,
			"encoding=opus&sample_rate=44100":                           `sample rate 44100: Opus has 8000, 12000, 16000, 24000 and 48000`,
			"encoding=linear16&sample_rate=16000&endpointing=soon":      `endpointing is "soon": want a whole number from 0 to 60000`,
			"encoding=linear16&sample_rate=16000&interim_results=maybe": `interim_results is "maybe": want true, false`,
			"encoding=linear16&sample_rate=16000&channels=21":           `channels is "21": want a whole number from 1 to 20`,
			"multichannel=true":                                         `multichannel needs raw samples on this mock server: set encoding to linear16, linear32, mulaw or alaw, sample_rate and channels`,
			"callback=http://x":                                         `callback is not supported by this mock server, which calls nobody: results come over the connection`,
		} {
			got := r.Refused("/v1/listen?" + query)
			body := voicetest.Parsed[deepgram.ErrorBody](t, []byte(strings.TrimPrefix(got, "400 ")))
			if body.Code != "INVALID_QUERY_PARAMETER" || body.Message != want || len(body.RequestID) != 36 {
				t.Errorf("%s is refused with %s\nwant %q", query, got, want)
			}
		}
	})
}
