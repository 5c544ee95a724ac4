package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/simulators/voice"
)

// TestEstimateSpeech: what speech services are asked is counted, warm-up included, and a modelled
// language model is asked nothing. Seven turns of two users, in calls of three, are two calls of
// the one and one and a bit of the other.
func TestEstimateSpeech(t *testing.T) {
	s := parse(t, `
halfsecond: 1
kind: voice
name: estimate
arrivals: {process: closed, users: 2, think: 1s}
warm_up: 1
voice: {stt_tail: 200ms, tts_first_audio: 200ms, prompt_tokens: 100, reply_tokens: 10, first_sentence_tokens: 5, llm: {component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 90}, context: {turns: 3}}
`)
	said := []voice.Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2000)}}, {Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 4000)}}}
	stt, tts, bot := &listen.Config{Protocol: listen.DeepgramListen, Model: "nova-3"}, &speak.Config{Protocol: speak.OpenAISpeech, Model: "tts-1"}, &phone.Config{}
	stt.URL, tts.URL, bot.URL = "wss://a.test/?key=secret", "https://b.test", "ws://c.test/bot"
	real := endpoint.Config{URL: "https://llm.test"}
	for name, tt := range map[string]struct {
		set  Settings
		want string
	}{
		"parts": {Settings{Endpoint: real, Speech: Speech{STT: stt, TTS: tts, Voices: said}},
			"24 requests, 8 to the model, true tokens: stt wss://a.test/ deepgram-listen nova-3 8 in 0 sessions, 24s, 0 characters; tts https://b.test openai-speech tts-1 8 in 0 sessions, 0s, 320 characters"},
		"modelled": {Settings{Speech: Speech{STT: stt, Voices: said}},
			"8 requests, 0 to the model, false tokens: stt wss://a.test/ deepgram-listen nova-3 8 in 0 sessions, 24s, 0 characters"},
		"bot": {Settings{Speech: Speech{Bot: bot, Voices: said}},
			"8 requests, 0 to the model, false tokens: speech_to_speech ws://c.test/bot twilio-media-streams  8 in 4 sessions, 24s, 0 characters"},
	} {
		tt.set.Target, tt.set.Seed, tt.set.N = Endpoint, 1, 7
		e, err := EstimateRun(t.Context(), s, tt.set)
		if err != nil {
			t.Fatal(err)
		}
		var uses []string
		for _, u := range e.Speech {
			uses = append(uses, fmt.Sprintf("%s %s %s %s %d in %d sessions, %s, %d characters", u.Stage, u.URL, u.Protocol, u.Model, u.Requests, u.Sessions, u.Spoken().Round(time.Millisecond), u.Characters))
		}
		got := fmt.Sprintf("%d requests, %d to the model, %t tokens: %s", e.Requests, e.Asked(), e.Tokens() > 0, strings.Join(uses, "; "))
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, tt.want)
		}
	}
}

// TestEstimateCharacters: a voice speaks the replies. Reasoning, calls of tools, answers to words
// that were guessed wrong, and what other people ask are tokens, and are not spoken.
func TestEstimateCharacters(t *testing.T) {
	for name, keys := range map[string]string{
		"reasoning":  ", reasoning_tokens: 50}",
		"a tool":     ", tool: {share: 1, tokens: 30, takes: 100ms, result_tokens: 5}}",
		"a guess":    ", end_of_turn: 2s, guess: {from: vad_stop, right: 0%}}",
		"background": "}\nbackground: {rate: 10/s, prompt_tokens: 10, output_tokens: 20}",
	} {
		s := parse(t, `
halfsecond: 1
kind: voice
name: estimate
arrivals: {process: closed, users: 2, think: 1s}
warm_up: 1
voice: {stt_tail: 200ms, tts_first_audio: 200ms, prompt_tokens: 100, reply_tokens: 10, first_sentence_tokens: 5, llm: {component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 90}`+keys+"\n")
		tts := &speak.Config{Protocol: speak.OpenAISpeech, Model: "tts-1"}
		e, err := EstimateRun(t.Context(), s, Settings{Target: Endpoint, Seed: 1, N: 7, Endpoint: endpoint.Config{URL: "https://llm.test"}, Speech: Speech{TTS: tts}})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Speech[0].Characters; got != 8*10*charactersPerToken || e.OutputTokens <= 8*10 {
			t.Errorf("%s: %d characters, %d tokens of answers", name, got, e.OutputTokens)
		}
	}
}

