//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// realCall is a voice turn whose speech services are real: pocketsphinx hears our sentence,
// a modelled language model answers, and a synthesiser says that.
const realCall = `halfsecond: 1
kind: voice
name: real parts
arrivals: {process: closed, users: 1}
voice:
  stt_tail: 200ms
  tts_first_audio: 100ms
  llm: {ttft: 150ms, tokens_per_second: 60}
  reply_tokens: 24
  first_sentence_tokens: 8
budgets: ["p50(reply) < 60s"]
endpoints:
  stt: {url: %q, protocol: deepgram-listen, model: pocketsphinx}
  tts: {url: %q, protocol: openai-speech, model: %s, voice: %s}
run: {n: 2, target: endpoint}
`

// callOn runs realCall with a synthesiser and returns its turns.
func callOn(t *testing.T, parts speechParts, model, voice string) []pipeline.Trace {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "call.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, fmt.Appendf(nil, realCall, parts.root, parts.root, model, voice), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"run", file, "--out", out, "--no-self-test"}, &program{out: &stdout, err: &stderr}); code != exitPassed && code != exitUnmeasured { // unmeasured where the machine is too busy
		t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	lines, err := os.ReadFile(filepath.Join(out, "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := trace.Read(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", model, &stdout)
	for i := range kept.Traces {
		x := &kept.Traces[i]
		if x.Outcome != pipeline.OK || len(x.Hearings) != 1 || len(x.Sayings) == 0 || !strings.Contains(x.Hearings[0].Text, "people") {
			t.Errorf("turn %d: %s %q, %d hearings, %d sayings, heard %+v", i, x.Outcome, x.Reason, len(x.Hearings), len(x.Sayings), x.Hearings)
		}
	}
	if len(kept.Traces) != 2 || t.Failed() {
		t.Fatalf("%d turns, want 2 whole ones", len(kept.Traces))
	}
	return kept.Traces
}

// stages returns how long the spans of a turn are, by their names.
func stages(x *pipeline.Trace) map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, s := range x.Spans {
		all[s.Name] += s.For()
	}
	return all
}

// TestRealCall: each part shows as what it is in the waterfall. flite begins with some
// 200 ms of silence, which a caller waits for like anything else; festival makes all of a
// text before it says any of it. Bounds are wide, since other work may delay anything.
func TestRealCall(t *testing.T) {
	parts := startSpeechParts(t)
	for _, x := range callOn(t, parts, flite, fliteVoice) {
		s := stages(&x)
		if s[pipeline.SpanLeading] < 100*time.Millisecond || s[pipeline.SpanLeading] > 2*time.Second {
			t.Errorf("flite: leading silence of %s, want some 200 ms", s[pipeline.SpanLeading])
		}
		// The text is asked for 200 ms after the end of speech, when the detector stops.
		if s[pipeline.SpanSTTTail] < 200*time.Millisecond {
			t.Errorf("flite: stt_tail %s, want the detector's 200 ms and more", s[pipeline.SpanSTTTail])
		}
		if v := x.Mark(pipeline.MarkReplyHeard) - x.Due; v < 700*time.Millisecond {
			t.Errorf("flite: voice-to-voice %s, less than the modelled parts alone take", v)
		}
	}
	for _, x := range callOn(t, parts, festival, festivalSays) {
		first := &x.Sayings[0]
		if made := first.LastAudio - first.Due; first.FirstAudio-first.Due < made/2 {
			t.Errorf("festival: first audio after %s of %s, want it near the end", first.FirstAudio-first.Due, made)
		}
		if s := stages(&x); s[pipeline.SpanTTSFirstAudio] < 300*time.Millisecond {
			t.Errorf("festival: tts_first_audio %s, want it to show as the slow one", s[pipeline.SpanTTSFirstAudio])
		}
	}
}
