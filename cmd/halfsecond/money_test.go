package main

import (
	"io"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

const spokenTurns = `halfsecond: 1
kind: voice
name: spoken
arrivals: {process: closed, users: 1, think: 0s}
run: {n: 20}
warm_up: 1
budgets: [p50(reply) < 20s]
`

// TestMaxCostBoundsNothing: where nothing that is asked has a price, a cap of money is an error.
func TestMaxCostBoundsNothing(t *testing.T) {
	bot := scenarioFile(t, spokenTurns+`voice: {speech_to_speech: {silence: 500ms, first_audio: 300ms}}
endpoints: {speech_to_speech: {url: "ws://127.0.0.1:9/ws", protocol: twilio-media-streams}}
`)
	const want = "--max-cost 5 takes a price, and none is known of the speech services"
	for _, args := range [][]string{{"run", bot, "--n", "1"}, {"run", bot, "--check"}, {"sweep", bot, "--from", "1", "--to", "2", "--check"}} {
		args = append(args, "--target", "endpoint")
		if code, _, errs := halfsecond(t, append(args, "--max-cost", "5")...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q; want %q", args, code, errs, want)
		}
	}
	if code, _, errs := halfsecond(t, "run", bot, "--target", "endpoint", "--check"); code != exitPassed {
		t.Errorf("without the cap: exit code %d, %q", code, errs)
	}
}

// TestSpeechTakesOfMaxCost: what speech services will cost is not there for the language model.
func TestSpeechTakesOfMaxCost(t *testing.T) {
	s, err := scenario.Parse("test.yaml", []byte(spokenTurns+`voice: {stt_tail: 200ms, tts_first_audio: 200ms, reply_tokens: 10, llm: {ttft: 98ms, tokens_per_second: 100}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var o runOptions
	o.guard.caps, o.guard.money = caps{1000, 1_000_000}, money{most: "1", max: price.Dollar}
	set := runner.Settings{Target: runner.Endpoint, Seed: 1, N: 20, Endpoint: endpoint.Config{URL: "https://llm.test", Model: "gpt-4o"}}
	set.Speech.TTS = &speak.Config{Protocol: speak.OpenAISpeech, Model: "tts-1"}
	if err := o.allow(t.Context(), &program{err: io.Discard}, s, &set); err != nil {
		t.Fatal(err)
	}
	// 21 replies of 10 tokens, of 4 characters each.
	p := pricedSpeech(runner.SpeechUse{Stage: "tts", Model: "tts-1", Characters: 840})
	if set.Endpoint.Before.Cost != p.cost || p.cost == 0 {
		t.Errorf("%s is set apart, want %s", set.Endpoint.Before.Cost, p.cost)
	}
}
