package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
)

// mockOptions are the inputs of mock, as typed.
type mockOptions struct {
	addr  string
	seed  uint64
	given func(flag string) bool // whether a flag was typed

	served mockModels
	says   mockAnswers
	access mockAccess

	faults []string      // files of rules, names of built-in ones, phrases
	limit  time.Duration // of the p99 of the write error
}

func newMockCmd(p *program) *cobra.Command {
	opts := &mockOptions{}
	cmd := &cobra.Command{
		Use:   "mock [SCENARIO]",
		Short: "Mock servers of LLM, STT and TTS at modelled speed, which real clients take for the real thing",
		Long: `Mock serves language models at the modelled speed: requests are tokenised, queue,
are computed in steps with others and stream, as the engine has it. What it says is
words without meaning; when it says them is the point. It hears and speaks, too.

Language models: it serves the model of a scenario, which can be a built-in one, an
example or a file, with all that the scenario says of it: replicas and their failures,
speculation, cold start, a rented model's latencies. Of a comparison it serves every
model, in the first of its variants. Or flags name a model and hardware of the
catalogue; what they leave out is as the engine has it. --server FILE takes a server
with stated times, as ghost-text cases describe one. --hosted adds rented models by
their published latencies. With nothing said it is the model of the scenario voice.

Protocols: OpenAI (/v1/chat/completions, /v1/completions with suffix, /v1/responses,
/v1/models), Anthropic (/v1/messages), Ollama (/api/...), llama.cpp (/completion,
/infill, /slots, /props), vLLM's extras, Codestral (/v1/fim/completions), Tabby, Gemini
(/v1beta/...); speech to text of OpenAI (/v1/audio/transcriptions), Deepgram (/v1/listen,
/v2/listen), AssemblyAI (/v3/ws) and Cartesia; text to speech of OpenAI
(/v1/audio/speech), ElevenLabs, Cartesia and Deepgram (/v1/speak); OpenAI Realtime
(/v1/realtime); Twilio, which calls your server; Wyoming with --wyoming. The model's
name in a speech request picks the published latencies of the service.

An answer is as long as max_tokens, or shorter when the mock ends by itself;
"ignore_eos": true makes it as long as its limit. The field "mock_answer" tells the
mock what to say, and --answers a file.

What goes wrong is set by --fault, by the header Halfsecond-Fault of a request, and
live at /v1/halfsecond/faults. /v1/halfsecond/requests tells what arrived, when it was
cancelled and what it cost, /metrics the same in vLLM's names. How late the mock itself
wrote is there, in the line at its end, and in a header for a request that has
"Halfsecond-Timing: header" or "trailer".`,
		Example: `  halfsecond mock --model Mistral-NeMo-12B --hardware L40S
  halfsecond mock --model Qwen2.5-7B --hardware RTX-4090 --engine llama.cpp --slots 2 --addr 127.0.0.1:8012 --any-model
  halfsecond mock --transcript calls.txt --tls
  halfsecond mock speculation --detect next_token
  halfsecond mock --hosted gpt-4o=llm-gpt-4o-aiewf-eval@90 --fault 'status 429 retry_after=2s' --fault buffering-proxy
  halfsecond mock --server case.json --answers code --documents src --accuracy 0.7
  curl -N http://127.0.0.1:8090/v1/chat/completions -d '{"model":"Mistral-NeMo-12B","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
		Annotations: offers("table"),
		Args:        atMostOneScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.served.scenario, opts.given = strings.Join(args, ""), cmd.Flags().Changed
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
	o.served.addFlags(f)
	o.says.addFlags(f)
	o.access.addFlags(f)
	f.StringArrayVar(&o.faults, "fault", nil, "what goes wrong: a `rule` such as 'stall at 10 for 5s', the name of a built-in one, or a file of rules; may be repeated")
	f.DurationVar(&o.limit, "fit-limit", ledger.DefaultLimit, "`p99` of its own write error above which the mock calls itself unfit")
}

// runMock serves until it is interrupted.
func runMock(ctx context.Context, p *program, o *mockOptions) error {
	c, offers, err := o.config()
	if err != nil {
		return usageError(err)
	}
	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return usageError(fmt.Errorf("--addr %s: %w", o.addr, err))
	}
	defer ln.Close()
	c.Warn = func(text string) { fmt.Fprintf(p.err, "halfsecond: %s\n", text) }
	s, err := o.server(c, ln.Addr())
	if err != nil {
		return usageError(err)
	}
	if err := p.announce(offers, ln.Addr(), o); err != nil {
		return err
	}
	err = s.Run(ctx, ln)
	_, unsaid := fmt.Fprintln(p.out, s.Ledger.Writes.Report())
	return errors.Join(err, unsaid)
}

// server returns the server that is to be at an address.
func (o *mockOptions) server(c server.Config, addr net.Addr) (*server.Server, error) {
	if err := o.access.secure(&c, addr); err != nil {
		return nil, err
	}
	s, err := server.New(c)
	if err != nil {
		return nil, err
	}
	if err := o.harm(s.Faults); err != nil {
		return nil, fmt.Errorf("--fault: %w", err)
	}
	return s, o.access.listen(s)
}

// config returns what the server is to be, and what it offers. It reports all that is
// wrong at once.
func (o *mockOptions) config() (c server.Config, offers []offer, err error) {
	offers, err = o.served.offers(o.given, &o.seed)
	c = server.Config{Loop: pipeline.NewPreciseWall(), Seed: o.seed, Limit: o.limit, AnyModel: o.served.anyModel}
	if o.limit <= 0 {
		err = errors.Join(err, fmt.Errorf("--fit-limit %s: want a time above 0", o.limit))
	}
	err = errors.Join(err, o.says.fill(&c, o.served.stated, o.given), o.access.fill(&c, o.given))
	for _, f := range offers {
		c.Models = append(c.Models, f.served())
	}
	return c, offers, err
}

// harm sets what goes wrong.
func (o *mockOptions) harm(set *fault.Set) error {
	var rules []fault.Rule
	for _, text := range o.faults {
		r, err := readFault(text)
		if err != nil {
			return err
		}
		rules = append(rules, r...)
	}
	return set.Replace(rules...)
}

// readFault reads a file of rules, or else a phrase.
func readFault(text string) ([]fault.Rule, error) {
	data, err := os.ReadFile(text)
	switch {
	case err == nil:
		return fault.Parse(text, data)
	case !errors.Is(err, fs.ErrNotExist) && text != "":
		return nil, err
	}
	rule, wrong := fault.ParsePhrase(text)
	if wrong != nil {
		return nil, fmt.Errorf("%w (and there is no file of that name)", wrong)
	}
	return []fault.Rule{rule}, nil
}
