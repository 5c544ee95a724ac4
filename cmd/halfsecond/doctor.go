package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// doctorOptions are the inputs of doctor, as typed.
type doctorOptions struct {
	url      string
	protocol string
	model    string
	keyEnv   string
	prompt   string // a file
	requests int
	answer   int
	tokens   int
	cold     bool
	caFile   string
	limits   limits
	speech   speechOptions
	given    func(flag string) bool // whether a flag was typed
	salt     uint64
}

// speechDoctors examine what is no language model, by the name of its protocol.
var speechDoctors = map[string]func(context.Context, *program, *doctorOptions) error{}

func newDoctorCmd(p *program) *cobra.Command {
	opts := &doctorOptions{}
	cmd := &cobra.Command{
		Use:   "doctor URL",
		Short: "Ask an endpoint a few times, and explain what came event by event",
		Long: `Doctor sends one to ten requests to the language model at URL, one after another,
and says what it saw: how each event of the first answer came, what every clock would
have reported, how the connection was made, and what is wrong, with the numbers that
show it and the fix. Where nothing is wrong it says so.

The second and the third request have the same prompt, to see whether prompts are
cached; the others begin as no prompt did before. The fourth welcomes gzip, as most
libraries do; the others ask for plain bytes. Nothing is sent twice behind your
back: what is refused, goes on beyond its limit or takes too long ends the examination.
What was seen until then, or until you interrupt it, is reported all the same.

Without --protocol the path of the URL tells it, else the list of models, else which
places of the server answer an empty object; without --model the only one that is
listed is asked.

Exit codes: 0 nothing to fix; 1 something is; 2 bad usage; 3 there was no response to
look at, or the examination was interrupted.

Speech endpoints are told by --protocol, such as deepgram-listen, openai-speech or
openai-realtime, and by --model. Speech is said to them at the pace of speech, or a text
given to be said. --out FOLDER keeps what went over the wire, and doctor FOLDER makes the
same page again of these bytes alone.

docs/doctor.md explains every finding and the document that --format json prints.`,
		Example: `  halfsecond doctor http://127.0.0.1:8000/v1
  halfsecond doctor https://api.example.com/v1 --model small --key-env EXAMPLE_KEY --requests 1
  halfsecond doctor http://127.0.0.1:11434 --protocol ollama-chat --requests 6
  halfsecond doctor https://10.0.0.5/v1 --ca-file authority.pem --cold --format json
  halfsecond doctor wss://api.deepgram.com --protocol deepgram-listen --model nova-3 --key-env DEEPGRAM_API_KEY`,
		Args: oneArgument("the URL of an endpoint"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.url, opts.salt = args[0], uint64(time.Now().UnixNano())
			return runDoctor(cmd.Context(), p, opts)
		},
	}
	opts.addFlags(cmd.Flags())
	return cmd
}

func (o *doctorOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags, o.given = false, f.Changed
	f.StringVar(&o.protocol, "protocol", "", "`name` of the protocol, such as openai-chat (default: found)")
	f.StringVar(&o.model, "model", "", "`name` of the model, as the server has it (default: the only one that it lists)")
	f.StringVar(&o.keyEnv, "key-env", "", "environment `variable` that holds the key")
	f.StringVar(&o.prompt, "prompt", "", "`file` with the text to send (default: one of ours, some 300 tokens)")
	f.IntVar(&o.requests, "requests", 4, "`requests` for an answer, 1 to 10")
	f.IntVar(&o.answer, "answer", 128, "most `tokens` of each answer")
	f.IntVar(&o.tokens, "max-tokens", 10_000, "most `tokens` to and from the endpoint, all together")
	f.BoolVar(&o.cold, "cold", false, "open a connection for each request")
	f.StringVar(&o.caFile, "ca-file", "", "`file` with the certificates of authorities to trust, in PEM, beside the machine's")
	o.speech.addFlags(f)
	o.limits.addFlags(f)
	for name, value := range doctorLimits {
		flag := f.Lookup(name)
		flag.DefValue = value
		if err := flag.Value.Set(value); err != nil {
			panic(err)
		}
	}
}

// doctorLimits are those of the limits that suit somebody who waits for a few short
// answers. A model that is loaded first has most of the time for it; a thousand tokens of
// the wordiest protocol have half of the bytes.
var doctorLimits = map[string]string{"limit-first-byte": "45s", "limit-whole": "1m0s", "limit-bytes": "4MiB"}

