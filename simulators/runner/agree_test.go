package runner

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
)

const ms = time.Millisecond

func parse(t testing.TB, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// memory is a network in memory, for use inside a bubble.
func memory() network {
	ln := memnet.Listen()
	return network{
		listen: func() (net.Listener, error) { return ln, nil },
		dial:   ln.DialContext,
		wall:   pipeline.NewWall,
	}
}

// onBoth runs a scenario on sim and, in a bubble over a network in memory, on mock.
func onBoth(t *testing.T, text string, n int) (sim, mock trace.Run) {
	t.Helper()
	s := parse(t, text)
	sim, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 7, N: n})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		mock, err = Run(t.Context(), s, Settings{Target: Mock, Seed: 7, N: n, network: memory()})
		if err != nil {
			t.Fatal(err)
		}
	})
	for target, run := range map[string]trace.Run{Sim: sim, Mock: mock} {
		if len(run.Traces) != n || !run.Footer.Finished {
			t.Fatalf("%s: %d traces, finished %v (%s); want %d", target, len(run.Traces), run.Footer.Finished, run.Footer.Reason, n)
		}
	}
	return sim, mock
}

// instants are what the two targets must agree on, from the interaction's due
// instant.
type instants struct {
	session, index            int
	outcome                   pipeline.Outcome
	sent, first, last, landed time.Duration
	tokens, prompt, cached    int
	spans, facts              string
}

func instantsOf(t *pipeline.Trace, mark string) instants {
	got := instants{
		session: t.Session, index: t.Index, outcome: t.Outcome, landed: pipeline.Since(t.Due, t.Mark(mark)),
	}
	if len(t.Requests) > 0 {
		r := t.Requests[len(t.Requests)-1]
		got.sent, got.first, got.last = pipeline.Since(t.Due, r.Sent), pipeline.Since(t.Due, r.FirstOutput), pipeline.Since(t.Due, r.LastOutput)
		if r.Outcome == pipeline.OK { // a client never learns the counts of what it gave up
			got.tokens, got.prompt, got.cached = r.OutputTokens, r.PromptTokens, r.CachedTokens
		}
	}
	for _, f := range t.Facts {
		got.facts += f.Name + " " + f.Value + " "
	}
	part := pipeline.Unknown // where the first part of a wait began
	for _, s := range t.Spans {
		switch s.Name { // over a socket nobody tells which part of the wait was a load, a queue or the prefill
		case pipeline.SpanLLMLoad, pipeline.SpanLLMQueue:
			if part == pipeline.Unknown {
				part = s.Start
			}
			continue
		case pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken:
			s.Name = pipeline.SpanLLMFirstToken
			if part != pipeline.Unknown {
				s.Start, part = part, pipeline.Unknown
			}
		}
		got.spans += s.Name + " " + pipeline.Since(t.Due, s.Start).String() + "-" + pipeline.Since(t.Due, s.End).String() + " "
	}
	return got
}

