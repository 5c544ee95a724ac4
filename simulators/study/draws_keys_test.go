package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// drawnStack has every part of a turn, each of which varies.
const drawnStack = `halfsecond: 1
kind: voice
name: draws
arrivals: {process: closed, users: 3, think: 1s}
voice:
  utterance: {uniform: [1s, 2s]}
  transport: {codec: pcm, frame: 20ms, loss: 10%, burst: 2, repair: resent, round_trip: {uniform: [20ms, 60ms]}}
  capture: {uniform: [1ms, 9ms]}
  uplink: {uniform: [10ms, 20ms]}
  jitter_buffer: {uniform: [10ms, 30ms]}
  vad_silence: {uniform: [200ms, 300ms]}
  vad_frame: 0s
  vad_compute: 0s
  ending: {turn_model: {threshold: 0.5, compute: {uniform: [5ms, 20ms]}, min: 50ms, max: 1s}}
  stt_tail: {uniform: [100ms, 200ms]}
  stt_interim: {uniform: [10ms, 90ms]}
  stt_timer: 0s
  policy_wait: {uniform: [10ms, 30ms]}
  hook: {uniform: [10ms, 30ms]}
  prompt_tokens: {uniform: [900, 1100]}
  system_tokens: 100
  reasoning_tokens: 0
  reply_tokens: {uniform: [40, 80]}
  first_sentence_tokens: {uniform: [4, 9]}
  speech_per_token: 250ms
  context: {turns: 4, grows: false, time_stamp: 20%, tool_order: 20%, rewrite: 20%}
  llm: {ttft: {uniform: [100ms, 300ms]}, tokens_per_second: 100}
  llm_round_trip: {uniform: [1ms, 9ms]}
  llm_connect: {takes: {uniform: [1ms, 9ms]}, each: true}
  guess: {from: vad_stop, right: 70%}
  tool: {share: 50%, tokens: {uniform: [10, 20]}, takes: {uniform: [200ms, 400ms]}, result_tokens: {uniform: [50, 90]}}
  filler: {share: 50%, after: {uniform: [0s, 50ms]}, for: {uniform: [300ms, 600ms]}, tools: true}
  gather: {by: clause}
  first_clause_tokens: {uniform: [2, 4]}
  tts_first_audio: {uniform: [80ms, 120ms]}
  tts_connect: {takes: {uniform: [1ms, 9ms]}, each: true}
  tts_holds: 0
  tts_factor: 0
  leading_silence: {uniform: [10ms, 50ms]}
  post_wait: {uniform: [10ms, 50ms]}
  pre_buffer: {uniform: [10ms, 50ms]}
  egress: {uniform: [0s, 20ms]}
  playout: {uniform: [10ms, 50ms]}
  barge_in: {share: 50%, after: {uniform: [0s, 3s]}, start: {uniform: [100ms, 200ms]}, guard: {uniform: [100ms, 200ms]}, for: {uniform: [1s, 2s]}, clear: false, buffer: {uniform: [100ms, 200ms]}, mistaken: 20%}
`

