package realtime

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/realtime"
)

// begin takes what a session begins with, and sends updates of it.
func (a *ask) begin(updates ...string) {
	a.t.Helper()
	for _, u := range updates {
		a.send(u)
	}
	synctest.Wait()
	a.take()
}

// write sends a user's message and asks for an answer.
func (a *ask) write(text string) {
	a.t.Helper()
	a.send(fmt.Sprintf(`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}}`, text))
	a.send(`{"type":"response.create"}`)
}

func TestRealtimeBargeIn(t *testing.T) {
	c := config{Replies: []string{"ab cd ef gh ij kl mn op qr st uv wx yz ab cd ef gh ij kl mn op qr st"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin()
		a.turn(time.Second, 500*ms, 620*ms) // the answer begins at 1720 + 300
		a.expect(
			`1080 input_audio_buffer.speech_started...`, `1720 input_audio_buffer.speech_stopped...`,
			`1720 input_audio_buffer.committed...`, `1720 conversation.item.added...`, `1720 conversation.item.done...`,
			`1720 response.created...`, `2020 response.output_item.added...`, `2020 conversation.item.added...`,
			`2020 response.content_part.added...`, `2020 response.output_audio_transcript.delta...`, `2020 response.output_audio.delta...`,
			`2070 response.output_audio.delta...`, `2120 response.output_audio_transcript.delta...`, `2120 response.output_audio.delta...`,
		)
		a.turn(0, 300*ms, 300*ms) // from 2120 on; found after 60 ms of it
		const place = `"item_id":"item2","output_index":0,"response_id":"resp1"`
		const said = `{"id":"item2","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_audio","transcript":"ab cd"}]}`
		a.expect(
			`2170 response.output_audio.delta...`,
			`2180 input_audio_buffer.speech_started {"audio_start_ms":1820,"item_id":"item3"}`,
			`2180 response.output_audio.done {"content_index":0,`+place+`}`,
			`2180 response.output_audio_transcript.done {"content_index":0,`+place+`,"transcript":"ab cd"}`,
			`2180 response.content_part.done...`,
			`2180 conversation.item.done {"item":`+said+`,"previous_item_id":"item1"}`,
			`2180 response.output_item.done {"item":`+said+`,"output_index":0,"response_id":"resp1"}`,
			`2180 response.done {"response":{"object":"realtime.response","id":"resp1","status":"cancelled","status_details":{"type":"cancelled","reason":"turn_detected"},"output":[`+said+`],...`,
			`2180 rate_limits.updated...`,
			`2640 input_audio_buffer.speech_stopped {"audio_end_ms":2630,"item_id":"item3"}`,
			`2640 input_audio_buffer.committed {"item_id":"item3","previous_item_id":"item2"}`,
			`2640 conversation.item.added...`, `2640 conversation.item.done...`, `2640 response.created...`,
		)
		// The user has heard 180 ms of the 400 that were sent.
		a.send(`{"type":"conversation.item.truncate","item_id":"item2","content_index":0,"audio_end_ms":180}`)
		a.send(`{"type":"conversation.item.retrieve","item_id":"item2"}`)
		a.send(`{"type":"conversation.item.truncate","item_id":"item2","content_index":0,"audio_end_ms":181,"event_id":"mine"}`)
		a.send(`{"type":"conversation.item.truncate","item_id":"item2","content_index":1,"audio_end_ms":180}`)
		a.send(`{"type":"conversation.item.truncate","item_id":"item2","content_index":0,"audio_end_ms":-1}`)
		a.send(`{"type":"conversation.item.truncate","item_id":"item2","audio_end_ms":1}`)
		sound := base64.StdEncoding.EncodeToString(make([]byte, 180*48))
		a.expect(
			`2720 conversation.item.truncated {"audio_end_ms":180,"content_index":0,"item_id":"item2"}`,
			`2720 conversation.item.retrieved {"item":{"id":"item2","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_audio","audio":"`+sound[:4]+`...`,
			`2720 error {"error":{"type":"invalid_request_error","code":"invalid_value","message":"Audio content of 180ms is already shorter than 181ms","param":null,"event_id":"mine"}}`,
			`2720 error {"error":{"type":"invalid_request_error","code":"integer_above_max_value","message":"Invalid 'content_index': integer above maximum value. Expected a value \u003c= 0, but got 1 instead.","param":"content_index","event_id":null}}`,
			`2720 error {"error":{"type":"invalid_request_error","code":"integer_below_min_value","message":"Invalid 'audio_end_ms': integer below minimum value. Expected a value \u003e= 0, but got -1 instead.","param":"audio_end_ms","event_id":null}}`,
			`2720 error {"error":{"type":"invalid_request_error","code":"missing_required_parameter","message":"Missing required parameter: 'content_index'.","param":"content_index","event_id":null}}`,
		)
		if e := r.LastOf("openai realtime"); e.Outcome != pipeline.Cancelled || e.Reason != "turn_detected" || e.First-e.Arrived != 300*ms || e.AudioOut != 400*ms || e.Ended != 2180*ms {
			t.Errorf("entry %+v, want one that was cancelled at 2.18 s with 400 ms of audio", e)
		}
	})
}

