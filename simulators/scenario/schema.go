package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/budgets"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/ide"
)

// This file holds the tables of every key. A new kind of scenario is a word in
// kinds, a section type in scenario.go, and a table here with its field in
// schema.

var kinds = []string{"voice", "ide", "bench"}

var schema = object(nil,
	need("halfsecond", func(s *Scenario) *int { return &s.Version }, version, "version of this format"),
	need("kind", func(s *Scenario) *string { return &s.Kind }, kind, "what an interaction is: a voice turn, a key in an editor, a request"),
	need("name", func(s *Scenario) *string { return &s.Name }, oneLine, "shown in reports"),
	can("arrivals", func(s *Scenario) *arrival.Process { return &s.Arrivals }, arrival.Closed(1, dist.Dist{}), arrivals, "when interactions begin"),
	can("warm_up", func(s *Scenario) *int { return &s.WarmUp }, 0, whole(0, 1_000_000), "interactions at the start left out of the report"),
	need("voice", func(s *Scenario) **Voice { return &s.Voice }, pointer(voice), "the stages of a turn").when("kind", "voice"),
	need("ide", func(s *Scenario) **IDE { return &s.IDE }, pointer(editor), "the typist, the plugin and what answers it").when("kind", "ide"),
	need("bench", func(s *Scenario) **Bench { return &s.Bench }, pointer(bench), "the requests").when("kind", "bench"),
	can("budgets", func(s *Scenario) *[]Budget { return &s.Budgets }, nil, listOf(budget), "what is good enough"),
	can("run", func(s *Scenario) *Run { return &s.Run }, Run{N: 200, Seed: 1, Target: "sim"}, run, "settings of a run, outside the hash"),
	can("endpoints", func(s *Scenario) *Endpoints { return &s.Endpoints }, Endpoints{}, endpoints, "real services for --target endpoint, outside the hash"),
)

var version = func() form[int] {
	f := whole(0, 1_000_000)
	number := f.read
	f.want = "1"
	f.read = func(r *reader, n ast.Node) (int, bool) {
		v, ok := number(r, n)
		if ok && v != 1 {
			r.fail(n, "version %d is not known: this program reads version 1", v)
		}
		return v, ok && v == 1
	}
	return f
}()

// kind tells the reader what it has read: budgets and arrivals depend on it.
var kind = func() form[string] {
	f := enum(kinds...)
	word := f.read
	f.read = func(r *reader, n ast.Node) (string, bool) {
		v, ok := word(r, n)
		r.kind = v
		return v, ok
	}
	return f
}()

var arrivals = object(
	func(r *reader, found map[string]entry, p *arrival.Process) {
		if r.kind == "ide" && p.Open() {
			r.failEntry(found, "process", "found %s; want closed, since typists are users who go on typing", p.Kind)
		}
	},
	need("process", func(p *arrival.Process) *arrival.Kind { return &p.Kind }, process, "constant gaps, random gaps, or users who wait for an answer"),
	need("every", func(p *arrival.Process) *time.Duration { return &p.Every }, duration(time.Microsecond, time.Hour), "from one interaction to the next").when("process", "constant"),
	need("rate", func(p *arrival.Process) *float64 { return &p.Rate }, rate, "mean number of interactions").when("process", "poisson"),
	can("users", func(p *arrival.Process) *int { return &p.Users }, 1, whole(1, 100_000), "how many at the same time").when("process", "closed"),
	can("think", func(p *arrival.Process) *dist.Dist { return &p.Think }, dist.Dist{}, pause, "from the end of one interaction to the user's next").when("process", "closed"),
)

var process = names(arrival.ConstantKind, arrival.PoissonKind, arrival.ClosedKind)

var pause = as(delay(), func(d Delay) dist.Dist { return d.Dist }, func(d dist.Dist) Delay { return Delay{Dist: d} })

// noDoubleTrip leaves the way to a hosted model out unless the file gives it: what
// is published of one, from the client's side, holds the way already.
func noDoubleTrip(found map[string]entry, key string, m LLM, trip *Delay) {
	if _, given := found[key]; !given && m.Engine == nil {
		*trip = fixed(0)
	}
}

