package scenario

import (
	"path/filepath"
	"strings"
	"testing"
)

// wrong has one of every kind of mistake.
const wrong = `halfsecond: 2
kind: voice
name: 3
arrivals: {process: poisson, rate: 2, users: 3}
warmup: 5
warm_up: -1
voice:
  utterance: {p50: 2.4s, p95: 1s}
  uplink: 40
  vad_silence: {component: stt-deepgram-nova-3-general}
  stt_tail: {component: stt-deepgram-nova-3-generl}
  prompt_tokens: {p50: 10, p90: 9}
  reply_tokens: [3]
  first_sentence_tokens: {exponential: 0}
  uplink: 3ms
  leading_silence: {component: tts-leading-silence-in-tts-output-any-vendor}
  playout: {component: telephony-livekit-sip-webrtc-openai-realtime-whole-v2v}
  llm: {model: Llama-3.1-8B, hardware: L40X, ttft: 3ms, gpus: 0}
  llm_round_trip: {uniform: [3ms]}
  speech_per_token: 2 s
ide:
  typist: {profile: averge}
budgets:
  - p95(reply) < 500
  - "p95(replay) < 500ms"
  - {p95: 3}
run: {n: 1e3, seed: -1, target: &x sim, sede: 4, 5: 6}
endpoints: {llm: {url: "http://me:secret@host", key_env: "a b", ignore_eos: yes}}
`

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse("wrong.yaml", []byte(wrong), nil)
	if err == nil {
		t.Fatal("Parse(wrong) found nothing wrong")
	}
	golden(t, filepath.Join("testdata", "wrong.txt"), err.Error()+"\n")
}

