package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// mockOptions are the inputs of mock, as typed.
type mockOptions struct {
	scenario     string // its name, or ""
	addr         string
	named        namedDeployment
	maxSequences int
	tokenBudget  int
	slots        int
	seed         uint64
	given        func(flag string) bool // whether a flag was typed
}

func newMockCmd(p *program) *cobra.Command {
	opts := &mockOptions{}
	cmd := &cobra.Command{
		Use:   "mock [SCENARIO]",
		Short: "An OpenAI-compatible server at the speed of modelled hardware",
		Long: `Mock serves a language model at the modelled speed: requests are tokenised, queue,
are computed in steps with others and stream, as the engine has it. What it says is
words without meaning; when it says them is the point.

It serves the language model of a scenario, which can be a built-in one, an example or
a file, with all that the scenario says of it: replicas and their failures,
speculation, cold start, a rented model's latencies. Of a comparison it serves every
model, in the first of its variants. Or flags name a model and hardware of the
catalogue; what they leave out is as the engine has it.

It has POST /v1/chat/completions and /v1/completions (with suffix), streamed or not,
GET /v1/models, /health and /metrics. It asks for no key.

An answer is as long as max_tokens, or shorter when the mock ends by itself;
"ignore_eos": true makes it as long as its limit. The field "mock_answer" tells the
mock what to say. Usage has the cached_tokens of a prompt that begins as an earlier
one did.`,
		Example: `  halfsecond mock --model Mistral-NeMo-12B --hardware L40S
  halfsecond mock --model Qwen2.5-7B --hardware RTX-4090 --engine llama.cpp --slots 2 --addr 127.0.0.1:8012
  halfsecond mock voice
  halfsecond mock speculation
  curl -N http://127.0.0.1:8090/v1/chat/completions -d '{"model":"Mistral-NeMo-12B","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
		Annotations: offers("table"),
		Args:        atMostOneScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.scenario, opts.given = strings.Join(args, ""), cmd.Flags().Changed
			return runMock(cmd.Context(), p, opts)
		},
	}
	opts.addFlags(cmd.Flags())
	return cmd
}

// atMostOneScenario refuses more arguments than one.
func atMostOneScenario(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q: want at most one, a scenario", args[1])
	}
	return nil
}

func (o *mockOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`address` to listen on; port 0 takes a free one")
	f.Uint64Var(&o.seed, "seed", 0, "`number` from which words and random draws follow (default: the scenario's, else 1)")
	o.named.addFlags(f)
	f.IntVar(&o.maxSequences, "max-sequences", 0, "`requests` computed at once; the others wait (default: as the engine has it)")
	f.IntVar(&o.tokenBudget, "token-budget", 0, "most `tokens` of one step (default: as the engine has it)")
	f.IntVar(&o.slots, "slots", 0, "`slots` of an engine that has some, such as llama.cpp (default: as the engine has it)")
}

// runMock serves until it is interrupted.
func runMock(ctx context.Context, p *program, o *mockOptions) error {
	offers, err := o.offers()
	if err != nil {
		return usageError(err)
	}
	c := server.Config{Loop: pipeline.NewPreciseWall(), Seed: o.seed}
	for _, f := range offers {
		s := f.service
		c.Models = append(c.Models, server.Model{Name: s.Name, Context: s.Context, Shares: s.Shares, Build: s.Build})
	}
	s, err := server.New(c)
	if err != nil {
		return usageError(err)
	}
	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return usageError(fmt.Errorf("--addr %s: %w", o.addr, err))
	}
	p.announce(offers, ln.Addr())
	return s.Run(ctx, ln)
}

// offers returns what is served: the scenario's models, or the one that flags name.
func (o *mockOptions) offers() ([]offer, error) {
	models, err := o.models()
	if err != nil {
		return nil, err
	}
	out := make([]offer, len(models))
	for i, m := range models {
		out[i].model = m
		if out[i].service, err = m.Service(o.seed); err != nil {
			return nil, o.explain(err)
		}
	}
	return out, nil
}

// engineFlags are the names of those that say what is served.
var engineFlags = slices.Concat(deploymentFlags, []string{"max-sequences", "token-budget", "slots"})

func (o *mockOptions) models() ([]scenario.LLM, error) {
	if o.scenario == "" {
		if !o.given("seed") {
			o.seed = 1
		}
		e, err := o.engine()
		return []scenario.LLM{{Engine: e}}, err
	}
	if flags := typed(o.given, engineFlags...); len(flags) > 0 {
		return nil, fmt.Errorf("%s cannot be used with a scenario, which says what is served: change it there", strings.Join(flags, ", "))
	}
	s, err := scenario.Load(o.scenario)
	if err != nil {
		return nil, err
	}
	if !o.given("seed") {
		o.seed = s.Run.Seed
	}
	if s.Grid != nil {
		return compared(s.Grid), nil
	}
	m, _ := s.LLM()
	return []scenario.LLM{m}, nil
}

// compared returns the models of a grid in its first variant.
func compared(g *scenario.Grid) []scenario.LLM {
	out := make([]scenario.LLM, len(g.Models))
	for i, m := range g.Models {
		out[i].Engine = g.Serving(m, g.Variants[0])
	}
	return out
}

// engine returns the engine that the flags describe.
func (o *mockOptions) engine() (*scenario.Engine, error) {
	d, err := o.named.find()
	if err = errors.Join(err, o.validate(d.Engine)); err != nil {
		return nil, err
	}
	e := &scenario.Engine{
		Model: d.Model.Name, Hardware: d.Hardware.Name, Software: d.Engine.Name, GPUs: d.GPUs, Split: d.Split, Stages: d.Stages,
		Weights: d.Weights.String(), KVCache: d.KV.String(), KVTokens: d.KVTokens,
		MaxSequences: o.maxSequences, TokenBudget: o.tokenBudget, Slots: o.slots, Replicas: 1,
	}
	if e.Rows, err = openCatalog(o.named.catalog); err != nil {
		return nil, err
	}
	e.Profile, err = o.named.openProfile()
	return e, err
}

// validate reports limits that an engine cannot have.
func (o *mockOptions) validate(e catalog.Engine) error {
	errs := []error{
		within("max-sequences", o.maxSequences, 0, mostSequences),
		within("token-budget", o.tokenBudget, 0, mostTokens),
		within("slots", o.slots, 0, mostSequences),
	}
	switch {
	case e.Name == "": // which is told already
	case e.Slots > 0 && o.maxSequences > 0:
		errs = append(errs, fmt.Errorf("--max-sequences %d: %s serves in slots; give --slots", o.maxSequences, e.Name))
	case e.Slots == 0 && o.slots > 0:
		errs = append(errs, fmt.Errorf("--slots %d: %s serves in batches, give --max-sequences; engines with slots are %s", o.slots, e.Name, strings.Join(o.slotted(), ", ")))
	}
	return errors.Join(errs...)
}

// slotted names the engines that serve in slots.
func (o *mockOptions) slotted() (names []string) {
	c, err := openCatalog(o.named.catalog)
	if err != nil {
		return nil // which is told already
	}
	for _, e := range c.Engines() {
		if e.Slots > 0 {
			names = append(names, e.Name)
		}
	}
	return names
}

// explain adds to a model that does not fit what would make it.
func (o *mockOptions) explain(err error) error {
	if fit := (*roofline.FitError)(nil); o.scenario == "" && errors.As(err, &fit) {
		if d, found := o.named.find(); found == nil {
			return fmt.Errorf("%w%s", err, alternatives(d))
		}
	}
	return err
}