var voice = object(
	func(_ *reader, found map[string]entry, v *Voice) {
		noDoubleTrip(found, "llm_round_trip", v.LLM, &v.LLMRoundTrip)
	},
	can("utterance", func(v *Voice) *Delay { return &v.Utterance }, fitted(2400*time.Millisecond, 6*time.Second), delay(), "how long the user speaks, in a closed loop"),
	can("uplink", func(v *Voice) *Delay { return &v.Uplink }, fixed(40*time.Millisecond), delay("network", "telephony"), "last sample of speech from the mouth to the agent"),
	can("vad_silence", func(v *Voice) *Delay { return &v.VADSilence }, fixed(200*time.Millisecond), delay("vad", "endpointing"), "silence until the voice activity detector stops"),
	can("end_of_turn", func(v *Voice) *Delay { return &v.EndOfTurn }, fixed(12*time.Millisecond), delay("endpointing", "vad"), "from that stop to the decision that the turn is over"),
	need("stt_tail", func(v *Voice) *Delay { return &v.STTTail }, delay("stt"), "last sample at the agent to the final transcript"),
	can("prompt_tokens", func(v *Voice) *dist.Count { return &v.PromptTokens }, dist.ConstantCount(1200), tokens, "system prompt, history and the user's words"),
	can("reply_tokens", func(v *Voice) *dist.Count { return &v.ReplyTokens }, fittedCount(60, 140), tokens, "length of the reply"),
	can("first_sentence_tokens", func(v *Voice) *dist.Count { return &v.FirstSentenceTokens }, fittedCount(12, 20), tokens, "tokens of the text first handed to TTS"),
	need("llm", func(v *Voice) *LLM { return &v.LLM }, llm, "the language model"),
	can("llm_round_trip", func(v *Voice) *Delay { return &v.LLMRoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft"),
	need("tts_first_audio", func(v *Voice) *Delay { return &v.TTSFirstAudio }, delay("tts"), "text handed over to first audio"),
	can("leading_silence", func(v *Voice) *Delay { return &v.LeadingSilence }, fixed(0), delay("tts"), "silence at the start of that audio"),
	can("playout", func(v *Voice) *Delay { return &v.Playout }, fixed(40*time.Millisecond), delay("network", "telephony"), "audio from the agent to the ear"),
	can("speech_per_token", func(v *Voice) *time.Duration { return &v.SpeechPerToken }, 250*time.Millisecond, duration(0, time.Minute), "how long a token plays, in a closed loop"),
)

var editor = object(
	func(_ *reader, found map[string]entry, d *IDE) {
		noDoubleTrip(found, "round_trip", d.LLM, &d.RoundTrip)
	},
	need("typist", func(d *IDE) *Typist { return &d.Typist }, typist, "who types"),
	can("plugin", func(d *IDE) *ide.Plugin { return &d.Plugin }, defaultPlugin, plugin, "the rules of the ghost-text plugin"),
	need("llm", func(d *IDE) *LLM { return &d.LLM }, llm, "the language model"),
	can("round_trip", func(d *IDE) *Delay { return &d.RoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft"),
	can("answer", func(d *IDE) *float64 { return &d.Truth }, .6, answer, "what the modelled answers say"),
)

var answer = object(nil,
	can("truth", func(share *float64) *float64 { return share }, .6, share, "share of answers that are what the user goes on to type"),
)

var typist = oneOf("a typist",
	choice[Typist]{"profile", generated, func(t Typist) bool { return t.Session == "" }},
	choice[Typist]{"session", recorded, func(t Typist) bool { return t.Session != "" }},
)

// generated fills in what the profile says when the file does not.
var generated = object(
	func(_ *reader, found map[string]entry, t *Typist) {
		p, err := ide.ProfileNamed(t.Profile)
		if err != nil {
			panic(fmt.Sprintf("scenario: %s", err))
		}
		if _, given := found["wpm"]; !given {
			t.WPM = p.WPM
		}
		if _, given := found["errors"]; !given {
			t.Errors = p.Slips
		}
	},
	need("profile", func(t *Typist) *string { return &t.Profile }, enum(ide.ProfileNames()...), "how practised the typist is"),
	can("wpm", func(t *Typist) *float64 { return &t.WPM }, 0, pace, "words of five characters a minute").fallback("the profile's"),
	can("text", func(t *Typist) *Text { return &t.Text }, builtinText("go-handler"), typed, "a built-in text or the path of a file"),
	can("lines", func(t *Typist) *int { return &t.Lines }, 20, whole(0, 10_000), "lines typed at a time somewhere in the text, the rest of which is there; 0 types all of it into an empty document"),
	can("errors", func(t *Typist) *float64 { return &t.Errors }, 0, share, "share of letters and digits mistyped and put right").fallback("the profile's"),
	maxPause,
)

var pace = scalar("a number", number,
	func(v float64) string {
		if v != 0 && (v < 5 || v > 300) {
			return "from 5 to 300, or 0 for the expert's own pace"
		}
		return ""
	}, writeNumber)

var maxPause = can("max_pause", func(t *Typist) *time.Duration { return &t.MaxPause }, 0, duration(0, 24*time.Hour), "longer pauses are cut to this; 0 cuts none")

var recorded = object(
	func(r *reader, found map[string]entry, t *Typist) {
		if _, err := ide.RecordedSession().Replay(t.Document); err != nil {
			r.failEntry(found, "document", "%s", err)
		}
	},
	need("session", func(t *Typist) *string { return &t.Session }, enum("vscode_session1"), "a recorded session to replay"),
	need("document", func(t *Typist) *int { return &t.Document }, whole(0, 1_000_000), "which document of it"),
	maxPause,
)

var defaultPlugin = ide.Plugin{
	Debounce: 75 * time.Millisecond, Cancel: ide.CancelWire, Reuse: ide.TypedAsSuggested,
	PrefixTokens: 1500, SuffixTokens: 500, MaxTokens: 48,
}

var plugin = object(nil,
	can("debounce", func(p *ide.Plugin) *time.Duration { return &p.Debounce }, defaultPlugin.Debounce, duration(0, longestDelay), "wait after a key before asking"),
	can("cancel", func(p *ide.Plugin) *ide.Cancel { return &p.Cancel }, defaultPlugin.Cancel, names(ide.CancelNone, ide.CancelDiscard, ide.CancelWire), "at the next key: nothing, drop the answer, or close the request"),
	can("reuse", func(p *ide.Plugin) *ide.Reuse { return &p.Reuse }, defaultPlugin.Reuse, names(ide.ReuseNone, ide.TypedAsSuggested), "keep an answer while the typing follows it"),
	can("prefix_tokens", func(p *ide.Plugin) *int { return &p.PrefixTokens }, defaultPlugin.PrefixTokens, whole(1, maxTokensAsked), "most tokens before the cursor in a prompt"),
	can("suffix_tokens", func(p *ide.Plugin) *int { return &p.SuffixTokens }, defaultPlugin.SuffixTokens, whole(0, maxTokensAsked), "most tokens behind it"),
	can("max_tokens", func(p *ide.Plugin) *int { return &p.MaxTokens }, defaultPlugin.MaxTokens, whole(1, longestCompletion), "longest answer"),
)

var bench = object(nil,
	can("prompt_tokens", func(b *Bench) *dist.Count { return &b.PromptTokens }, dist.ConstantCount(256), tokens, "length of the prompt"),
	can("output_tokens", func(b *Bench) *dist.Count { return &b.OutputTokens }, dist.ConstantCount(60), tokens, "length of the answer"),
	need("llm", func(b *Bench) *LLM { return &b.LLM }, llm, "the language model"),
)

var llm = oneOf("a language model",
	choice[LLM]{"model", as(replica, func(e Engine) LLM { return LLM{Engine: &e} }, func(l LLM) Engine { return *l.Engine }),
		func(l LLM) bool { return l.Engine != nil }},
	choice[LLM]{"component", hosted, func(l LLM) bool { return l.TTFT.Component != "" }},
	choice[LLM]{"ttft", stated, func(l LLM) bool { return true }},
)

var replica = object(
	func(r *reader, found map[string]entry, e *Engine) {
		if _, err := e.Replica(); err != nil {
			r.failEntry(found, "model", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	},
	need("model", func(e *Engine) *string { return &e.Model }, model, "the model to run"),
	need("hardware", func(e *Engine) *string { return &e.Hardware }, hardware, "the accelerator it runs on"),
	can("gpus", func(e *Engine) *int { return &e.GPUs }, 1, whole(1, 1024), "how many of them share the model"),
	can("weights", func(e *Engine) *string { return &e.Weights }, "fp16", enum("fp16", "fp8", "int8", "int4"), "precision of the weights"),
	can("scheduler", func(e *Engine) *string { return &e.Scheduler }, "batched", enum("batched", "slots"), "continuous batching, or answers that run on their own"),
	can("slots", func(e *Engine) *int { return &e.Slots }, 1, whole(1, 100_000), "answers at a time").when("scheduler", "slots"),
	can("max_sequences", func(e *Engine) *int { return &e.MaxSequences }, 256, whole(1, 100_000), "answers at a time").when("scheduler", "batched"),
	can("token_budget", func(e *Engine) *int { return &e.TokenBudget }, 2048, whole(1, maxTokensAsked), "tokens of one step").when("scheduler", "batched"),
)

var hosted = object(nil,
	need("component", func(l *LLM) *Delay { return &l.TTFT }, component("llm"), "a hosted model: its time to first token"),
	need("tokens_per_second", func(l *LLM) *float64 { return &l.TokensPerSecond }, perSecond, "rate after the first token"),
)

var stated = object(nil,
	need("ttft", func(l *LLM) *Delay { return &l.TTFT }, delay(), "time to first token"),
	need("tokens_per_second", func(l *LLM) *float64 { return &l.TokensPerSecond }, perSecond, "rate after the first token"),
)

var perSecond = decimal(.1, 1_000_000)

var expression = text("a budget such as p95(reply) < 500ms", printable)

var budget = form[Budget]{
	want: expression.want,
	read: func(r *reader, n ast.Node) (Budget, bool) {
		line, ok := expression.read(r, n)
		at := position(n)
		b := Budget{line, at.Line, at.Column}
		if !ok || r.kind == "" {
			return b, ok
		}
		parsed, err := budgets.Parse(line, budgets.Metrics(r.kind))
		if err == nil {
			b.Expression = parsed.String() // one spelling, one hash
		}
		var wrong *budgets.ParseError
		if errors.As(err, &wrong) {
			message := fmt.Sprintf("found %s, want %s", wrong.Found, wrong.Want)
			if wrong.Nearest != "" {
				message += "; nearest: " + wrong.Nearest
			}
			r.failAt(b.Line, b.Column+quotes(n)+wrong.Column-1, "%s", message)
		}
		return b, err == nil
	},
	write: func(b Budget) tree { return expression.write(b.Expression) },
}

// quotes returns how many characters stand before a text in the file.
func quotes(n ast.Node) int {
	if _, unquoted := plain(n); unquoted {
		return 0
	}
	return 1
}

var run = object(nil,
	can("n", func(s *Run) *int { return &s.N }, 200, whole(1, MostInteractions), "interactions to report"),
	can("seed", func(s *Run) *uint64 { return &s.Seed }, 1, seed, "start of every random stream"),
	can("target", func(s *Run) *string { return &s.Target }, "sim", enum("sim", "mock", "endpoint"), "modelled, modelled over sockets, or the endpoints below"),
)

var endpoints = object(nil,
	can("llm", func(e *Endpoints) **Endpoint { return &e.LLM }, nil, pointer(service), "the language model"),
)

var service = object(nil,
	need("url", func(e *Endpoint) *string { return &e.URL }, address, "where it answers, up to and with /v1"),
	can("protocol", func(e *Endpoint) *string { return &e.Protocol }, "openai-chat", enum("openai-chat", "openai-completions"), "what it speaks"),
	can("model", func(e *Endpoint) *string { return &e.Model }, "", oneLine, "its name for the model; leave it out when it has only one"),
	can("key_env", func(e *Endpoint) *string { return &e.KeyEnv }, "", envName, "environment variable that holds the key; leave it out for none"),
	can("ignore_eos", func(e *Endpoint) *bool { return &e.IgnoreEOS }, false, boolean, "ask for answers of full length"),
)

func fixed(d time.Duration) Delay { return Delay{Dist: dist.Constant(d)} }

func fitted(p50, p95 time.Duration) Delay {
	d, err := dist.FromQuantiles(p50, p95)
	if err != nil {
		panic(fmt.Sprintf("scenario: default: %s", err))
	}
	return Delay{Dist: d}
}

func fittedCount(p50, p95 int) dist.Count {
	c, err := dist.CountFromQuantiles(p50, p95)
	if err != nil {
		panic(fmt.Sprintf("scenario: default: %s", err))
	}
	return c
}