// runDoctor examines an endpoint and reports it.
func runDoctor(ctx context.Context, p *program, o *doctorOptions) error {
	if keptSpeech(o.url) {
		return runSpeechAgain(p, o)
	}
	if err := checkTarget(o.url, o.protocol); err != nil {
		return usageError(err)
	}
	if examine, ok := speechDoctors[o.protocol]; ok {
		return examine(ctx, p, o)
	}
	config, err := o.config()
	if err == nil {
		err = config.Check()
	}
	if err != nil {
		return usageError(err)
	}
	d := &diagnosis{Estimate: estimate{config.Requests, config.Estimate()}}
	if !p.Quiet {
		fmt.Fprintf(p.err, "asking %s at most %s, about %d tokens with the answers\n", cmp.Or(config.Endpoint.ShownURL(), "the endpoint"), counted(config.Requests, "time"), config.Estimate())
	}
	d.seen, err = probe.Run(ctx, config)
	if err != nil {
		return usageError(err)
	}
	d.complete()
	if p.Format == "json" {
		err = writeJSON(p.out, d)
	} else {
		err = d.writeTable(p.out, p.width)
	}
	return cmp.Or(err, d.verdictError())
}

// config returns what to probe.
func (o *doctorOptions) config() (probe.Config, error) {
	key, err := keyFrom(o.keyEnv)
	if err != nil {
		err = fmt.Errorf("--key-env %s: the environment variable is not set", shownVariable(o.keyEnv))
	}
	c := probe.Config{
		Endpoint: endpoint.Config{URL: o.url, Protocol: dialect.Protocol(o.protocol), Model: o.model, Key: key, Cold: o.cold},
		Requests: o.requests, Answer: o.answer, Tokens: o.tokens, Salt: o.salt,
	}
	o.limits.bind(&c.Endpoint)
	errs := []error{err, o.limits.validate(), o.speech.unfit(o.given)}
	if names := doctorProtocols(); o.protocol != "" && !slices.Contains(names, o.protocol) {
		errs = append(errs, fmt.Errorf("--protocol %s is not known; %s", o.protocol, meant(o.protocol, names)))
		c.Endpoint.Protocol = ""
	}
	if o.tokens < 1 {
		errs = append(errs, fmt.Errorf("--max-tokens %d: want at least 1", o.tokens))
	}
	c.Prompt, err = readPrompt(o.prompt)
	errs = append(errs, err)
	c.Endpoint.Roots, err = readRoots(o.caFile)
	return c, errors.Join(append(errs, err)...)
}

// doctorProtocols are the names of those that are examined.
func doctorProtocols() []string {
	return append(dialect.Names(), slices.Sorted(maps.Keys(speechDoctors))...)
}

// mostPrompt is the most bytes of a prompt.
const mostPrompt = 1 << 20

func readPrompt(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	text, err := readFile(name, mostPrompt)
	switch {
	case err != nil:
		return "", fmt.Errorf("--prompt: %w", err)
	case len(text) == 0 || !utf8.Valid(text):
		return "", fmt.Errorf("--prompt %s: want a text in UTF-8 of 1 to %d bytes", name, mostPrompt)
	}
	return string(text), nil
}

// readRoots returns the authorities to trust: nil for those of the machine alone.
func readRoots(name string) (*x509.CertPool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := readFile(name, mostSmallFile)
	if err != nil {
		return nil, fmt.Errorf("--ca-file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--ca-file %s: it holds no certificate in PEM", name)
	}
	return pool, nil
}

// diagnosis is what doctor says.
type diagnosis struct {
	Estimate estimate `json:"estimate"`
	examined
	Requests []requestDocument `json:"requests"`
	Findings []findingDocument `json:"findings"`
	Untold   []string          `json:"untold"`
	// Verdict is nothing_to_fix, to_fix or unmeasured.
	Verdict string `json:"verdict"`

	seen  *seen.Endpoint
	found []finding.Finding
}

// Verdicts.
const (
	verdictFine       = "nothing_to_fix"
	verdictWrong      = "to_fix"
	verdictUnmeasured = "unmeasured"
)

// complete fills the diagnosis from what was seen.
func (d *diagnosis) complete() {
	d.found, d.Untold = finding.Of(d.seen), append([]string{}, finding.Untold(d.seen)...)
	d.document()
	d.Verdict = verdictOf(finding.Measured(d.seen) && d.seen.Stopped != seen.Interrupted, d.found)
}

// verdictOf returns the verdict of an endpoint that was measured, or not, and what was found.
func verdictOf(measured bool, found []finding.Finding) string {
	switch {
	case !measured:
		return verdictUnmeasured
	case finding.Wrong(found):
		return verdictWrong
	}
	return verdictFine
}

func (d *diagnosis) verdictError() error { return verdictExit(d.Verdict) }

// verdictExit returns the error that ends the program as a verdict asks for; nil for nothing
// to fix.
func verdictExit(verdict string) error {
	switch verdict {
	case verdictUnmeasured:
		return &exitError{code: exitUnmeasured}
	case verdictWrong:
		return &exitError{code: exitFailed}
	}
	return nil
}
