package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
)

// mockOptions are the inputs of mock, as typed.
type mockOptions struct {
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
		Use:   "mock",
		Short: "An OpenAI-compatible server at the speed of modelled hardware",
		Long: `Mock serves a model of the catalogue as if it ran on hardware of the catalogue:
requests queue, are batched and stream at the modelled speed. What it says is words
without meaning; when it says them is the point.

It has POST /v1/chat/completions and /v1/completions (with suffix), streamed or not,
GET /v1/models, /health and /metrics. It asks for no key.

An answer is as long as max_tokens, or shorter when the mock ends by itself;
"ignore_eos": true makes it as long as its limit. The field "mock_answer" tells the
mock what to say.`,
		Example: `  halfsecond mock --model Mistral-NeMo-12B --hardware L40S
  halfsecond mock --model Qwen2.5-7B --hardware RTX-4090 --slots 1 --addr 127.0.0.1:8012
  curl -N http://127.0.0.1:8090/v1/chat/completions -d '{"model":"Mistral-NeMo-12B","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
		Annotations: offers("table"),
		Args:        noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.given = cmd.Flags().Changed
			return runMock(cmd.Context(), p, opts)
		},
	}
	opts.addFlags(cmd.Flags())
	return cmd
}

func (o *mockOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`address` to listen on; port 0 takes a free one")
	o.named.addFlags(f)
	f.IntVar(&o.maxSequences, "max-sequences", 256, "`requests` computed at once; the others wait")
	f.IntVar(&o.tokenBudget, "token-budget", 2048, "`tokens` of one step; longer prompts are cut into chunks")
	f.IntVar(&o.slots, "slots", 0, "serve in so many `slots`, as llama.cpp does, instead of in batches")
	f.Uint64Var(&o.seed, "seed", 1, "`number` from which the words of the answers follow")
}

// runMock serves until it is interrupted.
func runMock(ctx context.Context, p *program, o *mockOptions) error {
	replica, err := o.replica()
	if err != nil {
		return usageError(err)
	}
	s, err := server.New(server.Config{
		Loop: pipeline.NewPreciseWall(), Seed: o.seed,
		Models: []server.Model{{Name: replica.Plan.Deployment().Model.Name, Context: replica.Context(), Build: replica.Build}},
	})
	if err != nil {
		return usageError(err)
	}
	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return usageError(fmt.Errorf("--addr %s: %w", o.addr, err))
	}
	p.announce(replica, ln.Addr())
	return s.Run(ctx, ln)
}

// replica returns the engine that the flags describe.
func (o *mockOptions) replica() (engine.Replica, error) {
	d, err := o.named.find()
	if err != nil {
		return engine.Replica{}, err
	}
	if o.named.gpus < 1 {
		return engine.Replica{}, fmt.Errorf("--gpus %d: want at least 1", o.named.gpus)
	}
	if o.given("slots") && o.slots < 1 {
		return engine.Replica{}, fmt.Errorf("--slots %d: want at least 1", o.slots)
	}
	if o.given("slots") && (o.given("max-sequences") || o.given("token-budget")) {
		return engine.Replica{}, errors.New("--slots cannot be used with --max-sequences or --token-budget: those are for serving in batches")
	}
	if o.maxSequences < 1 || o.tokenBudget < 1 {
		return engine.Replica{}, fmt.Errorf("max sequences is %d, must be at least 1; token budget is %d, must be at least 1", o.maxSequences, o.tokenBudget)
	}
	r := engine.Replica{MaxSequences: o.maxSequences, TokenBudget: o.tokenBudget}
	if o.given("slots") {
		r = engine.Replica{Slots: o.slots}
		if d.Engine, err = catalog.FindEngine("llama.cpp"); err != nil {
			return engine.Replica{}, err
		}
	}
	if r.Plan, err = roofline.New(d); err != nil {
		return engine.Replica{}, err
	}
	err = r.Validate()
	if fit := (*roofline.FitError)(nil); errors.As(err, &fit) {
		err = fmt.Errorf("%w%s", err, alternatives(d))
	}
	return r, err
}

// announce says what is served where, and how fast to expect it.
func (p *program) announce(r engine.Replica, addr net.Addr) {
	d := r.Plan.Deployment()
	const prompt = 1000
	tps, _ := r.Plan.TPS(1, prompt)
	fmt.Fprintf(p.out, "serving %s (%s) on %d x %s at http://%s/v1\n", d.Model.Name, d.Weights, d.GPUs, d.Hardware.Name, addr)
	fmt.Fprintf(p.out, "alone, a prompt of %d tokens takes %s to its first token, then %.1f tokens/s; context %d tokens\n",
		prompt, r.First(prompt).Round(time.Millisecond), tps, r.Context())
	fmt.Fprintf(p.out, "try: curl -N http://%s/v1/chat/completions -d '{\"model\":%q,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}'\n", addr, d.Model.Name)
	fmt.Fprintln(p.out, "Ctrl-C ends it")
}
