package realtime

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/realtime"
)

// promptly is a model whose every instant can be told: audio 300 ms after the user's turn,
// text 100 ms after it, a token every 10 ms. "ab" plays .3 s: 50 ms of silence, two
// characters of 100 ms, and 50 ms of silence.
func promptly(model string) Model {
	return Model{
		Name: model, FirstAudio: dist.Constant(300 * ms), FirstText: dist.Constant(100 * ms), Token: 10 * ms,
		Voice: speech.TTS{Speed: 2, Chunk: 100 * ms, Lead: 50 * ms, Tail: 50 * ms, Pace: 10},
	}
}

// prompted is a recognizer that needs 300 ms for a final.
func prompted(string) speech.STT {
	return speech.STT{Final: dist.Constant(300 * ms), Interim: dist.Constant(40 * ms), Turn: speech.Turn{Silence: 200 * ms}}
}

const ms = time.Millisecond

// config is what a test has of its own.
type config struct {
	Transcript []string
	Replies    []string
	MaxBody    int64
	Arguments  func(schema json.RawMessage, r dist.Rand) (string, error)
}

// start runs a service.
func start(t *testing.T, c config, stt func(string) speech.STT, model func(string) Model) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{MaxBody: c.MaxBody}, func(h *talk.Host, mux *http.ServeMux) {
		ears := &ear.Models{Host: h, STT: stt, Transcript: c.Transcript}
		New(h, ears, Config{Model: model, Replies: c.Replies, Arguments: c.Arguments}).Handle(mux)
	})
}

// publishedSTT are recognizers with the latencies that were published.
func publishedSTT(model string) speech.STT { p, _ := speech.FindSTT(model); return p }

// ask is a client of the Realtime API.
type ask struct {
	t    testing.TB
	conn *websocket.Conn
	from time.Time

	mu   sync.Mutex // guards what follows
	got  []string
	ids  map[string]string // ids as the test knows them
	back map[string]string // and the other way
}

// asking runs a test of the Realtime API inside a bubble.
func asking(t *testing.T, c config, path string, header http.Header, test func(r *voicetest.Rig, a *ask)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, c, prompted, promptly)
		defer r.Stop()
		a := newAsk(r, path, header)
		defer a.conn.Close()
		test(r, a)
	})
}

// ask connects.
func newAsk(r *voicetest.Rig, path string, header http.Header) *ask {
	a := &ask{t: r.T, conn: r.Dial(path, header), from: r.From, ids: map[string]string{}, back: map[string]string{}}
	go a.read()
	return a
}