// changed are other values of the numbers of drawnStack, each with what is drawn for it: that
// alone may be another then.
var changed = []struct {
	key, is, other string
	may            string // draws, with commas between
}{
	{"utterance", "utterance: {uniform: [1s, 2s]}", "utterance: 3s", "uplink_loss,speech_clipped"},
	{"transport.frame", "frame: 20ms", "frame: 30ms", "uplink_loss,speech_clipped,playout_loss,reply_clipped"},
	{"transport.loss", "10%, burst", "20%, burst", "uplink_loss,speech_clipped,playout_loss,reply_clipped"},
	{"transport.burst", "burst: 2", "burst: 3", "uplink_loss,speech_clipped,playout_loss,reply_clipped"},
	{"transport.round_trip", "[20ms, 60ms]", "[20ms, 70ms]", "uplink_loss,playout_loss"},
	{"capture", "capture: {uniform: [1ms, 9ms]}", "capture: 5ms", "capture"},
	{"uplink", "uplink: {uniform: [10ms, 20ms]}", "uplink: 5ms", "uplink"},
	{"jitter_buffer", "jitter_buffer: {uniform: [10ms, 30ms]}", "jitter_buffer: 0s", "jitter_buffer,uplink_loss,playout_loss"},
	{"vad_silence", "vad_silence: {uniform: [200ms, 300ms]}", "vad_silence: 400ms", "vad_wait,cut_in,policy_wait"},
	{"vad_frame", "vad_frame: 0s", "vad_frame: 1ms", "vad_wait,cut_in"},
	{"vad_compute", "vad_compute: 0s", "vad_compute: 2ms", "vad_wait,cut_in"},
	{"ending.turn_model.threshold", "threshold: 0.5", "threshold: 0.4", "end_of_turn,policy_wait,cut_in"},
	{"ending.turn_model.compute", "compute: {uniform: [5ms, 20ms]}", "compute: 15ms", "end_of_turn,policy_wait,cut_in"},
	{"ending.turn_model.min", "min: 50ms", "min: 70ms", "policy_wait,cut_in"},
	{"ending.turn_model.max", "max: 1s", "max: 2s", "end_of_turn,cut_in"},
	{"ending.turn_model.eager", "max: 1s", "max: 1s, eager: 0.2", ""},
	{"stt_tail", "stt_tail: {uniform: [100ms, 200ms]}", "stt_tail: 900ms", "stt_tail,cut_in"},
	{"stt_interim", "stt_interim: {uniform: [10ms, 90ms]}", "stt_interim: 5ms", "stt_interim"},
	{"stt_timer", "stt_timer: 0s", "stt_timer: 300ms", "cut_in"},
	{"policy_wait", "policy_wait: {uniform: [10ms, 30ms]}", "policy_wait: 5ms", "policy_wait,cut_in"},
	{"hook", "hook: {uniform: [10ms, 30ms]}", "hook: 5ms", "hook"},
	{"prompt_tokens", "prompt_tokens: {uniform: [900, 1100]}", "prompt_tokens: 1200", "prompt"},
	{"system_tokens", "system_tokens: 100", "system_tokens: 200", ""},
	{"reasoning_tokens", "reasoning_tokens: 0", "reasoning_tokens: 20", "output"},
	{"reply_tokens", "reply_tokens: {uniform: [40, 80]}", "reply_tokens: 90", "output,playout_loss,reply_clipped,barge_in"},
	{"first_sentence_tokens", "first_sentence_tokens: {uniform: [4, 9]}", "first_sentence_tokens: 6", ""},
	{"speech_per_token", "speech_per_token: 250ms", "speech_per_token: 300ms", "playout_loss,reply_clipped,barge_in"},
	{"context.turns", "turns: 4", "turns: 5", "cache"},
	{"context.time_stamp", "time_stamp: 20%", "time_stamp: 30%", "cache"},
	{"context.tool_order", "tool_order: 20%", "tool_order: 30%", "cache"},
	{"context.rewrite", "rewrite: 20%", "rewrite: 30%", "cache"},
	{"llm.ttft", "ttft: {uniform: [100ms, 300ms]}", "ttft: 250ms", "ttft"},
	{"llm.tokens_per_second", "per_second: 100", "per_second: 50", ""},
	{"llm_round_trip", "llm_round_trip: {uniform: [1ms, 9ms]}", "llm_round_trip: 5ms", "way"},
	{"llm_connect.takes", "llm_connect: {takes: {uniform: [1ms, 9ms]}", "llm_connect: {takes: 5ms", "llm_connect"},
	{"guess.right", "right: 70%", "right: 60%", "guess"},
	{"tool.share", "tool: {share: 50%", "tool: {share: 60%", "tool?,prompt,output,ttft,way,filler?"},
	{"tool.tokens", "tokens: {uniform: [10, 20]}", "tokens: 15", "output"},
	{"tool.takes", "takes: {uniform: [200ms, 400ms]}", "takes: 300ms", "tool"},
	{"tool.result_tokens", "result_tokens: {uniform: [50, 90]}", "result_tokens: 95", "prompt"},
	{"filler.share", "filler: {share: 50%", "filler: {share: 60%", "filler?"},
	{"filler.after", "after: {uniform: [0s, 50ms]}", "after: 60ms", "filler"},
	{"filler.for", "for: {uniform: [300ms, 600ms]}", "for: 500ms", "filler_plays"},
	{"first_clause_tokens", "first_clause_tokens: {uniform: [2, 4]}", "first_clause_tokens: 3", ""},
	{"tts_first_audio", "tts_first_audio: {uniform: [80ms, 120ms]}", "tts_first_audio: 130ms", "tts_first_audio,filler"},
	{"tts_connect.takes", "tts_connect: {takes: {uniform: [1ms, 9ms]}", "tts_connect: {takes: 5ms", "tts_connect,filler"},
	{"tts_holds", "tts_holds: 0", "tts_holds: 20", ""},
	{"tts_factor", "tts_factor: 0", "tts_factor: 0.5", ""},
	{"leading_silence", "leading_silence: {uniform: [10ms, 50ms]}", "leading_silence: 5ms", "leading_silence,filler_plays"},
	{"post_wait", "post_wait: {uniform: [10ms, 50ms]}", "post_wait: 5ms", "post_wait,filler"},
	{"pre_buffer", "pre_buffer: {uniform: [10ms, 50ms]}", "pre_buffer: 5ms", "pre_buffer,filler"},
	{"egress", "egress: {uniform: [0s, 20ms]}", "egress: 5ms", "egress"},
	{"playout", "playout: {uniform: [10ms, 50ms]}", "playout: 5ms", "playout"},
	{"barge_in.share", "barge_in: {share: 50%", "barge_in: {share: 60%", "barge_in"},
	{"barge_in.after", "after: {uniform: [0s, 3s]}", "after: 1s", "barge_in,barge_in_at"},
	{"barge_in.start", "start: {uniform: [100ms, 200ms]}", "start: 50ms", "barge_in,noticed"},
	{"barge_in.guard", "guard: {uniform: [100ms, 200ms]}", "guard: 50ms", "barge_in,noticed"},
	{"barge_in.for", "for: {uniform: [1s, 2s]}", "for: 3s", "barge_in"},
	{"barge_in.buffer", "buffer: {uniform: [100ms, 200ms]}", "buffer: 50ms", ""},
	{"barge_in.mistaken", "mistaken: 20%", "mistaken: 30%", "barge_in"},
}

