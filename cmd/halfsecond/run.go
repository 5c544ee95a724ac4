package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/pipeline/endpoint/counters"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// runOptions are the inputs of run, as typed.
type runOptions struct {
	name      string
	target    string
	endpoints []string
	lsp       string
	checker   string
	wavs      []string
	model     string
	models    []string
	ignoreEOS bool
	cold      bool
	caFile    string
	metrics   string
	seed      uint64
	salt      uint64
	n         int
	out       string
	noRaw     bool
	hashTexts bool
	untested  bool
	within    time.Duration // of the simulator's median; 0 for whatever it is
	check     bool
	guard     guard
	perUser   int
	given     func(flag string) bool // whether a flag was typed
}

func newRunCmd(p *program) *cobra.Command {
	opts := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario and judge its budgets",
		Long: `Run carries a scenario out and judges it: a built-in one (` + strings.Join(scenario.Names(), ", ") + `), a file, or
one of the examples
  ` + strings.Join(scenario.Examples(), "\n  ") + `

Targets: sim, the models on a virtual clock, done at once; mock, the same models
behind our own server over real sockets, in real time, with the difference to sim
beside it; endpoint, services that you run or rent, named in the scenario or with
--endpoint: a language model, and of a voice turn speech to text, text to speech, a
model that hears and speaks, or a running bot that is called as Twilio calls it. What
crosses no socket is simulated, and the report says so. Users speak recordings at the
pace of speech: --wav, those of voice.audio, or one sentence of ours (docs/voice.md).

On the target endpoint at most one request of each user is in flight (--per-user),
nothing is retried, and the run is refused when it is likely to exceed
--max-requests, --max-tokens or --max-cost; docs/guard.md says what bounds a run, and
what it costs. --check prints the estimate and sends nothing. Before
the run the list of models is asked for once a connection, to open it.

At an endpoint the plain requests of kind bench have prompts that no other run has, so
that no cache holds them by accident (--salt), and as many tokens as the scenario says
in the server's own count: how much that is for one of our words is learned from the
usage of the first requests, and the report says it.

Keys come from the environment variable that the scenario's key_env names. They are in
no file that is written.

With --out, mock and endpoint also keep the raw log exchanges.jsonl.gz: each request,
and each read of its response with its instant and bytes. 'halfsecond report' computes
every number again from it, 'halfsecond record' makes a cassette of it. --hash-texts
keeps no words in either file, --no-raw leaves the log out.

Before a run over sockets the tester reads streams of known timing, which takes half a
second, and the report says how late it did (--no-self-test); docs/load.md says how far
it can be trusted, and when a run is not judged.

What the server at an endpoint counts itself is looked at before and after a run, if it
shows it at /metrics as vLLM, SGLang, TGI and llama.cpp do (--metrics): the time of its
queue, of prefill and of decode then stand beside what was seen here.

Completions of kind ide are checked for syntax where the scenario has ide.quality, or with
--checker: go and json are built in, any other language takes a program of yours. The
report then shows effective speed beside tokens a second (docs/quality.md).

A scenario of kind grid, such as bench, compares models: --n is then the requests of
each cell, --out keeps pictures and cells.csv beside the traces if it finishes, and
--format csv prints the latter, one row a cell. At an endpoint it compares the models that --endpoint-model names, else those
that the scenario gives names to, else those of the scenario if all are there by their
names, else the only one that is there.

A grid from which nothing follows, since the tester was as late as the shortest TTFT is
long, shows its cells alone and ends with 3.

A run that did not finish is reported as far as it came, and ends with 3 whatever the
budgets say of that part.

--format json prints the document that 'go doc halfsecond/budgets/report' describes;
on the target mock it has the member beside_sim, the comparison described there.
--format html prints a page for a browser, of ghost text with the typing drawn key by
key; a grid has none. --format markdown prints a page for a pull request, --format junit a test case for each
budget, where one that could not be measured is an error; a grid has neither.`,
		Example: `  halfsecond run voice
  halfsecond run ide --target mock --n 80
  halfsecond run my.yaml --target endpoint --check
  halfsecond run my.yaml --endpoint llm=http://127.0.0.1:8000/v1 --out results
  halfsecond run voice --format json
  halfsecond run bench --out results
  halfsecond run bench --endpoint llm=http://127.0.0.1:8000/v1 --ignore-eos --n 5`,
		Annotations: offers("table", "json", "csv", "markdown", "junit", "html"),
		Args:        oneArgument("a built-in scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.name, opts.given = args[0], cmd.Flags().Changed
			return runRun(cmd.Context(), p, opts)
		},
	}
	inGroups(cmd, group("Flags", opts.addFlags), opts.guardGroup())
	return cmd
}