// read keeps every message, as tell has it, with its instant in ms.
func (a *ask) read() {
	for {
		_, data, err := a.conn.ReadMessage()
		at := fmt.Sprintf("%d ", time.Since(a.from)/ms)
		a.mu.Lock()
		if err != nil {
			a.got = append(a.got, at+err.Error())
		} else {
			a.got = append(a.got, at+a.tell(data))
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

var talkID = regexp.MustCompile(`"(item|resp|sess|conv|call|ek)_[0-9a-z]{9,}"`)

// tell returns a message without its own id, with the others numbered, and of audio only
// how many bytes it has.
func (a *ask) tell(b []byte) string {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return "no JSON: " + string(b)
	}
	var kind, delta string
	_ = json.Unmarshal(m["type"], &kind)
	delete(m, "type")
	delete(m, "event_id")
	if strings.HasSuffix(kind, "audio.delta") && json.Unmarshal(m["delta"], &delta) == nil {
		sound, err := base64.StdEncoding.DecodeString(delta)
		if err != nil {
			return "no base64: " + delta
		}
		m["delta"] = json.RawMessage(fmt.Sprint(len(sound)))
	}
	if len(m) == 0 {
		return kind
	}
	return kind + " " + talkID.ReplaceAllStringFunc(string(talk.JSON(m)), func(id string) string {
		if a.ids[id] == "" {
			prefix, _, _ := strings.Cut(id, "_")
			n := 1
			for a.back[fmt.Sprintf(`%s%d"`, prefix, n)] != "" {
				n++
			}
			short := fmt.Sprintf(`%s%d"`, prefix, n)
			a.ids[id], a.back[short] = short, id
		}
		return a.ids[id]
	})
}

// send sends a message; ids in it are as the test knows them.
func (a *ask) send(text string) {
	a.t.Helper()
	a.mu.Lock()
	for short, id := range a.back {
		text = strings.ReplaceAll(text, short, id)
	}
	a.mu.Unlock()
	if err := a.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		a.t.Fatal(err)
	}
}

// say appends audio at the pace of speech, 20 ms at a time, each when it is over.
func (a *ask) say(samples []int16, rate int, e audio.Encoding) {
	a.t.Helper()
	for n := rate / 50; len(samples) > 0; samples = samples[min(n, len(samples)):] {
		time.Sleep(20 * ms)
		b := audio.Encode(nil, samples[:min(n, len(samples))], e)
		a.send(fmt.Sprintf(`{"type":"input_audio_buffer.append","audio":"%s"}`, base64.StdEncoding.EncodeToString(b)))
	}
}

// turn appends silence, sound and silence.
func (a *ask) turn(before, sound, after time.Duration) {
	a.t.Helper()
	const rate = realtime.PCMRate
	a.say(slices.Concat(voicetest.Silent(before, rate), voicetest.Voiced(sound, rate), voicetest.Silent(after, rate)), rate, audio.S16LE)
}

// take returns what has come since the last time.
func (a *ask) take() []string {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.got
	a.got = nil
	return all
}

// expect checks all that has come since the last time. Of a message only what is wanted
// of it counts, if the wish ends with "...".
func (a *ask) expect(want ...string) {
	a.t.Helper()
	got := a.take()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			a.t.Errorf("more: %s", got[i])
		case i >= len(got):
			a.t.Errorf("lacks: %s", want[i])
		default:
			begin, open := strings.CutSuffix(want[i], "...")
			if got[i] != want[i] && !(open && strings.HasPrefix(got[i], begin)) {
				a.t.Errorf("message %d:\n got %s\nwant %s", i, got[i], want[i])
			}
		}
	}
}

const gptRealtime = "/v1/realtime?model=gpt-realtime"

// updates that tests begin with.
const (
	transcribing = `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"transcription":{"model":"gpt-4o-transcribe"}}}}}`
	unattended   = `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}}`
	writing      = `{"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}}`
)