var agreeing = map[string]struct {
	text, mark string
	hits       bool // prompts find something in the cache
}{
	"bench, batched": {`
halfsecond: 1
kind: bench
name: agree
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: {p50: 256, p95: 900}
  output_tokens: {p50: 30, p95: 90}
  llm: {model: Llama-3.1-8B, hardware: L40S}
`, "", false},
	"bench, slots": {`
halfsecond: 1
kind: bench
name: agree
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: {p50: 256, p95: 900}
  output_tokens: {p50: 30, p95: 90}
  llm: {model: Llama-3.1-8B, hardware: RTX-4090, engine: llama.cpp, slots: 2}
`, "", false},
	"bench, hosted": {`
halfsecond: 1
kind: bench
name: agree
arrivals: {process: closed, users: 1, think: {exponential: 50ms}}
bench:
  prompt_tokens: 100
  output_tokens: {uniform: [1, 40]}
  llm: {component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 90}
`, "", false},
	"voice": {`
halfsecond: 1
kind: voice
name: agree
arrivals: {process: closed, users: 1, think: 1s}
voice:
  utterance: {p50: 2s, p95: 5s}
  uplink: 40ms
  vad_silence: 200ms
  end_of_turn: 12ms
  stt_tail: {p50: 247ms, p95: 298ms}
  prompt_tokens: 800
  reply_tokens: {p50: 40, p95: 120}
  first_sentence_tokens: {p50: 9, p95: 20}
  llm: {model: Mistral-NeMo-12B, hardware: L40S}
  llm_round_trip: {uniform: [10ms, 30ms]}
  tts_first_audio: 188ms
  playout: 40ms
`, "reply_heard", true},
	"voice, system prompt": {`
halfsecond: 1
kind: voice
name: agree
arrivals: {process: closed, users: 1, think: 1s}
voice:
  stt_tail: 200ms
  prompt_tokens: {uniform: [700, 1500]}
  system_tokens: 500
  first_sentence_tokens: 1
  llm: {model: Mistral-NeMo-12B, hardware: L40S}
  tts_first_audio: 188ms
`, "reply_heard", true},
	"voice, reasoning": {`
halfsecond: 1
kind: voice
name: agree
arrivals: {process: closed, users: 1, think: 1s}
voice:
  stt_tail: 200ms
  prompt_tokens: 700
  reasoning_tokens: 30
  context: {turns: 5}
  tool: {share: 50%, takes: 100ms}
  llm: {model: Mistral-NeMo-12B, hardware: L40S}
  llm_round_trip: {uniform: [10ms, 30ms]}
  tts_first_audio: 188ms
`, "reply_heard", true},
	"bench, shared prefix": {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S}\n", "", true},
	"bench, sglang":        {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, engine: sglang}\n", "", true},
	"bench, no cache":      {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, prefix_cache: false}\n", "", false},
	"bench, slot cache":    {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, engine: ollama}\n", "", true},
	"bench, background":    {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S}\nbackground: {rate: 3/s, prompt_tokens: {p50: 500, p95: 3000}, output_tokens: 80}\n", "", true},
	"bench, cold": {`
halfsecond: 1
kind: bench
name: agree
arrivals: {process: closed, users: 1, think: {exponential: 20s}}
bench:
  prompt_tokens: 300
  shared_prefix: 100
  llm: {model: Llama-3.1-8B, hardware: L40S, engine: ollama, cold_start: 3s, idle_unload: 30s}
`, "", true},
	"bench, replicas":        {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, replicas: 3, router: least_loaded}\nbackground: {rate: 3/s, prompt_tokens: 700, output_tokens: 80}\n", "", true},
	"bench, prefix router":   {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, replicas: 3, router: prefix}\nbackground: {rate: 3/s, prompt_tokens: 700, output_tokens: 80}\n", "", true},
	"bench, drafts":          {shared + "  llm: {model: Llama-3.1-8B, hardware: L40S, speculation: {draft: eagle}}\n", "", true},
	"ide, wire":              {ghost + "  plugin: {debounce: 75ms, cancel: wire, reuse: typed_as_suggested}\n", "first_character", true},
	"ide, discard, no reuse": {ghost + "  plugin: {debounce: 40ms, cancel: discard, reuse: none, prefix_tokens: 300}\n", "first_character", true},
	"ide, no cancel":         {ghost + "  plugin: {debounce: 0ms, cancel: none, reuse: typed_as_suggested, max_tokens: 8}\n", "first_character", true},
	"ide, written out":       {ghost + "  plugin: {wait: {by: rhythm, prepare: 4ms}, prompt: {layout: line_after_middle, family: qwen, prefix: 40 lines, header: [\"// {path}\"], snippets: {n: 2, every: 7}}}\n", "first_character", true},
	"ide, one flight":        {ghost + "  plugin: {cancel: none, requests: {most_live: 1}, cache: {capacity: 50, superseded: true, prefix: {reach: any}}, display: {hold: 120ms, lines: end}}\n", "first_character", true},
}