func TestProblems(t *testing.T) {
	const head = "halfsecond: 1\nkind: bench\nname: n\n"
	const llm = "bench: {llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `f:1:1: the file is empty: it begins with "halfsecond: 1"`},
		{"only a comment", "# hello\n", `f:1:1: the file is empty: it begins with "halfsecond: 1"`},
		{"a list", "- a\n", "f:1:1: want a mapping with the keys halfsecond, kind, name, catalog, arrivals, warm_up, voice, ide, bench, grid, background, budgets, run, endpoints; found a list"},
		{"no kind", "halfsecond: 1\nname: n\nbench: {llm: 3}\n", "f:1:1: kind is missing: want voice | ide | bench | grid\nf:3:14: bench.llm: want a language model; found 3"},
		{"kind misspelled", "halfsecond: 1\nkind: bensch\nname: n\n" + llm, `f:2:7: kind: found "bensch"; nearest: bench`},
		{"kind unlike any", "halfsecond: 1\nkind: telephone\nname: n\n", `f:2:7: kind: found "telephone"; want one of voice, ide, bench, grid`},
		{"section missing", head, "f:1:1: bench is missing: want a mapping"},
		{"section empty", head + "bench:\n", "f:4:1: bench: want a mapping with the keys lengths, prompt_tokens, output_tokens, shared_prefix, shared_by, llm; found nothing"},
		{"section of another kind", head + llm + "ide: {}\n", "f:5:1: ide: goes with kind: ide, and kind is bench"},
		{"no model", head + "bench: {llm: {gpus: 2}}\n", "f:4:14: bench.llm: want a language model: one of the keys model, cassette, component, ttft is missing"},
		{"open arrivals of typists", "halfsecond: 1\nkind: ide\nname: n\narrivals: {process: poisson, rate: 1/s}\nide: {typist: {profile: fast}, llm: {ttft: 1ms, tokens_per_second: 50}}\n",
			"f:4:21: arrivals.process: found poisson; want closed, since typists are users who go on typing"},
		{"decisive word misspelled", head + "arrivals: {process: poison, rate: 1/s}\n" + llm, `f:4:21: arrivals.process: found "poison"; nearest: poisson`},
		{"element of a list empty", head + llm + "budgets:\n  -\n", "f:6:5: budgets[0]: want a budget such as p95(reply) < 500ms; found nothing"},
		{"two forms at once", head + "bench: {llm: {ttft: 1ms, component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 9}}\n",
			"f:4:14: bench.llm: want a language model: component and ttft cannot stand together"},
		{"budget of another kind", head + llm + "budgets: [p95(ttfc) < 150ms]\n", `f:5:15: budgets[0]: found "ttfc", want a metric; nearest: ttfb`},
		{"a name over two lines", head + llm + "budgets:\n  - |\n    p95(ttft) < 1s\n", "f:6:5: budgets[0]: want a budget such as p95(reply) < 500ms; found a block of text"},
		{"too long a name", "halfsecond: 1\nkind: bench\nname: " + strings.Repeat("n", 201) + "\n" + llm, `f:3:7: name: want a line of up to 200 characters; found "` + strings.Repeat("n", 100) + `..."`},
		{"out of bounds", head + llm + "arrivals: {process: constant, every: 25h}\nrun: {n: 0}\n",
			"f:5:38: arrivals.every: 25h is not possible: it must be from 1µs to 1h0m0s\nf:6:10: run.n: 0 is not possible: it must be from 1 to 1000000"},
		{"rate out of bounds", head + llm + "arrivals: {process: poisson, rate: 0/s}\n", "f:5:36: arrivals.rate: 0/s is not possible: it must be from 0.36/h to 1000000/s"},
		{"number in quotes", head + llm + "warm_up: '3'\n", `f:5:10: warm_up: want a whole number; found "3"`},

		{"empty key", head + llm + "run: {\"\": 3}\n", "f:5:7: run.: unknown key; want one of n, seed, target"},

		{"tab", "halfsecond: 1\nbench:\n\tllm: 3\n", "f:3:1: not valid YAML: found character tab: indent with spaces"},
		{"open bracket", head + "bench: {llm: {ttft: 1ms\n", "f:4:14: not valid YAML: could not find flow mapping end token '}'"},
		{"open quote", head + "bench: \"llm\n", "f:4:8: not valid YAML: could not find end character of double-quoted text"},
		{"anchor and alias", head + llm + "arrivals: &a {process: closed}\nrun: *a\n",
			"f:5:11: arrivals: anchors (&name) are not used here: write the value out\nf:6:6: run: aliases (*name) are not used here: write the value out, or quote a text that begins with a star"},
		{"merge key", head + llm + "run: {<<: {n: 3}}\n", "f:5:7: run.<<: merge keys (<<) are not used here: write the keys out"},
		{"tag", head + llm + "warm_up: !!int 3\n", "f:5:10: warm_up: tags (!name) are not used here: remove it"},
		{"tag inside a distribution", head + "bench: {llm: {ttft: {p50: ! 3ms}, tokens_per_second: 50}, prompt_tokens: {p50: ! 20}}\n",
			"f:4:27: bench.llm.ttft.p50: tags (!name) are not used here: remove it\nf:4:79: bench.prompt_tokens.p50: tags (!name) are not used here: remove it"},
		{"two documents", head + llm + "---\n" + head + llm, "f:5:1: a second document begins here: a file holds one"},
		{"directive", "%YAML 1.2\n---\n" + head + llm, "f:1:1: directives such as %YAML are not used here: remove the line"},
		{"not UTF-8", head + "bench: é\xff\n", "f:4:9: this is not UTF-8 text"},
		{"too large", strings.Repeat("#", 1<<20+1), "f:1:1: the file is larger than 1048576 bytes"},
		{"too many words", strings.Repeat("a:\n", 20_000), "f:10001:1: the file is too long: it may have at most 20000 words and signs"},
		{"too deep", "a: " + strings.Repeat("[", 33), "f:1:36: brackets or lists are nested more than 32 deep"},
	} {
		_, err := Parse("f", []byte(c.text), nil)
		if err == nil {
			t.Errorf("%s: no error, want %s", c.name, c.want)
			continue
		}
		if got := err.Error(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// The place of a problem is right whatever stands before it.
func TestPlaces(t *testing.T) {
	const body = "halfsecond: 1\nkind: bench\nname: n\nbench:\n  llm:\n    ttft: 1ms\n    tokens_per_second: fast\n"
	for name, text := range map[string]string{
		"plain":       body,
		"CRLF":        strings.ReplaceAll(body, "\n", "\r\n"),
		"byte order":  "\ufeff" + body,
		"no newline":  strings.TrimSpace(body),
		"other chars": strings.Replace(body, "name: n", "name: 日本語 é", 1),
	} {
		_, err := Parse("f", []byte(text), nil)
		const want = `f:7:24: bench.llm.tokens_per_second: want a number; found "fast"`
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"comments and blank lines": {strings.Replace(body, "bench:\n", "\n# one\n# two\n\nbench: # three\n\n", 1), "f:12:24: "},
		"characters before it":     {strings.Replace(body, "    ttft: 1ms\n    tokens_per_second: fast\n", "    {ttft: 1ms, \"tökens\": 1, tokens_per_second: fast}\n", 1), "f:6:49: "},
	} {
		_, err := Parse("f", []byte(c.text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want+"bench.llm.tokens_per_second: ") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestProblemsAreTyped(t *testing.T) {
	_, err := Parse("f", []byte(wrong), nil)
	for i, p := range problems(err) {
		if p.File != "f" || p.Line < 1 || p.Column < 1 || p.Path == "" || p.Message == "" {
			t.Errorf("problem %d = %+v, want every field set", i, p)
		}
	}
}
