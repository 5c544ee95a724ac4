package scenario

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/budgets"
	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/cluster"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/strict"
	"halfsecond/simulators/arrival"
)

// This file holds the tables of every key. A new kind of scenario is a word in
// kinds, a section type in scenario.go, and a table here with its field in
// schema.

var kinds = []string{"voice", "ide", "bench", "grid"}

var schema = object(settle,
	need("halfsecond", func(s *Scenario) *int { return &s.Version }, version, "version of this format"),
	need("kind", func(s *Scenario) *string { return &s.Kind }, kind, "what an interaction is: a voice turn, a key in an editor, a request, or a request of a comparison"),
	need("name", func(s *Scenario) *string { return &s.Name }, oneLine, "shown in reports"),
	can("catalog", func(s *Scenario) *Catalog { return &s.Catalog }, Catalog{}, rows, "a file of your own hardware, models and engines"),
	can("arrivals", func(s *Scenario) *arrival.Process { return &s.Arrivals }, arrival.Closed(1, dist.Dist{}), arrivals, "when interactions begin"),
	startUp,
	need("voice", func(s *Scenario) **Voice { return &s.Voice }, pointer(spoken), "the stages of a turn").when("kind", "voice"),
	need("ide", func(s *Scenario) **IDE { return &s.IDE }, pointer(editor), "the typist, the plugin and what answers it").when("kind", "ide"),
	need("bench", func(s *Scenario) **Bench { return &s.Bench }, pointer(requests), "the requests").when("kind", "bench"),
	need("grid", func(s *Scenario) **Grid { return &s.Grid }, pointer(grid), "the models to compare, and how").when("kind", "grid"),
	can("background", func(s *Scenario) **Background { return &s.Background }, nil, pointer(background), "requests of other people to the same model, which are not judged; leave it out for none").when("kind", "voice", "ide", "bench"),
	can("budgets", func(s *Scenario) *[]Budget { return &s.Budgets }, nil, listOf(budget), "what is good enough").when("kind", "voice", "ide", "bench"),
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
			r.Fail(n, "version %d is not known: this program reads version 1", v)
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

var pause = as(delay(), func(d Delay) dist.Dist { return d.Dist }, func(d dist.Dist) Delay { return Delay{Dist: d} })

// noDoubleTrip leaves the way to a hosted model out unless the file gives it: what
// is published of one, from the client's side, holds the way already.
func noDoubleTrip(found map[string]entry, key string, m LLM, trip *Delay) {
	if _, given := found[key]; !given && m.Engine == nil {
		*trip = fixed(0)
	}
}

var background = object(nil,
	need("rate", func(b *Background) *float64 { return &b.Rate }, rate, "mean number of them, at random"),
	need("prompt_tokens", func(b *Background) *dist.Count { return &b.PromptTokens }, tokens, "length of the prompt"),
	can("output_tokens", func(b *Background) *dist.Count { return &b.OutputTokens }, dist.ConstantCount(60), tokens, "length of the answer"),
	can("priority", func(b *Background) *int { return &b.Priority }, 0, whole(-1000, 1000), "larger goes first; the scenario's own have 0"),
)

var llm = oneOf("a language model",
	choice[LLM]{"model", as(replica, func(e Engine) LLM { return LLM{Engine: &e} }, func(l LLM) Engine { return *l.Engine }),
		func(l LLM) bool { return l.Engine != nil }},
	choice[LLM]{"cassette", taped, func(l LLM) bool { return l.Cassette != nil }},
	choice[LLM]{"component", hosted, func(l LLM) bool { return l.TTFT.Component != "" }},
	choice[LLM]{"ttft", stated, func(l LLM) bool { return true }},
)

// deployed has the keys of an engine, its model aside.
var deployed = []field[Engine]{
	accelerator,
	can("engine", func(e *Engine) *string { return &e.Software }, "vllm", software, "the software that serves it, with its habits"),
	can("gpus", func(e *Engine) *int { return &e.GPUs }, 1, whole(1, 1024), "how many accelerators share the model"),
	habit("split", func(e *Engine) *string { return &e.Split }, func(f catalog.Engine) string { return f.Split }, enum(catalog.SplitTensor, catalog.SplitLayer), "how they share it: a part of every layer each, or some of the layers"),
	can("stages", func(e *Engine) *int { return &e.Stages }, 1, whole(1, 1024), "groups of so many accelerators, one behind the other, each with some of the layers"),
	can("weights", func(e *Engine) *string { return &e.Weights }, "native", weightFormat, "format of the weights; native is the one that the model was published in, 16 bits where the engine has none of that kind"),
	can("kv_cache", func(e *Engine) *string { return &e.KVCache }, "fp16", enum(kvFormats()...), "format of the keys and values in the cache"),
	can("kv_tokens", func(e *Engine) *int { return &e.KVTokens }, 0, whole(0, maxTokensAsked), "tokens that the cache holds, of one sequence where layers have a sliding window; 0 fills the memory that the weights leave"),
	can("profile", func(e *Engine) **Profile { return &e.Profile }, nil, calibrated, "a file that `halfsecond calibrate` wrote for this hardware and engine; all that it does not tell stays as built in"),
	paged(habit("max_sequences", func(e *Engine) *int { return &e.MaxSequences }, func(f catalog.Engine) int { return f.MaxSequences }, whole(1, 100_000), "answers at a time")),
	slotted(habit("slots", func(e *Engine) *int { return &e.Slots }, func(f catalog.Engine) int { return f.Slots }, whole(1, 100_000), "answers at a time, each in a part of the cache")),
	habit("token_budget", func(e *Engine) *int { return &e.TokenBudget }, budgetOf, whole(1, maxTokensAsked), "tokens of one step"),
	paged(habit("chunked_prefill", func(e *Engine) **bool { return &e.Chunked }, func(f catalog.Engine) *bool { return &f.Chunked }, pointer(boolean), "cut long prompts into what the budget leaves")),
	habit("prefix_cache", func(e *Engine) **bool { return &e.PrefixCache }, cachesPrefixes, pointer(boolean), "keep what was computed for prompts that begin alike; a slot keeps its last"),
	paged(can("prefix_ttl", func(e *Engine) *time.Duration { return &e.PrefixTTL }, 0, duration(0, 24*time.Hour), "how long after its last use; 0 is until its room is needed")),
	paged(habit("on_full", func(e *Engine) *string { return &e.OnFull }, func(f catalog.Engine) string { return f.OnFull }, enum(catalog.OnFullPolicies()...), "when the cache is full: compute the last one again, move it to the host and back, read the excess from a disk, keep room for the longest answer, or turn away")),
	can("swap_gb_s", func(e *Engine) *float64 { return &e.SwapRate }, 24, decimal(.001, 10_000), "GB a second of each accelerator to the host's memory; PCIe 4 in practice").when("on_full", catalog.OnFullSwap),
	can("spill_gb_s", func(e *Engine) *float64 { return &e.SpillRate }, 5, decimal(.001, 10_000), "GB a second from the disk; an NVMe SSD").when("on_full", catalog.OnFullSpill),
	can("speculation", func(e *Engine) **Speculation { return &e.Speculation }, nil, pointer(speculation), "speculative decoding; leave it out for none"),
	loading,
	can("warm_up", func(e *Engine) *time.Duration { return &e.WarmUp }, 0, duration(0, time.Hour), "how much longer the first request after a load takes, and with it all that come meanwhile: what the engine compiles, measures or allocates when it is first used, if it does not before it takes requests").
		where("cold_start", "cold_start above 0", (*Engine).loads),
	can("loaded", func(e *Engine) *bool { return &e.Loaded }, false, boolean, "a run begins with the model loaded").
		where("cold_start", "cold_start above 0", (*Engine).loads),
	habit("idle_unload", func(e *Engine) *time.Duration { return &e.IdleUnload }, func(f catalog.Engine) time.Duration { return f.IdleUnload }, duration(0, 24*time.Hour), "time without a request after which it is unloaded; 0 never").
		where("cold_start", "cold_start above 0", (*Engine).loads),
	can("replicas", func(e *Engine) *int { return &e.Replicas }, 1, whole(1, 1000), "copies of all this, behind a router"),
	can("failures", func(e *Engine) *[]Failure { return &e.Failures }, nil, listOf(failure), "replicas that die during the run"),
	routed(can("router", func(e *Engine) *string { return &e.Router }, "round_robin", enum(cluster.Policies()...), "which replica a request goes to")),
	routed(can("retries", func(e *Engine) *int { return &e.Retries }, 0, whole(0, 1000), "other replicas that a request is tried at, before its first token, when one fails it")),
	routed(can("health_delay", func(e *Engine) *time.Duration { return &e.HealthDelay }, UsualHealthDelay, duration(0, time.Hour), "time after which the router knows that a replica died, or is back")),
	routed(can("slow_start", func(e *Engine) *time.Duration { return &e.SlowStart }, 0, duration(0, time.Hour), "time over which a replica that is back gets its full share; 0 gives it at once")),
}

// UsualHealthDelay is that of a router whose file states none: Kubernetes asks every 10 s and
// believes the third failure, unless told otherwise.
const UsualHealthDelay = 30 * time.Second

// routed limits a field to engines with a router before them.
func routed(f field[Engine]) field[Engine] {
	return f.where("replicas", "several replicas, or failures", (*Engine).routed)
}

// failure is the form of a Failure, in one line.
var failure = inOneLine(object(nil,
	need("replica", func(f *Failure) *int { return &f.Replica }, whole(0, 999), "which, from 0"),
	need("at", func(f *Failure) *time.Duration { return &f.At }, duration(0, 1000*time.Hour), "when it dies, since the run began"),
	need("for", func(f *Failure) *time.Duration { return &f.For }, duration(0, 1000*time.Hour), "until it is started again"),
))

// accelerator is the field of the hardware. It comes with any engine, and with it
// the catalogue that its names are from.
var accelerator = func() field[Engine] {
	f := need("hardware", func(e *Engine) *string { return &e.Hardware }, hardware, "the accelerator it runs on")
	read := f.read
	f.read = func(r *reader, n ast.Node, e *Engine) bool {
		e.Rows = r.rows
		return read(r, n, e)
	}
	return f
}()

// habit returns the field of a key that is as the engine has it when it is left out,
// and again when the engine has nothing of the kind. It stands below the engine and
// the hardware.
func habit[T comparable](key string, at func(*Engine) *T, own func(catalog.Engine) T, f form[T], doc string) field[Engine] {
	h := need(key, at, f, doc)
	h.Required, h.Default = false, "the engine's"
	h.fill = func(e *Engine) { *at(e) = own(e.family()) }
	h.write = func(e *Engine) tree {
		if v := *at(e); v != *new(T) {
			return f.write(v)
		}
		return tree{}
	}
	return h
}

// budgetOf returns the tokens of a step: an engine of slots computes a micro-batch.
func budgetOf(f catalog.Engine) int {
	if f.Slots > 0 {
		return f.MicroBatch
	}
	return f.TokenBudget
}

func cachesPrefixes(f catalog.Engine) *bool {
	caches := f.PrefixCache || f.Slots > 0 && f.SlotCache
	return &caches
}

// paged limits a field to engines that divide the cache as it is needed.
func paged(f field[Engine]) field[Engine] {
	return f.where("engine", "an engine without slots", func(e *Engine) bool { return e.family().Slots == 0 })
}

// slotted limits a field to engines of slots.
func slotted(f field[Engine]) field[Engine] {
	return f.where("engine", "an engine of slots", func(e *Engine) bool { return e.family().Slots > 0 })
}

// coldStart is the form of a ColdStart.
var coldStart = scalar("auto or a duration with its unit, such as 18s",
	func(s string) (ColdStart, bool) {
		if s == "auto" {
			return ColdStart{Auto: true}, true
		}
		d, ok := parseDuration(s)
		return ColdStart{Time: d}, ok
	},
	func(c ColdStart) string { return between(0, time.Hour, time.Duration.String)(c.Time) },
	func(c ColdStart) string {
		if c.Auto {
			return "auto"
		}
		return c.Time.String()
	})

// loading is the field of a ColdStart. It stands below the engine, which may be one
// of which nobody measured how long it takes to start.
var loading = func() field[Engine] {
	f := can("cold_start", func(e *Engine) *ColdStart { return &e.ColdStart }, ColdStart{}, coldStart, "time to load the model; auto is as measured of the engine, with the weights on an NVMe SSD of 5 GB/s; 0 has it there always")
	read := f.read
	f.read = func(r *reader, n ast.Node, e *Engine) bool {
		ok := read(r, n, e)
		if family, err := e.catalog().Engine(e.Software); ok && err == nil && e.ColdStart.Auto && family.StartTime == 0 {
			r.Fail(n, "how long %s takes to start was not measured: want a duration", e.Software)
			return false
		}
		return ok
	}
	return f
}()

// acceptance is the field of a drafter's acceptance. It stands below the drafter, on
// which its default depends.
var acceptance = func() field[Speculation] {
	f := can("acceptance", func(s *Speculation) *float64 { return &s.Acceptance }, 0, share, "share of them that are right, when those before them are").
		fallback(fmt.Sprintf("%g of ngram, %g of eagle and mtp, %g of a model of the same family", engine.LookupAcceptance, engine.HeadAcceptance, engine.ModelAcceptance))
	f.fill = func(s *Speculation) { s.Acceptance = assumedAcceptance(s.Draft) }
	return f
}()

var speculation = object(nil,
	need("draft", func(s *Speculation) *string { return &s.Draft }, drafter, "what proposes the tokens"),
	can("tokens", func(s *Speculation) *int { return &s.Tokens }, 4, whole(1, 100), "how many at a time"),
	acceptance,
)

var replica = object(
	func(r *reader, found map[string]entry, e *Engine) {
		if d, err := e.deployment(e.Model); err == nil && e.Profile != nil {
			if _, err = e.Profile.Constants(d); err != nil {
				r.failEntry(found, "profile", "%s", inOne(err))
				return
			}
		}
		if _, err := e.service(0); err != nil {
			r.failEntry(found, "model", "%s", inOne(err))
			r.Problems[len(r.Problems)-1].Unfit = true
		}
	},
	append([]field[Engine]{need("model", func(e *Engine) *string { return &e.Model }, model, "the model to run")}, deployed...)...,
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
		at := strict.Position(n)
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
			r.FailAt(b.Line, b.Column+quotes(n)+wrong.Column-1, "%s", message)
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
	can("n", func(s *Run) *int { return &s.N }, 200, whole(1, MostInteractions), "interactions to report; in a grid, of each cell"),
	can("seed", func(s *Run) *uint64 { return &s.Seed }, 1, seed, "start of every random stream"),
	can("target", func(s *Run) *string { return &s.Target }, "sim", enum("sim", "mock", "endpoint"), "modelled, modelled over sockets, or the endpoints below"),
)

var endpoints = object(nil,
	can("llm", func(e *Endpoints) **Endpoint { return &e.LLM }, nil, pointer(service), "the language model"),
	can("stt", func(e *Endpoints) **SpeechService { return &e.STT }, nil, pointer(speechService(listening()...)), "speech to text, of a voice turn"),
	can("tts", func(e *Endpoints) **SpeechService { return &e.TTS }, nil, pointer(speechService(speaking()...)), "text to speech, of a voice turn"),
	can("speech_to_speech", func(e *Endpoints) **SpeechService { return &e.Direct }, nil, pointer(speechService(converse.Name, phone.Name)), "a model that hears and speaks, or a running bot that is called as Twilio calls one, in place of all three"),
	can("cells", func(e *Endpoints) *[]Cell { return &e.Cells }, nil, listOf(cell), "of a grid: cells that another service answers, or under another name"),
)

var service = object(nil,
	need("url", func(e *Endpoint) *string { return &e.URL }, address, "where it answers, up to and with /v1"),
	can("protocol", func(e *Endpoint) *string { return &e.Protocol }, "openai-chat", enum(dialect.Names()...), "what it speaks"),
	can("model", func(e *Endpoint) *string { return &e.Model }, "", oneLine, "its name for the model; leave it out when it has only one"),
	can("key_env", func(e *Endpoint) *string { return &e.KeyEnv }, "", envName, "environment variable that holds the key; leave it out for none"),
	can("ignore_eos", func(e *Endpoint) *bool { return &e.IgnoreEOS }, false, boolean, "ask for answers of full length"),
)

// speechService is the form of a service that speaks one of the protocols.
func speechService(protocols ...string) form[SpeechService] {
	return object(func(r *reader, _ map[string]entry, e *SpeechService) {
		if e.Model == "" && e.Protocol != phone.Name {
			r.FailHere("model is missing: want %s", oneLine.want)
		}
	},
		need("url", func(e *SpeechService) *string { return &e.URL }, speechAddress, "where its API begins, or the protocol's own path"),
		can("protocol", func(e *SpeechService) *string { return &e.Protocol }, protocols[0], enum(protocols...), "what it speaks"),
		can("model", func(e *SpeechService) *string { return &e.Model }, "", oneLine, "its name for the model; a bot that is called has none"),
		can("key_env", func(e *SpeechService) *string { return &e.KeyEnv }, "", envName, "environment variable that holds the key; leave it out for none"),
		can("language", func(e *SpeechService) *string { return &e.Language }, "", oneLine, "of the speech; leave it out for the service's choice"),
		can("voice", func(e *SpeechService) *string { return &e.Voice }, "", oneLine, "that speaks, by its name or id; leave it out for the service's choice"),
	)
}

// listening and speaking are the protocols of services, the usual one first.
func listening() []string { return usualFirst(string(listen.DeepgramListen), listen.Protocols()) }

func speaking() []string { return usualFirst(string(speak.OpenAISpeech), speak.Protocols()) }

func usualFirst(word string, words []string) []string {
	return append([]string{word}, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == word })...)
}

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