// guardGroup is the flags of what bounds a run at an endpoint.
func (o *runOptions) guardGroup() flagGroup {
	return group("What a run at an endpoint may take", o.guard.addFlags, func(f *pflag.FlagSet) {
		f.IntVar(&o.perUser, "per-user", 1, "most `requests` of one user in flight")
	})
}

func (o *runOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.target, "target", "", "where to run: sim, mock or endpoint (default: the scenario's, else sim)")
	f.StringArrayVar(&o.endpoints, "endpoint", nil, "`llm=URL` of a language model's server; where the scenario has none, its path may name the protocol, as .../api/chat; implies --target endpoint")
	f.StringVar(&o.lsp, "lsp", "", "`command` of a language server that completes in place of a model, for kind ide, such as 'node server.js --stdio'; implies --target endpoint (docs/ghost-lsp.md)")
	f.StringVar(&o.checker, "checker", "", "check the syntax of completions, for kind ide: `language`, go or json, or LANGUAGE=COMMAND of a program that reads the text on its standard input and ends with 0 when it parses, such as 'js=node --check -' (docs/quality.md)")
	f.StringVar(&o.model, "model", "", "`name` of the model there (default: the scenario's, else the only one that it lists)")
	f.StringArrayVar(&o.wavs, "wav", nil, "`file` that users say to a service that hears, in a voice turn, at the pace of speech: WAV, FLAC, MP3, Ogg of up to a minute; may be given again, and users take turns; otherwise those of voice.audio, or one sentence of ours")
	f.StringArrayVar(&o.models, "endpoint-model", nil, "`name` of a model there to compare, for a grid, in place of --model; may be given again")
	f.BoolVar(&o.ignoreEOS, "ignore-eos", false, "ask an endpoint for answers of full length, which vLLM, SGLang and the mock understand")
	f.BoolVar(&o.cold, "cold", false, "open a connection to an endpoint for each request, so that looking up, connecting and TLS count, and a session of a speech service for each turn; otherwise one is kept")
	f.StringVar(&o.caFile, "ca-file", "", "`file` with the certificates of authorities that an endpoint's is to be trusted by, in PEM, beside the machine's")
	f.StringVar(&o.metrics, "metrics", counters.AtRoot, "`place` where the server at an endpoint shows its metrics, before and after a run: a URL, or a path on its host; none does not look")
	f.Uint64Var(&o.seed, "seed", 0, "`number` that every random draw follows from (default: the scenario's)")
	f.Uint64Var(&o.salt, "salt", 0, "`number` that sets prompts apart from those of other runs with this seed, which a server may have cached; 0 does not (default: another for each run at an endpoint, else 0)")
	f.IntVar(&o.n, "n", 0, "`interactions` to report (default: the scenario's)")
	f.StringVar(&o.out, "out", "", "`folder` to keep the traces in, for halfsecond report")
	f.BoolVar(&o.noRaw, "no-raw", false, "keep no raw log beside the traces: of every read its instant and bytes")
	f.BoolVar(&o.hashTexts, "hash-texts", false, "keep no prompt, answer or transcript: their SHA-256, and bytes of the same kinds and sizes")
	f.DurationVar(&o.within, "agree-within", 0, "on the target mock, end with 1 if its median is further than this `duration` from the simulator's, beyond how late the tester ran at the median; with 3 if the tester was too late to tell")
	f.BoolVar(&o.untested, "no-self-test", false, "do not have the tester read streams of known timing before a run over sockets, which takes half a second")
	f.BoolVar(&o.check, "check", false, "read and validate only, and estimate what would be sent: of kind ide at an endpoint the most that can be")
}