func TestRealtimeGoesOn(t *testing.T) {
	c := config{Replies: []string{"ab cd ef gh ij kl mn"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","interrupt_response":false}}}}}`)
		a.turn(time.Second, 500*ms, 620*ms)
		a.turn(0, 300*ms, 300*ms)
		time.Sleep(time.Second)
		var kinds []string
		for _, m := range a.take() {
			var at int
			var kind string
			if _, err := fmt.Sscan(m, &at, &kind); err != nil {
				t.Fatal(err)
			}
			if kind == realtime.EventResponseCreated || kind == realtime.EventResponseDone || kind == realtime.EventCommitted {
				kinds = append(kinds, fmt.Sprint(at, " ", kind))
			}
		}
		// 20 characters play 2.1 s and are made in half of that; the second turn ends while
		// they are, and gets no answer.
		want := []string{"1720 input_audio_buffer.committed", "1720 response.created", "2640 input_audio_buffer.committed", "3020 response.done"}
		if fmt.Sprint(kinds) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", kinds, want)
		}
	})
}

func TestRealtimeManual(t *testing.T) {
	c := config{Transcript: []string{"hello there", "and more"}, Replies: []string{"ab"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(transcribing, unattended)
		a.turn(0, 0, 80*ms)
		a.send(`{"type":"input_audio_buffer.commit"}`)
		a.turn(920*ms, 600*ms, 400*ms)
		a.expect(`80 error {"error":{"type":"invalid_request_error","code":"input_audio_buffer_commit_empty","message":"Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has 80.00ms of audio.","param":null,"event_id":null}}`)
		a.send(`{"type":"input_audio_buffer.commit"}`)
		a.send(`{"type":"response.create"}`)
		a.send(`{"type":"response.create","event_id":"again"}`)
		time.Sleep(200 * ms)
		a.expect(
			`2000 input_audio_buffer.committed {"item_id":"item1","previous_item_id":null}`,
			`2000 conversation.item.added...`, `2000 conversation.item.done...`,
			// Speech ended at 1600: its final text, after 300 ms, waits for the commit alone.
			`2000 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"hello","item_id":"item1"}`,
			`2000 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":" there","item_id":"item1"}`,
			`2000 conversation.item.input_audio_transcription.completed {"content_index":0,"item_id":"item1","transcript":"hello there","usage":{"type":"tokens","total_tokens":22,"input_tokens":20,"input_token_details":{"text_tokens":0,"audio_tokens":20},"output_tokens":2}}`,
			`2000 response.created...`,
			`2000 error {"error":{"type":"invalid_request_error","code":"conversation_already_has_active_response","message":"Conversation already has an active response in progress: resp_...`,
		)
		a.send(`{"type":"response.cancel","response_id":"resp_unknown"}`)
		a.send(`{"type":"response.cancel"}`)
		a.send(`{"type":"response.cancel"}`)
		const none = `error {"error":{"type":"invalid_request_error","code":"response_cancel_not_active","message":"Cancellation failed: no active response found","param":null,"event_id":null}}`
		a.expect(
			`2200 `+none,
			`2200 response.done {"response":{"object":"realtime.response","id":"resp1","status":"cancelled","status_details":{"type":"cancelled","reason":"client_cancelled"},"output":[],...`,
			`2200 rate_limits.updated...`,
			`2200 `+none,
		)
		// A commit in the middle of speech tells the words so far, or all when most was said.
		a.turn(0, 400*ms, 0)
		a.send(`{"type":"input_audio_buffer.commit"}`)
		time.Sleep(time.Second)
		a.expect(
			`2600 input_audio_buffer.committed {"item_id":"item2","previous_item_id":"item1"}`,
			`2600 conversation.item.added...`, `2600 conversation.item.done...`,
			`2900 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"and","item_id":"item2"}`,
			`2900 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":" more","item_id":"item2"}`,
			`2900 conversation.item.input_audio_transcription.completed {"content_index":0,"item_id":"item2","transcript":"and more",...`,
		)
	})
}

