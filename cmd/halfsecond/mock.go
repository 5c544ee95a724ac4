package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/strict"
)

// mockOptions are the inputs of mock, as typed.
type mockOptions struct {
	addr  string
	seed  uint64
	given func(flag string) bool // whether a flag was typed

	served mockModels
	says   mockAnswers
	access mockAccess
	plugin mockObserve

	faults []string      // files of rules, names of built-in ones, phrases
	rules  []fault.Rule  // once they are read
	limit  time.Duration // of the p99 of the write error
}

func newMockCmd(p *program) *cobra.Command {
	opts := &mockOptions{}
	cmd := &cobra.Command{
		Use:   "mock [SCENARIO]",
		Short: "Mock servers of LLM, STT and TTS at modelled speed, which real clients take for the real thing",
		Long: `Mock stands in for the services behind a voice agent or an IDE plugin: language models,
speech to text, text to speech. Point an SDK, a framework or curl at it, unmodified; it
asks for no key and calls nobody. What it says means nothing. When it says it is the
point: answers queue, are computed and stream at the speed of a model on a piece of
hardware, or of a rented service.

What it serves, one of
  nothing said              the language model of the scenario voice
  SCENARIO                  the language models of a scenario (built-in, example or file),
                            with its replicas, failures, speculation and cold start; of a
                            comparison every model, in its first variant or that of --variant
  --model with --hardware   a model on a piece of hardware: see 'halfsecond catalog'
  --server FILE             stated times: {"slots": 1, "ttft_ms": 50, "tpot_ms": 10, "n": 20},
                            or one of several (FILE#ID); 'halfsecond init server' prints a file
and --hosted adds rented models, or stands alone. Speech is always there: the model's name
in a request picks the published latencies of that service.

Protocols
  language models   OpenAI (/v1/chat/completions, /v1/completions with suffix, /v1/responses,
                    /v1/models), Anthropic (/v1/messages), Ollama (/api/...), llama.cpp
                    (/completion, /infill, /slots, /props), vLLM's extras, Codestral
                    (/v1/fim/completions), Tabby (/v1/completions with segments), Gemini
                    (/v1beta/...)
  speech to text    OpenAI (/v1/audio/transcriptions), Deepgram (/v1/listen, /v2/listen),
                    AssemblyAI (/v3/ws), Cartesia (/stt/websocket)
  text to speech    OpenAI (/v1/audio/speech), ElevenLabs (/v1/text-to-speech/...), Cartesia
                    (/tts/...), Deepgram (/v1/speak)
  both              OpenAI Realtime (/v1/realtime), Wyoming (--wyoming), Twilio, which calls
                    your server

What a request can ask for
  "mock_answer": "..."          in a body: this answer
  "max_tokens", "ignore_eos"    how long it is at most, or exactly (the latter not of Codestral)
  Halfsecond-Fault: stall at 3 for 2s     a header: what goes wrong with this request
  Halfsecond-Timing: header | trailer     a header: how late the mock itself wrote
  Halfsecond-Stream: 7                    a header, of speech: the random numbers its delays are drawn from

What it tells
  GET /v1/halfsecond/requests        what arrived, when it was given up, what it cost
  GET PUT POST DELETE /v1/halfsecond/faults   what goes wrong, changed live
  GET /metrics                       for Prometheus, in vLLM's names
  GET DELETE /v1/halfsecond/observe  what --observe tells, so far
  GET /health                        that it is there`,
		Example: `  halfsecond mock --model Mistral-NeMo-12B --hardware L40S
  curl -N http://127.0.0.1:8090/v1/chat/completions -d '{"model":"Mistral-NeMo-12B","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

  halfsecond mock --model Qwen2.5-7B --hardware RTX-4090 --engine llama.cpp --slots 2 --addr 127.0.0.1:8012 --any-model
  halfsecond mock --transcript calls.txt --tls
  halfsecond mock speculation --variant drafts --detect next_token
  halfsecond mock --hosted gpt-4o=llm-gpt-4o-aiewf-eval@90 --fault 'status 429 retry_after=2s share=5%' --fault clumping-proxy
  halfsecond mock --server case.json --answers code --documents src --accuracy 0.7
  halfsecond mock --model Qwen2.5-7B --hardware L40S --any-model --observe --observe-keys keys.jsonl`,
		Annotations: offers("table"),
		Args:        atMostOneScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.served.scenario, opts.given = strings.Join(args, ""), cmd.Flags().Changed
			return runMock(cmd.Context(), p, opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

// atMostOneScenario refuses more arguments than one.
func atMostOneScenario(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q: want at most one, a scenario", args[1])
	}
	return nil
}

func (o *mockOptions) addFlags(cmd *cobra.Command) {
	inGroups(cmd,
		group("What it serves", o.served.addFlags),
		group("What it says and hears", o.says.addFlags),
		group("Where it listens, and to whom", func(f *pflag.FlagSet) {
			f.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`address` to listen on; port 0 takes a free one")
		}, o.access.addFlags),
		group("What it tells of a plugin", o.plugin.addFlags),
		group("What goes wrong", func(f *pflag.FlagSet) {
			f.StringArrayVar(&o.faults, "fault", nil, "a `rule` such as 'stall at 10 for 5s' or 'status 429 share=5%', the name of a built-in one ("+builtinExamples+" ...; 'halfsecond init faults' prints all), or a file of rules; may be repeated")
			f.DurationVar(&o.limit, "fit-limit", ledger.DefaultLimit, "`p99` of its own write error above which the mock calls itself unfit to be measured against")
			f.Uint64Var(&o.seed, "seed", 0, "`number` from which words, latencies and shares are drawn (default: the scenario's, else 1)")
		}),
	)
}

// builtinExamples are some of the built-in rules.
const builtinExamples = "rate-limited, flaky-start, stalled, nginx-proxy"

// runMock serves until it is interrupted.
func runMock(ctx context.Context, p *program, o *mockOptions) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
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
	var watching sync.WaitGroup
	watching.Go(func() { o.plugin.watch(ctx, p) })
	err = s.Run(ctx, ln)
	end()
	watching.Wait()
	untold := o.plugin.tell(p)
	_, unsaid := fmt.Fprintln(p.out, verdict(s.Ledger.Writes.Report()))
	return errors.Join(err, untold, unsaid)
}

// verdict says how exact the mock was, and what to do when that was not exact enough.
func verdict(r ledger.WriteReport) string {
	text := r.String()
	if r.Judged() && !r.Fit() {
		text += "\ntimes measured against it may be wrong by that much: repeat it while the machine is idle, with fewer streams, or set --fit-limit to an error that does not matter to you"
	}
	return text
}

// server returns the server that is to be at an address.
func (o *mockOptions) server(c server.Config, addr net.Addr) (*server.Server, error) {
	var err error
	if c.Certificate, err = o.access.certify(addr); err != nil {
		return nil, err
	}
	s, err := server.New(c)
	if err != nil {
		return nil, err
	}
	if err := s.Faults.Replace(o.rules...); err != nil {
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
	err = errors.Join(err, o.says.fill(&c, o.served.stated, o.given), o.access.fill(&c, o.given), o.plugin.fill(&c), o.readFaults())
	for _, f := range offers {
		c.Models = append(c.Models, f.served())
	}
	return c, offers, err
}

// readFaults reads what goes wrong, and sees whether all of it can stand together.
func (o *mockOptions) readFaults() error {
	for _, text := range o.faults {
		r, err := readFault(text)
		if err != nil {
			return fmt.Errorf("--fault: %w", err)
		}
		o.rules = append(o.rules, r...)
	}
	if err := fault.New(fault.Config{}).Replace(o.rules...); err != nil {
		return fmt.Errorf("--fault: %w", err)
	}
	return nil
}

// readFault reads a file of rules, or else a phrase.
func readFault(text string) ([]fault.Rule, error) {
	data, err := readFile(text, strict.MaxBytes)
	switch {
	case err == nil:
		return fault.Parse(text, data)
	case !errors.Is(err, fs.ErrNotExist) && text != "":
		return nil, err
	}
	rule, wrong := fault.ParsePhrase(text)
	switch {
	case wrong != nil && looksLikeFile(text):
		return nil, err
	case wrong != nil:
		return nil, fmt.Errorf("%w (and there is no file of that name)", wrong)
	}
	return []fault.Rule{rule}, nil
}

// looksLikeFile reports a text that is meant to be the name of a file of rules.
func looksLikeFile(text string) bool {
	if strings.Contains(text, " ") {
		return false
	}
	return strings.ContainsRune(text, filepath.Separator) || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(text))
}