// TestEstimateAudio: what a recognizer is estimated to hear of calls of several turns, the
// silence while they are answered and thought over included, is what one does hear.
func TestEstimateAudio(t *testing.T) {
	for name, tt := range map[string]struct {
		keys  string
		times int // how much more than what users say is sent, at least
	}{
		"one session":  {"  context: {turns: 4}\n", 3},
		"one for each": {"", 1},
	} {
		t.Run(name, func(t *testing.T) {
			text := audioHead + "  audio: {}\n  llm: {ttft: 100ms, tokens_per_second: 50}\n  llm_round_trip: 0ms\n" + tt.keys
			_, seen := askSpoken(t, text, 4, 0)
			var heard time.Duration
			for _, e := range seen {
				heard += e.AudioIn
			}
			s := parse(t, text)
			r := &run{scenario: s}
			e, err := EstimateRun(t.Context(), s, Settings{Target: Endpoint, Seed: 1, N: 4, Endpoint: endpoint.Config{URL: "http://model"}, Speech: r.mockSpeech("speech", nil)})
			if err != nil {
				t.Fatal(err)
			}
			u := e.Speech[0]
			if got := u.Sent(); (got-heard).Abs() > heard/20 || got < time.Duration(tt.times)*u.Spoken() {
				t.Errorf("%s of audio estimated, %s heard, %s spoken", got, heard, u.Spoken())
			}
		})
	}
}

// TestEstimateOfPlugins: an endpoint is asked at most what the same typing asks for where nothing
// is kept, joined or waited for, and once more for each answer where what follows is asked for
// ahead. The simulator is asked what it is asked.
func TestEstimateOfPlugins(t *testing.T) {
	count := func(target, plugin string) Estimate {
		e, err := EstimateRun(t.Context(), parse(t, strings.Replace(typedBy, "PLUGIN", "{"+plugin+"}", 1)), Settings{Target: target, Seed: 1, N: 300})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	most := count(Endpoint, "cancel: none, debounce: 30ms, reuse: none")
	for plugin, times := range map[string]int{
		"cancel: none, debounce: 30ms":                                                                   1,
		"cancel: none, debounce: 30ms, cache: {capacity: 9, prefix: {reach: any}}":                       1,
		"cancel: none, debounce: 30ms, requests: {join: true, most_live: 1}":                             1,
		"cancel: none, debounce: 300ms, wait: {by: response, least: 30ms}":                               1,
		"cancel: none, debounce: 30ms, requests: {speculate: true}":                                      2,
		"cancel: none, debounce: 30ms, requests: {speculate: true, speculation_lives: true, join: true}": 2,
	} {
		bound, asked := count(Endpoint, plugin), count(Sim, plugin)
		if bound.Requests != times*most.Requests || bound.PromptTokens != times*most.PromptTokens || bound.OutputTokens != bound.Requests*48 || !bound.AtMost {
			t.Errorf("{%s}: at most %d requests of %d tokens, want %d of %d", plugin, bound.Requests, bound.PromptTokens, times*most.Requests, times*most.PromptTokens)
		}
		if asked.Requests == 0 || asked.Requests >= bound.Requests {
			t.Errorf("{%s}: %d requests, and at most %d", plugin, asked.Requests, bound.Requests)
		}
	}
}

// TestEstimateOfQuickAnswers: answers that come sooner than expected may shorten a wait that goes by
// them, at a line's end too.
func TestEstimateOfQuickAnswers(t *testing.T) {
	const wait = "cancel: none, reuse: none, debounce: 400ms, wait: {by: response, least: 1ms, factor: 0.01, end_of_line: 390ms}"
	s := parse(t, strings.Replace(typedBy, "PLUGIN", "{"+wait+"}", 1))
	requests := map[string]int{}
	for _, target := range []string{Endpoint, Sim} {
		e, err := EstimateRun(t.Context(), s, Settings{Target: target, Seed: 1, N: 300})
		if err != nil {
			t.Fatal(err)
		}
		requests[target] = e.Requests
	}
	if requests[Sim] > requests[Endpoint] {
		t.Errorf("%d requests, and at most %d", requests[Sim], requests[Endpoint])
	}
}