// drawsOf returns what was drawn for each turn of a run, by what for.
func drawsOf(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	s := parse(t, text)
	a, err := simulate(t.Context(), s, s.Voice, runner.Settings{Seed: 1, N: 240})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for i := range a.Run.Traces {
		x := &a.Run.Traces[i]
		d := map[string]string{"tool?": "no", "filler?": "no"}
		for _, span := range x.Spans {
			switch span.Name {
			case pipeline.SpanLLMFirstToken, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanGathering, pipeline.SpanWrongGuess, pipeline.SpanLLMReasoning,
				pipeline.SpanToolCall, pipeline.SpanFillerWait, pipeline.SpanTTSHeld, pipeline.SpanSTTTimer, pipeline.SpanUnderrun:
				continue // follow from other draws
			case pipeline.SpanTool, pipeline.SpanFiller:
				d[span.Name+"?"] = "yes"
			}
			d[span.Name] = span.For().String()
		}
		for _, name := range []string{pipeline.FactCutIn, pipeline.FactGuess, pipeline.FactBargeIn, pipeline.FactWords, pipeline.FactSpeechClipped, pipeline.FactReplyClipped} {
			d[name] = x.Fact(name)
		}
		d["cache"] = x.Fact(pipeline.FactCache)
		if at := x.Mark(pipeline.MarkBargeIn); at != pipeline.Unknown {
			d["barge_in_at"] = (at - x.Mark(pipeline.MarkReplyHeard)).String()
			if n := x.Mark(pipeline.MarkNoticed); n != pipeline.Unknown {
				way := 0 * at
				for _, span := range x.Spans {
					if slices.Contains([]string{pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanJitterBuffer}, span.Name) {
						way += span.For()
					}
				}
				d["noticed"] = (n - at - way).String()
			}
		}
		if r := &x.Requests[len(x.Requests)-1]; r.Outcome == pipeline.OK {
			d["prompt"], d["output"] = fmt.Sprint(r.PromptTokens), fmt.Sprint(r.OutputTokens)
			d["ttft"] = (r.FirstOutput - r.Sent - r.Way.Out - r.Way.Back).String()
			d["way"] = fmt.Sprint(r.Way)
		}
		all[fmt.Sprint(x.Session, ".", x.Index)] = d
	}
	return all
}

// TestDrawsOfOtherKeys: a number of a scenario changes what is drawn for it, and nothing that
// is drawn for another purpose: two runs that differ in one setting have the same turns, and a
// difference between them is the setting's.
func TestDrawsOfOtherKeys(t *testing.T) {
	was := drawsOf(t, drawnStack)
	seen := map[string]bool{}
	for _, c := range changed {
		seen[c.key] = true
		if n := strings.Count(drawnStack, c.is); n != 1 {
			t.Fatalf("%s: %q is there %d times", c.key, c.is, n)
		}
		is := drawsOf(t, strings.Replace(drawnStack, c.is, c.other, 1))
		may := strings.Split(c.may, ",")
		moved := map[string]int{}
		both := 0
		for turn, before := range was {
			after, there := is[turn]
			if !there {
				continue
			}
			both++
			for what, value := range before {
				if v, ok := after[what]; ok && v != value && !slices.Contains(may, what) {
					if moved[what]++; moved[what] == 1 {
						t.Errorf("another %s: turn %s has %s %s, and had %s", c.key, turn, what, v, value)
					}
				}
			}
		}
		if both < 200 {
			t.Errorf("another %s: only %d turns are in both runs", c.key, both)
		}
		for what, n := range moved {
			t.Errorf("another %s: %s is another in %d turns of %d", c.key, what, n, both)
		}
	}
	for _, k := range scenario.Keys() {
		path, ours := strings.CutPrefix(k.Path, "voice.")
		number := strings.Contains(k.Want, "number") || strings.Contains(k.Want, "duration") || strings.Contains(k.Want, "share") || strings.Contains(k.Want, "decimal")
		if !ours || !number || seen[path] || slices.ContainsFunc(elsewhere, func(p string) bool { return strings.HasPrefix(path, p) }) {
			continue
		}
		t.Errorf("%s (%s): nobody looks at what it changes", path, k.Want)
	}
}

// elsewhere are numbers that drawnStack has no part for, or that have no draw of their own:
// workers are shared, recordings have services of their own, and connections that are closed
// for want of use depend on when turns come.
var elsewhere = []string{
	"speech_to_speech", "audio", "vad_workers", "stt_workers", "stt_factor", "tts_workers", "end_of_turn", "llm.", "llm_connect.idle", "tts_connect.idle", "gather.characters",
	"ending.fixed", "ending.endpointing", "ending.confidence", "ending.rules",
}