// runRun runs one scenario and reports it.
func runRun(ctx context.Context, p *program, o *runOptions) error {
	s, err := scenario.Load(o.name)
	if err != nil {
		return usageError(err)
	}
	set, err := o.settings(s)
	if err != nil {
		return usageError(err)
	}
	set.Endpoint.Waits = p.waits
	if s.Grid != nil {
		return runBench(ctx, p, o, s, set)
	}
	if err := o.onlyForGrids(p); err != nil {
		return usageError(err)
	}
	if o.check {
		return o.runCheck(ctx, p, s, set)
	}
	if err := o.allow(ctx, p, s, &set); err != nil {
		return err
	}
	run, err := o.carryOut(p.bar(set.Target, set.N), set, func(set runner.Settings) (trace.Run, error) { return runner.Run(ctx, s, set) })
	if err != nil {
		return errors.Join(err, p.showUnbegun(run))
	}
	r, err := report.New(run)
	if err != nil {
		return err
	}
	if err := voiceMore(ctx, s, r); err != nil {
		return err
	}
	beside, err := besideSim(ctx, s, set, r)
	if err != nil {
		return err
	}
	agreed := o.agreement(beside)
	if err := p.show(r, beside); err != nil {
		return err
	}
	if err := verdictError(r); err != nil {
		return err
	}
	return agreed
}

// settings resolves what the flags and the scenario say of how to run.
func (o *runOptions) settings(s *scenario.Scenario) (runner.Settings, error) {
	set := runner.Settings{Target: s.Run.Target, Seed: s.Run.Seed, N: s.Run.N, Version: buildVersion(), HashTexts: o.hashTexts, SelfTest: !o.untested}
	if len(o.endpoints) > 0 || o.given("lsp") {
		set.Target = runner.Endpoint
	}
	if o.given("target") {
		set.Target = o.target
	}
	if o.given("seed") {
		set.Seed = o.seed
	}
	if o.given("n") {
		set.N = o.n
	}
	set.Salt = o.salt
	if set.Target == runner.Endpoint && !o.given("salt") {
		set.Salt = uint64(time.Now().UnixNano())
	}
	checking, err := o.checking(s)
	set.Checking = checking
	errs := []error{err}
	switch {
	case !o.given("agree-within"):
	case set.Target != runner.Mock || s.Grid != nil:
		errs = append(errs, errors.New("--agree-within compares with the simulator what ran on --target mock, of any kind but grid"))
	case o.within <= 0:
		errs = append(errs, fmt.Errorf("--agree-within %s: want more than 0, such as 15ms", o.within))
	}
	if set.N < 1 || set.N > scenario.MostInteractions {
		errs = append(errs, fmt.Errorf("--n %d: want 1 to %d", set.N, scenario.MostInteractions))
	} else if s.Grid == nil {
		errs = append(errs, runner.Enough(s, set.N))
	}
	switch {
	case !slices.Contains(runner.Targets(), set.Target):
		errs = append(errs, fmt.Errorf("--target %s: want %s%s", set.Target, strings.Join(runner.Targets(), ", "), orMeant(set.Target, runner.Targets())))
	case set.Target == runner.Endpoint && o.given("lsp"):
		server, err := o.languageServer(s)
		set.Server = server
		errs = append(errs, err)
	case set.Target == runner.Endpoint:
		config, err := o.endpoint(s)
		set.Endpoint, set.PerUser, set.PriceOf = config, o.perUser, o.guard.priceOf
		at, misplaced := o.metricsAt()
		set.Metrics = at
		speech, unbound := o.speech(s)
		set.Speech = speech
		errs = append(errs, unbound)
		errs = append(errs, err, misplaced, o.mayOverlap(s))
	case o.cold || o.caFile != "" || o.given("metrics"):
		errs = append(errs, fmt.Errorf("--cold, --ca-file and --metrics are for --target endpoint, not for %s", set.Target))
	case o.given("lsp"):
		errs = append(errs, fmt.Errorf("--lsp is for --target endpoint, not for %s", set.Target))
	case len(o.endpoints) > 0:
		errs = append(errs, fmt.Errorf("--endpoint is for --target endpoint, not for %s", set.Target))
	case len(o.wavs) > 0:
		errs = append(errs, fmt.Errorf("--wav is for --target endpoint, not for %s: there users say the recordings of the scenario, voice: {audio: {says: [file.wav]}}", set.Target))
	case o.model != "":
		errs = append(errs, fmt.Errorf("--model is for --target endpoint, not for %s", set.Target))
	default:
		errs = append(errs, o.guard.elsewhere(set.Target, o.given))
	}
	return set, errors.Join(errs...)
}