func TestRealtimeTurn(t *testing.T) {
	c := config{Transcript: []string{"turn on the lights"}, Replies: []string{"ab cd."}}
	asking(t, c, gptRealtime, nil, func(r *voicetest.Rig, a *ask) {
		a.send(transcribing)
		a.turn(time.Second, time.Second, time.Second)
		time.Sleep(time.Second)
		const user = `{"id":"item1","type":"message","status":"completed","role":"user","content":[{"type":"input_audio","transcript":null}]}`
		const begun = `{"id":"item2","type":"message","status":"in_progress","role":"assistant","content":[]}`
		const said = `{"id":"item2","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"ab cd."}]}`
		const place = `"item_id":"item2","output_index":0,"response_id":"resp1"`
		const response = `"conversation_id":"conv1","output_modalities":["audio"],"max_output_tokens":"inf","audio":{"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy"}}`
		a.expect(
			`0 session.created {"session":{"type":"realtime","object":"realtime.session","id":"sess1","model":"gpt-realtime","output_modalities":["audio"],"instructions":"You are a friendly assistant who talks with its user.","tools":[],"tool_choice":"auto","max_output_tokens":"inf","tracing":null,"truncation":"auto","prompt":null,"expires_at":946688400,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true}},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy","speed":1}},"include":null}}`,
			`0 session.updated {"session":{"type":"realtime",...`,
			// The sound begins at 1000 and is found after 60 ms of it. It ends at 2000; the
			// detector hears it for 10 ms more.
			`1080 input_audio_buffer.speech_started {"audio_start_ms":700,"item_id":"item1"}`,
			`2220 input_audio_buffer.speech_stopped {"audio_end_ms":2210,"item_id":"item1"}`,
			`2220 input_audio_buffer.committed {"item_id":"item1","previous_item_id":null}`,
			`2220 conversation.item.added {"item":`+user+`,"previous_item_id":null}`,
			`2220 conversation.item.done {"item":`+user+`,"previous_item_id":null}`,
			`2220 response.created {"response":{"object":"realtime.response","id":"resp1","status":"in_progress","status_details":null,"output":[],`+response+`,"usage":null,"metadata":null}}`,
			// A final takes 300 ms from the last sample of speech, which came at 2020.
			`2320 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":"turn","item_id":"item1"}`,
			`2320 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":" on","item_id":"item1"}`,
			`2320 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":" the","item_id":"item1"}`,
			`2320 conversation.item.input_audio_transcription.delta {"content_index":0,"delta":" lights","item_id":"item1"}`,
			`2320 conversation.item.input_audio_transcription.completed {"content_index":0,"item_id":"item1","transcript":"turn on the lights","usage":{"type":"tokens","total_tokens":19,"input_tokens":15,"input_token_details":{"text_tokens":0,"audio_tokens":15},"output_tokens":4}}`,
			// Audio comes 300 ms after the turn, and then twice as fast as it plays.
			`2520 response.output_item.added {"item":`+begun+`,"output_index":0,"response_id":"resp1"}`,
			`2520 conversation.item.added {"item":`+begun+`,"previous_item_id":"item1"}`,
			`2520 response.content_part.added {"content_index":0,"item_id":"item2","output_index":0,"part":{"type":"audio","transcript":""},"response_id":"resp1"}`,
			`2520 response.output_audio_transcript.delta {"content_index":0,"delta":"ab",`+place+`}`,
			`2520 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2570 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2620 response.output_audio_transcript.delta {"content_index":0,"delta":" cd",`+place+`}`,
			`2620 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2670 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2720 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2770 response.output_audio_transcript.delta {"content_index":0,"delta":".",`+place+`}`,
			`2770 response.output_audio.delta {"content_index":0,"delta":4800,`+place+`}`,
			`2770 response.output_audio.done {"content_index":0,`+place+`}`,
			`2770 response.output_audio_transcript.done {"content_index":0,`+place+`,"transcript":"ab cd."}`,
			`2770 response.content_part.done {"content_index":0,"item_id":"item2","output_index":0,"part":{"type":"audio","transcript":"ab cd."},"response_id":"resp1"}`,
			`2770 conversation.item.done {"item":`+said+`,"previous_item_id":"item1"}`,
			`2770 response.output_item.done {"item":`+said+`,"output_index":0,"response_id":"resp1"}`,
			// 13 tokens of instructions, 1.52 s heard, three words and .6 s said.
			`2770 response.done {"response":{"object":"realtime.response","id":"resp1","status":"completed","status_details":null,"output":[`+said+`],`+response+`,"usage":{"total_tokens":43,"input_tokens":28,"output_tokens":15,"input_token_details":{"text_tokens":13,"audio_tokens":15,"image_tokens":0,"cached_tokens":0,"cached_tokens_details":{"text_tokens":0,"audio_tokens":0,"image_tokens":0}},"output_token_details":{"text_tokens":3,"audio_tokens":12}},"metadata":null}}`,
			`2770 rate_limits.updated {"rate_limits":[{"name":"tokens","limit":15000000,"remaining":14999957,"reset_seconds":0}]}`,
		)
	})
}

// TestRealtimeSecretsKept: the latest keys are known, and no more.
func TestRealtimeSecretsKept(t *testing.T) {
	var s secrets
	config := newConfig(realtime.Conversation, "", "m")
	for i := range mostSecrets + 2 {
		s.add(fmt.Sprint(i), agreement{config, time.Now().Add(time.Hour)})
	}
	for key, known := range map[string]bool{"0": false, "1": false, "2": true, fmt.Sprint(mostSecrets + 1): true} {
		if agreed, fault := s.session(key); (agreed != nil) != known || fault != nil {
			t.Errorf("key %s: known %t, fault %v", key, agreed != nil, fault)
		}
	}
	if len(s.given) != mostSecrets {
		t.Errorf("%d keys are known, want %d", len(s.given), mostSecrets)
	}
}
