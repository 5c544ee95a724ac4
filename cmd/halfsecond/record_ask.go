package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
	"halfsecond/simulators/runner"
)

// recordAsking says what record asks an endpoint, as typed.
type recordAsking struct {
	endpoint        string
	protocol, model string
	keyEnv, caFile  string
	prompts         string // a file
	requests        int
	prompt, answer  int // tokens
	pause           time.Duration
	ignoreEOS, cold bool
	check           bool
	maxTokens       int
	money           money
	limits          limits
}

func (o *recordAsking) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.endpoint, "endpoint", "", "`llm=URL`, in place of the argument")
	f.StringVar(&o.protocol, "protocol", "", "`name` of the protocol: "+strings.Join(dialect.Names(), ", ")+" (default: that of the path of the URL, else "+string(dialect.OpenAIChat)+")")
	f.StringVar(&o.model, "model", "", "`name` of the model there (default: the only one that it lists)")
	f.StringVar(&o.keyEnv, "key-env", "", "environment `variable` that holds the key")
	f.StringVar(&o.caFile, "ca-file", "", "`file` with the certificates of authorities to trust, in PEM, beside the machine's")
	f.IntVar(&o.requests, "requests", 20, "`requests`, one after the other")
	f.StringVar(&o.prompts, "prompts", "", "`file` of prompts, one a line, to be asked in order, round and round (default: words without meaning, new ones each time)")
	f.IntVar(&o.prompt, "prompt-tokens", 256, "`tokens` of each prompt, without --prompts")
	f.IntVar(&o.answer, "answer", 128, "most `tokens` of each answer")
	f.DurationVar(&o.pause, "pause", 0, "`time` from the end of an answer to the next request")
	f.BoolVar(&o.ignoreEOS, "ignore-eos", false, "ask for answers of full length, which vLLM, SGLang and the mock understand")
	f.BoolVar(&o.cold, "cold", false, "open a connection for each request")
	f.BoolVar(&o.check, "check", false, "say what would be sent, and send nothing")
}

// addGuard adds the flags of what asking may take.
func (o *recordAsking) addGuard(f *pflag.FlagSet) {
	f.IntVar(&o.maxTokens, "max-tokens", 100_000, "most `tokens` to and from the endpoint, all together")
	o.money.addFlags(f)
	o.limits.addFlags(f)
}