// shared has prompts that begin alike, some of which are nothing else.
const shared = `
halfsecond: 1
kind: bench
name: agree
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: {p50: 256, p95: 900}
  shared_prefix: 100
  output_tokens: {p50: 30, p95: 90}
`

const ghost = `
halfsecond: 1
kind: ide
name: agree
arrivals: {process: closed, users: 1}
ide:
  typist: {profile: fast, text: go-handler, max_pause: 2s}
  llm: {model: Qwen2.5-7B, hardware: L40S}
  round_trip: 20ms
  answer: {truth: 60%}
`

// TestAgreeOnRefusals: what an engine has no room for is refused on both targets.
func TestAgreeOnRefusals(t *testing.T) {
	sim, mock := onBoth(t, `
halfsecond: 1
kind: bench
name: too long
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: 20000
  output_tokens: 10
  llm: {model: Llama-2-7B, hardware: L40S}
`, 3)
	for i := range sim.Traces {
		s, m := &sim.Traces[i], &mock.Traces[i]
		if s.Outcome != pipeline.Refused || m.Outcome != pipeline.Refused {
			t.Errorf("request %d: %s (%s) on sim, %s (%s) on mock; want both refused", i, s.Outcome, s.Reason, m.Outcome, m.Reason)
		}
	}
}

// TestAgreeOnFailures: what a dying replica breaks off is broken off on both targets.
func TestAgreeOnFailures(t *testing.T) {
	sim, mock := onBoth(t, `
halfsecond: 1
kind: bench
name: dying
arrivals: {process: closed, users: 1, think: 10ms}
bench:
  prompt_tokens: 2000
  output_tokens: 50
  llm:
    model: Llama-3.1-8B
    hardware: L40S
    replicas: 2
    health_delay: 2s
    failures: [{replica: 0, at: 5s, for: 10s}, {replica: 1, at: 30s, for: 10s}]
`, 60)
	outcomes := map[pipeline.Outcome]int{}
	for i := range sim.Traces {
		s, m := instantsOf(&sim.Traces[i], ""), instantsOf(&mock.Traces[i], "")
		if s != m {
			t.Errorf("request %d\nmock %+v\n sim %+v", i, m, s)
		}
		outcomes[s.outcome]++
	}
	if outcomes[pipeline.OK] < 40 || outcomes[pipeline.Error] < 2 || outcomes[pipeline.OK]+outcomes[pipeline.Error] != 60 {
		t.Errorf("outcomes %v, want most ok and some of both errors", outcomes)
	}
}

// TestAgree: the same scenario with the same seed and one user gives the same
// instants on sim and on mock, to the nanosecond.
func TestAgree(t *testing.T) {
	for name, c := range agreeing {
		t.Run(name, func(t *testing.T) {
			sim, mock := onBoth(t, c.text, 60)
			if sim.Footer.Background != mock.Footer.Background {
				t.Errorf("background %+v on mock, %+v on sim", mock.Footer.Background, sim.Footer.Background)
			}
			landed, cached := 0, 0
			for i := range sim.Traces {
				want, got := instantsOf(&sim.Traces[i], c.mark), instantsOf(&mock.Traces[i], c.mark)
				if got != want {
					t.Fatalf("interaction %d\nmock %+v\n sim %+v", i, got, want)
				}
				if got.outcome != pipeline.OK {
					t.Fatalf("interaction %d: %+v", i, got)
				}
				cached += max(0, got.cached)
				if got.landed != pipeline.Unknown || got.last != pipeline.Unknown {
					landed++
				}
			}
			if landed < 10 {
				t.Errorf("%d interactions landed: the test compares too little", landed)
			}
			if (cached > 0) != c.hits {
				t.Errorf("%d tokens were in the cache, want some: %v", cached, c.hits)
			}
		})
	}
}
