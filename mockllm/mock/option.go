package mock

import (
	"math"
	"os"
	"testing"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// options are what Options set.
type options struct {
	config  server.Config
	changes []func(*server.Config)
	detect  engine.Detection
	faults  []string
	tls     bool
	names   []string // of the certificate
}

// Option changes what is started.
type Option func(t testing.TB, o *options)

// Fixed serves, to whatever model is asked for, so long to the first token and so long
// between tokens, to any number at once. It is the default, with 50 and 10 ms.
func Fixed(first, between time.Duration) Option {
	return func(_ testing.TB, o *options) {
		o.config.AnyModel = true
		o.config.Models = append(o.config.Models, server.Model{
			Name: "mock", Context: math.MaxInt32, Build: func(loop pipeline.Scheduler) engine.Engine {
				return engine.NewHosted(loop, engine.HostedConfig{First: func(uint64) time.Duration { return first }, Next: between})
			},
		})
	}
}

// Modelled serves a model of the catalogue on hardware of the catalogue, by an engine
// family such as "vllm" or "llama.cpp". It ends the test when there is none of that name
// or the model does not fit.
func Modelled(model, hardware, family string) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		r, err := replica(model, hardware, family)
		if err != nil {
			t.Fatalf("mock: %v", err)
		}
		c := r.Config()
		o.config.Models = append(o.config.Models, server.Model{
			Name: model, Context: r.Context(), Shares: c.PrefixCache || c.SlotCache, Family: family, Slots: c.Slots, Build: r.Build,
			Weights: r.Plan.WeightBytes(), Parameters: r.Plan.Deployment().Model.TotalParams(),
		})
	}
}

func replica(model, hardware, family string) (r engine.Replica, err error) {
	d := roofline.Deployment{GPUs: 1, Stages: 1}
	if d.Model, err = catalog.FindModel(model); err != nil {
		return r, err
	}
	if d.Hardware, err = catalog.FindHardware(hardware); err != nil {
		return r, err
	}
	if d.Engine, err = catalog.FindEngine(family); err != nil {
		return r, err
	}
	r.Plan, err = roofline.New(d)
	return r, err
}

// Says makes every answer that text, which must not be empty.
func Says(text string) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		if text == "" {
			t.Fatal("mock: Says nothing: an answer has at least one token")
		}
		o.config.Answers = answer.Always(text)
	}
}

// Tokens makes every answer that long, where nobody limits or dictates it.
func Tokens(n int) Option {
	return func(_ testing.TB, o *options) { o.config.ReplyTokens = dist.ConstantCount(n) }
}

// Hears is what speech to text hears, an utterance each.
func Hears(utterances ...string) Option {
	return func(_ testing.TB, o *options) { o.config.Transcript = utterances }
}

// Echoes makes every answer the last text of the prompt.
func Echoes() Option {
	return func(_ testing.TB, o *options) { o.config.Answers = answer.Echo{} }
}

// Code answers requests to complete code with what follows in the finished files of a
// folder: with the truth in such a share of the answers, from 0 to 1, and otherwise with
// something that looks like it.
func Code(folder string, accuracy float64) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		documents, err := answer.ReadDocuments(os.DirFS(folder))
		if err != nil {
			t.Fatalf("mock: documents %s: %v", folder, err)
		}
		o.config.Answers = &answer.Code{Documents: documents, Accuracy: accuracy}
	}
}

// Detect says when it is noticed that a client has hung up: "immediate", which is the
// default, "next_token", "prefill_end" or "never".
func Detect(when string) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		d, err := engine.ParseDetection(when)
		if err != nil {
			t.Fatalf("mock: %v", err)
		}
		o.detect = d
	}
}

// watch has hang-ups noticed as late as Detect says.
func (o *options) watch(m *server.Model) {
	if build := m.Build; o.detect != engine.AtOnce {
		m.Build = func(loop pipeline.Scheduler) engine.Engine {
			return engine.NewDetector(engine.DetectorConfig{Detection: o.detect}, build(loop))
		}
	}
}

// Configured changes the server's own configuration before it starts, for what has no
// option here: reasoning, tools, a key, speech models.
func Configured(change func(c *server.Config)) Option {
	return func(_ testing.TB, o *options) { o.changes = append(o.changes, change) }
}

// Faults makes requests go wrong, as package fault describes it. Each text is an effect,
// such as "stall at 10 for 5s" or "status 429 share=5%", the name of a built-in rule, or a
// file of rules, which begins with "rules:".
func Faults(rules ...string) Option {
	return func(_ testing.TB, o *options) { o.faults = append(o.faults, rules...) }
}

// TLS makes it speak https and wss, with a certificate for the loopback and for further
// hosts of those names.
func TLS(names ...string) Option {
	return func(_ testing.TB, o *options) { o.tls, o.names = true, names }
}