func TestRealtimeClear(t *testing.T) {
	c := config{Transcript: []string{"first", "second"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(transcribing)
		a.turn(time.Second, 300*ms, 0)
		a.send(`{"type":"input_audio_buffer.clear"}`)
		a.turn(0, 0, 500*ms)
		a.send(`{"type":"input_audio_buffer.clear"}`)
		a.send(`{"type":"input_audio_buffer.commit"}`)
		time.Sleep(time.Second)
		a.expect(
			`1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			`1300 input_audio_buffer.cleared`, `1800 input_audio_buffer.cleared`,
			`1800 error {"error":{"type":"invalid_request_error","code":"input_audio_buffer_commit_empty",...`,
		)
		a.turn(0, 300*ms, 400*ms)
		a.expect(
			// The padding reaches back to what was cleared.
			`2860 input_audio_buffer.speech_started {"audio_start_ms":1800,"item_id":"item2"}`,
			`3320 input_audio_buffer.speech_stopped {"audio_end_ms":2310,"item_id":"item2"}`,
			`3320 input_audio_buffer.committed {"item_id":"item2","previous_item_id":null}`,
			`3320 conversation.item.added...`, `3320 conversation.item.done...`, `3320 response.created...`,
			`3420 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"second","item_id":"item2"}`,
			`3420 conversation.item.input_audio_transcription.completed {"content_index":0,"item_id":"item2","transcript":"second",...`,
		)
	})
}

func TestRealtimeSemantic(t *testing.T) {
	asking(t, config{Transcript: []string{"stop"}}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"semantic_vad","eagerness":"high","create_response":false}}}}}`)
		a.turn(time.Second, 300*ms, time.Second)
		a.expect(
			`1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			// A twentieth of 2 s, and the frame in which it has passed.
			`1420 input_audio_buffer.speech_stopped {"audio_end_ms":1420,"item_id":"item1"}`,
			`1420 input_audio_buffer.committed...`, `1420 conversation.item.added...`, `1420 conversation.item.done...`,
		)
	})
}

func TestRealtimeIdle(t *testing.T) {
	asking(t, config{Replies: []string{"ab"}}, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad","idle_timeout_ms":5000}}}}}`)
		a.write("hi") // the answer ends at 300 + 100 and plays 300 ms
		time.Sleep(10 * ms)
		a.turn(0, 0, 5880*ms)
		all := a.take()
		var at int
		for _, m := range all {
			if _, err := fmt.Sscanf(m, "%d input_audio_buffer.timeout_triggered", &at); err == nil {
				break
			}
		}
		if at != 5700 {
			t.Errorf("timeout at %d, want 5700", at)
		}
		got := all[len(all)-5:]
		want := []string{
			`5700 input_audio_buffer.timeout_triggered {"audio_end_ms":5680,"audio_start_ms":680,"item_id":"item3"}`,
			`5700 input_audio_buffer.committed {"item_id":"item3","previous_item_id":"item2"}`,
			`5700 conversation.item.added`, `5700 conversation.item.done`, `5700 response.created`,
		}
		for i, w := range want {
			if g := got[i]; len(g) < len(w) || g[:len(w)] != w {
				t.Errorf("message %d:\n got %s\nwant %s", i, g, w)
			}
		}
	})
}

func TestRealtimeFormats(t *testing.T) {
	c := config{Transcript: []string{"hello"}, Replies: []string{"ab"}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.begin(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcmu"}},"output":{"format":{"type":"audio/pcma"}}}}}`)
		a.say(append(append(voicetest.Silent(time.Second, 8000), voicetest.Voiced(500*ms, 8000)...), voicetest.Silent(400*ms, 8000)...), 8000, audio.MuLaw)
		a.send(`{"type":"conversation.item.retrieve","item_id":"item1"}`)
		a.send(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcm"}}}}}`)
		time.Sleep(300 * ms)
		a.turn(100*ms, 500*ms, 300*ms)
		const delta = `response.output_audio.delta {"content_index":0,"delta":800,"item_id":"item2","output_index":0,"response_id":"resp1"}`
		got := a.take()
		for i, want := range map[int]string{
			0: `1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			1: `1720 input_audio_buffer.speech_stopped {"audio_end_ms":1710,"item_id":"item1"}`,
			// 1.02 s of mu-law, from 700 to 1720.
			6:  `1900 conversation.item.retrieved {"item":{"id":"item1","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","audio":"` + base64.StdEncoding.EncodeToString(audio.Encode(nil, append(voicetest.Silent(300*ms, 8000), append(voicetest.Voiced(500*ms, 8000), voicetest.Silent(220*ms, 8000)...)...), audio.MuLaw)) + `","transcript":null}]}}`,
			12: `2020 ` + delta,
			// Positions go on where the audio of the other format ended, 1900.
			len(got) - 6: `2380 input_audio_buffer.speech_started {"audio_start_ms":1900,"item_id":"item3"}`,
			len(got) - 5: `3020 input_audio_buffer.speech_stopped {"audio_end_ms":2710,"item_id":"item3"}`,
		} {
			if i >= len(got) || got[i] != want {
				t.Errorf("message %d:\n got %.400s\nwant %.400s\n", i, got[min(i, len(got)-1)], want)
			}
		}
	})
}

func TestRealtimeTranscribes(t *testing.T) {
	c := config{Transcript: []string{"take a note", "another"}}
	asking(t, c, "/v1/realtime?intent=transcription", nil, func(r *voicetest.Rig, a *ask) {
		const vad = `{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200}`
		a.expect(`0 session.created {"session":{"type":"transcription","object":"realtime.transcription_session","id":"sess1","expires_at":946688400,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,"turn_detection":` + vad + `}},"include":null}}`)
		a.send(`{"type":"session.update","session":{"type":"transcription","audio":{"input":{"transcription":{"model":"whisper-1","language":"en"}}}}}`)
		a.send(`{"type":"response.create"}`)
		a.turn(time.Second, 500*ms, 500*ms)
		a.expect(
			`0 session.updated {"session":{"type":"transcription","object":"realtime.transcription_session","id":"sess1","expires_at":946688400,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":{"model":"whisper-1","language":"en","prompt":null},"noise_reduction":null,"turn_detection":`+vad+`}},"include":null}}`,
			`0 error {"error":{"type":"invalid_request_error","code":"invalid_value","message":"Invalid value: 'response.create'. Supported values are: 'session.update', 'input_audio_buffer.append', 'input_audio_buffer.commit', 'input_audio_buffer.clear', 'conversation.item.create', 'conversation.item.truncate', 'conversation.item.delete', and 'conversation.item.retrieve'.","param":"type","event_id":null}}`,
			`1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			`1720 input_audio_buffer.speech_stopped {"audio_end_ms":1710,"item_id":"item1"}`,
			`1720 input_audio_buffer.committed...`, `1720 conversation.item.added...`, `1720 conversation.item.done...`,
			`1820 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"take a note","item_id":"item1"}`,
			`1820 conversation.item.input_audio_transcription.completed {"content_index":0,"item_id":"item1","transcript":"take a note","usage":{"type":"duration","seconds":1.02}}`,
		)
		a.conn.Close()
		synctest.Wait()
		e := r.LastOf("openai realtime session")
		if e.Outcome != pipeline.OK || e.AudioIn != 2*time.Second || e.First != 1820*ms || e.Ended != 2*time.Second {
			t.Errorf("entry %+v, want one of 2 s of audio with a first result at 1820 ms", e)
		}
	})
}

func TestRealtimeBeta(t *testing.T) {
	header := http.Header{"Openai-Beta": {"realtime=v1"}}
	c := config{Transcript: []string{"hi"}, Replies: []string{"ab"}}
	asking(t, c, "/v1/realtime?model=gpt-4o-realtime-preview", header, func(r *voicetest.Rig, a *ask) {
		a.send(`{"type":"session.update","session":{"modalities":["text","audio"],"voice":"echo","input_audio_format":"g711_ulaw","output_audio_format":"g711_ulaw","input_audio_transcription":{"model":"whisper-1"},"turn_detection":{"type":"server_vad","silence_duration_ms":300},"temperature":0.9}}`)
		a.say(append(append(voicetest.Silent(time.Second, 8000), voicetest.Voiced(500*ms, 8000)...), voicetest.Silent(time.Second, 8000)...), 8000, audio.MuLaw)
		const user = `{"id":"item1","object":"realtime.item","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","transcript":null}]}`
		const said = `{"id":"item2","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"audio","transcript":"ab"}]}`
		const place = `"item_id":"item2","output_index":0,"response_id":"resp1"`
		const rest = `"instructions":"You are a friendly assistant who talks with its user."`
		a.expect(
			`0 session.created {"session":{"id":"sess1","object":"realtime.session","model":"gpt-4o-realtime-preview","expires_at":946688400,"modalities":["audio","text"],`+rest+`,"voice":"alloy","input_audio_format":"pcm16","output_audio_format":"pcm16","input_audio_transcription":null,"input_audio_noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true},"tools":[],"tool_choice":"auto","temperature":0.8,"max_response_output_tokens":"inf","speed":1,"tracing":null,"truncation":"auto","prompt":null,"include":null,"client_secret":null}}`,
			`0 session.updated {"session":{"id":"sess1","object":"realtime.session","model":"gpt-4o-realtime-preview","expires_at":946688400,"modalities":["audio","text"],`+rest+`,"voice":"echo","input_audio_format":"g711_ulaw","output_audio_format":"g711_ulaw","input_audio_transcription":{"model":"whisper-1","language":null,"prompt":null},"input_audio_noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":300,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true},"tools":[],"tool_choice":"auto","temperature":0.9,...`,
			`1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			`1820 input_audio_buffer.speech_stopped {"audio_end_ms":1810,"item_id":"item1"}`,
			`1820 input_audio_buffer.committed {"item_id":"item1","previous_item_id":null}`,
			`1820 conversation.item.created {"item":`+user+`,"previous_item_id":null}`,
			`1820 response.created {"response":{"object":"realtime.response","id":"resp1","status":"in_progress","status_details":null,"output":[],"conversation_id":"conv1","modalities":["audio","text"],"voice":"echo","output_audio_format":"g711_ulaw","temperature":0.9,"max_output_tokens":"inf","usage":null,"metadata":null}}`,
			`1820 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"hi","item_id":"item1"}`,
			`1820 conversation.item.input_audio_transcription.completed...`,
			`2120 response.output_item.added {"item":{"id":"item2","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]},"output_index":0,"response_id":"resp1"}`,
			`2120 conversation.item.created {"item":{"id":"item2","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]},"previous_item_id":"item1"}`,
			`2120 response.content_part.added {"content_index":0,"item_id":"item2","output_index":0,"part":{"type":"audio","transcript":""},"response_id":"resp1"}`,
			`2120 response.audio_transcript.delta {"content_index":0,"delta":"ab",`+place+`}`,
			`2120 response.audio.delta {"content_index":0,"delta":800,`+place+`}`,
			`2170 response.audio.delta {"content_index":0,"delta":800,`+place+`}`,
			`2220 response.audio.delta {"content_index":0,"delta":800,`+place+`}`,
			`2220 response.audio.done {"content_index":0,`+place+`}`,
			`2220 response.audio_transcript.done {"content_index":0,`+place+`,"transcript":"ab"}`,
			`2220 response.content_part.done...`,
			`2220 response.output_item.done {"item":`+said+`,"output_index":0,"response_id":"resp1"}`,
			`2220 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed","status_details":null,"output":[`+said+`],"conversation_id":"conv1","modalities":["audio","text"],...`,
			`2220 rate_limits.updated...`,
		)
	})
}

func TestRealtimeBetaTranscribes(t *testing.T) {
	header := http.Header{"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key.sk-test, openai-beta.realtime-v1"}}
	asking(t, config{}, "/v1/realtime?intent=transcription", header, func(r *voicetest.Rig, a *ask) {
		if got := a.conn.Subprotocol(); got != "realtime" {
			t.Errorf("sub-protocol %q, want realtime", got)
		}
		a.send(`{"type":"transcription_session.update","session":{"input_audio_transcription":{"model":"gpt-4o-mini-transcribe"},"turn_detection":null}}`)
		a.expect(
			`0 transcription_session.created {"session":{"id":"sess1","object":"realtime.transcription_session","expires_at":946688400,"input_audio_format":"pcm16","input_audio_transcription":null,"input_audio_noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200},"include":null,"client_secret":null}}`,
			`0 transcription_session.updated {"session":{"id":"sess1","object":"realtime.transcription_session","expires_at":946688400,"input_audio_format":"pcm16","input_audio_transcription":{"model":"gpt-4o-mini-transcribe","language":null,"prompt":null},"input_audio_noise_reduction":null,"turn_detection":null,"include":null,"client_secret":null}}`,
		)
	})
}