// carryOut runs a scenario, keeping its traces where --out says. The error is that of a
// run that did not begin, or broke; what is returned beside it says so.
func (o *runOptions) carryOut(bar bar, set runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
	defer bar.close()
	set.Progress = bar.done
	if o.out == "" {
		return whole(run(set))
	}
	keeper, err := newKeeper(o.out, set.Target != runner.Sim && !o.noRaw && !(set.Server != nil && set.HashTexts))
	if err != nil {
		return trace.Run{}, usageError(err)
	}
	set.Begin, set.Keep = keeper.begin, keeper.keep
	if keeper.raw != nil {
		set.KeepExchange = keeper.raw.keep
	}
	out, err := whole(run(set))
	if failed := keeper.close(out); failed != nil {
		// What was run is reported all the same, and says what is missing.
		out.Footer.Finished = false
		out.Footer.Reason = unkeptReason(failed)
	}
	return out, err
}

// unkeptReason says why a report is of more than its files hold.
func unkeptReason(failed error) string {
	return oneLine(failed) + ", so the file holds fewer than this report"
}

// besideSim runs the scenario on the simulator too, when it ran on the mock.
func besideSim(ctx context.Context, s *scenario.Scenario, set runner.Settings, r *report.Report) (*report.Comparison, error) {
	if set.Target != runner.Mock || ctx.Err() != nil {
		return nil, nil
	}
	set.Target, set.Progress, set.Keep, set.Begin, set.KeepExchange = runner.Sim, nil, nil, nil, nil
	run, err := runner.Run(ctx, s, set)
	if err != nil {
		return nil, err
	}
	sim, err := report.New(run)
	if err != nil {
		return nil, err
	}
	c := report.Compare(sim, r)
	return &c, nil
}

// agreement has a comparison with the simulator say whether both agree, where that was asked
// for, and turns it into an exit code.
func (o *runOptions) agreement(c *report.Comparison) error {
	if o.within == 0 || c == nil {
		return nil
	}
	switch a := c.Within(o.within); {
	case a.Agree == nil:
		return &exitError{code: exitUnmeasured}
	case !*a.Agree:
		return &exitError{code: exitFailed}
	}
	return nil
}

// verdictError turns a report's verdict into an exit code.
func verdictError(r *report.Report) error {
	switch {
	case !r.Finished:
		return unfinishedRun("run", r.UnfinishedReason, r.N, r.NAsked)
	case r.Verdict == budgets.Fail:
		return &exitError{code: exitFailed}
	case r.Verdict == budgets.Unmeasured:
		return &exitError{code: exitUnmeasured}
	}
	return nil
}

// unfinishedRun says that a report is of a part of what was asked for, whatever the
// budgets say of that part.
func unfinishedRun(what string, reason *string, n, of int) error {
	why := "it left no word why"
	if reason != nil {
		why = *reason
	}
	return &exitError{exitUnmeasured, fmt.Errorf("the %s did not finish (%s): the report is of %d of %d", what, why, n, of)}
}
