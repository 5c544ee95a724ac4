package runner

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/trace"
)

// askSpoken runs a scenario with audio at the target endpoint, over a network in memory, where
// the servers are that it has at the target mock. It returns what those saw as well.
func askSpoken(t *testing.T, text string, n, maxRequests int) (got trace.Run, seen []ledger.Entry) {
	t.Helper()
	s := parse(t, text)
	synctest.Test(t, func(t *testing.T) {
		mem := memory()
		r := &run{scenario: s, settings: Settings{Seed: 1}}
		m, err := r.service()
		if err != nil {
			t.Fatal(err)
		}
		served, err := r.mockServer(mem.wall(), m)
		if err != nil {
			t.Fatal(err)
		}
		ln, err := mem.listen()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- served.Run(ctx, ln) }()
		set := Settings{Target: Endpoint, Seed: 1, N: n, network: mem, Speech: r.mockSpeech("speech", mem.dial)}
		set.Speech.MaxRequests = maxRequests
		set.Endpoint = endpoint.Config{
			URL: "http://model", Protocol: mockProtocol(s.Kind), Model: m.Name, SendAnswer: true, DialContext: mem.dial, MaxRequests: maxRequests,
		}
		got, err = Run(t.Context(), s, set)
		if err != nil {
			t.Error(err)
		}
		synctest.Wait() // until the servers know that the last of their clients has gone
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		seen, _ = served.Ledger.Latest(ledger.Kept)
	})
	return got, seen
}

// TestOneCap: of a cap on requests take the language model's, those of its background and turns
// of speech together.
func TestOneCap(t *testing.T) {
	text := audioHead + "  audio: {}\n" + enginePart + "background: {rate: 1/s, prompt_tokens: 100, output_tokens: 20}\n"
	const most = 30
	run, seen := askSpoken(t, text, 40, most)
	if run.Footer.Finished || !strings.Contains(run.Footer.Reason, "over the cap of 30 requests") {
		t.Errorf("finished %t: %q, want the cap to end the run", run.Footer.Finished, run.Footer.Reason)
	}
	of := map[string]int{}
	for _, e := range seen {
		of[e.Protocol]++
	}
	if len(seen) != most || of["deepgram listen"] < 2 || of["deepgram speak"] < 2 || run.Footer.Background.Requests < 20 {
		t.Errorf("the servers were asked %d times, %v, background %+v; want %d times, and each of them", len(seen), of, run.Footer.Background, most)
	}
}

// roundTrip is a key of enginePart that an endpoint has no use for.
const roundTrip = "llm_round_trip: {uniform: [10ms, 30ms]}"

// TestSpoken: at an endpoint that behaves as the simulator has it, turns take to the nanosecond
// as long.
func TestSpoken(t *testing.T) {
	text := audioHead + "  audio: {}\n" + strings.Replace(enginePart, roundTrip, "llm_round_trip: 0ms", 1)
	run, seen := askSpoken(t, text, 5, 0)
	sim := judged(t, text, 5)
	for i := range run.Traces {
		want, got := instantsOf(&sim.Traces[i], "reply_heard"), instantsOf(&run.Traces[i], "reply_heard")
		got.facts = strings.Replace(got.facts, " asked_with heard", "", 1) // the simulator asks with a length
		if got != want {
			t.Errorf("turn %d\nendpoint %+v\n     sim %+v", i, got, want)
		}
		if want, got := session(&sim.Traces[i]), session(&run.Traces[i]); got != want {
			t.Errorf("turn %d\nendpoint %s\n\n     sim %s", i, got, want)
		}
	}
	if len(run.Traces) != 5 || len(seen) != 15 {
		t.Errorf("%d turns, the servers were asked %d times; want 5 and 15", len(run.Traces), len(seen))
	}
}

// TestSpokenSession: a call of several turns is one session of hearing, whose frames go on
// between them, so that a final text comes up to a frame sooner or later than in one of its own.
// What follows takes as long.
func TestSpokenSession(t *testing.T) {
	const n = 4
	text := strings.Replace(audioHead, "{p50: 247ms, p95: 298ms}", "247ms", 1) + "  audio: {}\n  context: {turns: 4}\n  llm: {ttft: 100ms, tokens_per_second: 50}\n  llm_round_trip: 0ms\n"
	run, seen := askSpoken(t, text, n, 0)
	sim := judged(t, text, n)
	for i := range run.Traces {
		got, want := &run.Traces[i], &sim.Traces[i]
		if got.Outcome != pipeline.OK || len(got.Hearings) != 1 || got.Hearings[0].Text != want.Hearings[0].Text {
			t.Fatalf("turn %d is %s, heard %+v; want %q", i, got.Outcome, got.Hearings, want.Hearings[0].Text)
		}
		final := func(tr *pipeline.Trace) time.Duration { return tr.Hearings[0].LastFinal }
		if apart := final(got) - got.Due - (final(want) - want.Due); apart.Abs() > 100*time.Millisecond {
			t.Errorf("turn %d: its final text came %s apart from the simulator's, want a frame at most", i, apart)
		}
		rest := func(tr *pipeline.Trace) time.Duration { return tr.Mark(pipeline.MarkReplyHeard) - final(tr) }
		if got, want := rest(got), rest(want); got != want {
			t.Errorf("turn %d: the reply is heard %s after that, want %s", i, got, want)
		}
	}
	of := map[string]int{}
	for _, e := range seen {
		of[e.Protocol]++
	}
	if of["deepgram listen"] != 1 || of["deepgram speak"] != n || of["openai"] != n {
		t.Errorf("%v, want one session of hearing and %d of the others", of, n)
	}
}