// typed returns the flags of these that were typed.
func (o *recordAsking) typed(given func(flag string) bool) (names []string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	a := new(recordAsking)
	a.addFlags(all)
	a.addGuard(all)
	all.VisitAll(func(f *pflag.Flag) {
		if given(f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// ask makes a cassette of what an endpoint answers.
func (o *recordOptions) ask(ctx context.Context, p *program, url string, t *taping) error {
	a := &o.asking
	config, err := a.config(url)
	texts, bad := a.questions()
	if err = errors.Join(err, bad, a.validate()); err == nil {
		err = config.Check()
	}
	if err != nil {
		return usageError(err)
	}
	e := a.money.at(a.estimate(texts), config.Model)
	if !p.Quiet {
		fmt.Fprintf(p.err, "asking %s %s, one after the other: about %d tokens of prompts, at most %d of answers%s\n",
			config.ShownURL(), counted(e.Requests, "time"), e.PromptTokens, e.OutputTokens, e.andCost())
	}
	if err := a.over(e); err != nil {
		return usageError(err)
	}
	if a.check {
		return nil
	}
	config.Waits = p.waits
	if config.Model == "" {
		if config.Model, err = endpoint.OnlyModel(ctx, config); err != nil {
			return &unbegun{"recording", err}
		}
	}
	if err := t.begin(o.out, exchange.Header{Target: runner.Endpoint, Hashed: o.hash}); err != nil {
		return err
	}
	a.money.bind(&config)
	asked := &recording{taping: t, texts: texts, answer: a.answer, n: a.requests, pause: a.pause, bar: p.bar("record", a.requests)}
	err = asked.run(ctx, config)
	return errors.Join(err, t.end())
}

func (o *recordAsking) config(url string) (endpoint.Config, error) {
	c := endpoint.Config{
		URL: url, Protocol: cmp.Or(dialect.Protocol(o.protocol), endpoint.ProtocolAt(url, dialect.OpenAIChat)), Model: cmp.Or(o.model, endpoint.ModelAt(url)), IgnoreEOS: o.ignoreEOS, Cold: o.cold,
		MaxRequests: o.requests, MaxTokens: o.maxTokens,
	}
	var errs []error
	if names := dialect.Names(); o.protocol != "" && !slices.Contains(names, o.protocol) {
		errs = append(errs, fmt.Errorf("--protocol %s is not known; %s", o.protocol, meant(o.protocol, names)))
	}
	key, err := keyFrom(o.keyEnv)
	if err != nil {
		err = fmt.Errorf("--key-env %s: the environment variable is not set", shownVariable(o.keyEnv))
	}
	errs = append(errs, err, o.money.resolve())
	c.Key = key
	o.limits.bind(&c)
	errs = append(errs, o.money.needs(c.Model))
	c.Roots, err = readRoots(o.caFile)
	return c, errors.Join(append(errs, err)...)
}

// mostAsked is the largest of the numbers that say what is asked, of requests or of tokens:
// two of them multiplied are still a number.
const mostAsked = 1_000_000_000

func (o *recordAsking) validate() error {
	var errs []error
	for _, f := range []struct {
		flag  string
		value int
	}{{"requests", o.requests}, {"prompt-tokens", o.prompt}, {"answer", o.answer}, {"max-tokens", o.maxTokens}} {
		if f.value < 1 {
			errs = append(errs, fmt.Errorf("--%s %d: want at least 1", f.flag, f.value))
		}
		if f.value > mostAsked {
			errs = append(errs, fmt.Errorf("--%s %d: want at most %d", f.flag, f.value, mostAsked))
		}
	}
	errs = append(errs, o.limits.validate())
	if o.pause < 0 {
		errs = append(errs, fmt.Errorf("--pause %s: want 0s or more", o.pause))
	}
	return errors.Join(errs...)
}

// over says which cap what is asked for exceeds.
func (o *recordAsking) over(e priced) error {
	var errs []error
	if e.Tokens() > o.maxTokens {
		errs = append(errs, fmt.Errorf("that may take %d tokens, more than --max-tokens %d: ask for less, or raise it", e.Tokens(), o.maxTokens))
	}
	if o.money.max > 0 && e.cost > o.money.max {
		errs = append(errs, fmt.Errorf("that may cost %s, more than --max-cost %s: ask for less, or raise it", e.cost, o.money.most))
	}
	return errors.Join(errs...)
}

// questions are the prompts of the requests: those of a file, round and round, or such
// without meaning, which are made when they are asked.
type questions struct {
	lines  []string
	tokens int    // of each without meaning
	salt   uint64 // makes them new each time, so that a server which keeps prompts has seen none
}

func (o *recordAsking) questions() (q questions, err error) {
	if o.prompts != "" {
		q.lines, err = readPrompts(o.prompts)
		return q, err
	}
	return questions{tokens: o.prompt, salt: uint64(time.Now().UnixNano())}, nil
}

// text returns the prompt of the i-th request.
func (q *questions) text(i int) string {
	if len(q.lines) > 0 {
		return q.lines[i%len(q.lines)]
	}
	return token.Passage{{ID: token.Name(q.salt, "record/prompt", i), N: q.tokens}}.Text()
}

// count returns the tokens of the prompts of the first n requests.
func (q *questions) count(n int) (all int) {
	if len(q.lines) == 0 {
		return n * q.tokens
	}
	for i, text := range q.lines {
		all += token.Count(text) * ((n + len(q.lines) - 1 - i) / len(q.lines))
	}
	return all
}

// readPrompts reads a file of prompts, one a line.
func readPrompts(name string) (all []string, err error) {
	data, err := readFile(name, mostTextFile)
	if err != nil {
		return nil, fmt.Errorf("--prompts: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		text := strings.TrimSpace(line)
		switch {
		case !utf8.ValidString(text):
			return nil, fmt.Errorf("--prompts %s:%d: this is not UTF-8 text", name, n)
		case len(text) > mostPrompt:
			return nil, fmt.Errorf("--prompts %s:%d: a prompt of %d bytes: want at most %d", name, n, len(text), mostPrompt)
		case text != "":
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("--prompts %s: there is no prompt in it", name)
	}
	return all, nil
}

// estimate returns what the requests ask for.
func (o *recordAsking) estimate(q questions) runner.Estimate {
	return runner.Estimate{Requests: o.requests, PromptTokens: q.count(o.requests), OutputTokens: o.requests * o.answer}
}

// recording asks an endpoint, one request after the other, on a loop of its own.
type recording struct {
	*taping
	texts  questions
	answer int // most tokens
	n      int
	pause  time.Duration
	bar    bar

	loop   *pipeline.Wall
	client *endpoint.Client
	asked  int
	failed error // of the file

	mu sync.Mutex // guards taping
}

// run asks until all is asked, or ctx ends.
func (r *recording) run(ctx context.Context, config endpoint.Config) error {
	defer r.bar.close()
	r.loop = pipeline.NewPreciseWall()
	config.Keep = r.take
	var err error
	if r.client, err = endpoint.NewClient(config, r.loop); err != nil {
		return err
	}
	defer r.client.Close()
	if !config.Cold {
		if err := r.client.WarmUp(ctx, 1); err != nil {
			return &unbegun{"recording", err}
		}
	}
	r.loop.At(0, pipeline.RankTimer, r.next)
	r.loop.Reset()
	err = r.loop.Run(ctx)
	r.client.Close()
	if errors.Is(err, context.Canceled) {
		err = &exitError{exitUnmeasured, fmt.Errorf("interrupted in request %d of %d", r.asked, r.n)}
	}
	if over := r.client.Over(); over != nil && err == nil {
		err = &exitError{exitUnmeasured, fmt.Errorf("the recording did not finish (%w): it has %d of %s", over, r.Kept, counted(r.n, "request"))}
	}
	return cmp.Or(r.failed, err)
}

// next sends a request, or ends.
func (r *recording) next() {
	if r.asked == r.n || r.broken() != nil {
		r.loop.Stop()
		return
	}
	text := r.texts.text(r.asked)
	r.asked++
	c := &pipeline.Call{
		PromptTokens: token.Count(text), OutputTokens: r.answer, MaxTokens: r.answer,
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: text} },
		Record: pipeline.NewRequest(int64(r.asked), r.loop.Now()),
	}
	c.Done = func() {
		r.bar.done(r.asked)
		r.note(&c.Record)
		if r.client.Over() != nil && c.Record.Sent == pipeline.Unknown {
			r.leave(c.Record.Reason)
			return
		}
		r.loop.After(r.pause, pipeline.RankTimer, r.next)
	}
	r.client.Start(c)
}

// take keeps an exchange. It runs on a goroutine of the request.
func (r *recording) take(x *exchange.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = cmp.Or(r.failed, r.keep(x))
}

// note takes note of a request that was not sent.
func (r *recording) note(q *pipeline.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.Sent == pipeline.Unknown {
		r.Left[q.Reason]++
	}
}

// leave ends the recording where a cap is met: nothing would be sent any more.
func (r *recording) leave(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Left[why] += r.n - r.asked
	r.loop.Stop()
}

func (r *recording) broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
