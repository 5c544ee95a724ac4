// Package halfsecond tells whether a voice reply lands inside 500 ms and a
// ghost-text completion inside 150 ms: first on modelled hardware, then over real
// sockets, then on real endpoints, with the same scenario and the same report.
//
// Four ideas carry everything. An interaction is a graph of stages on one
// single-threaded loop. The loop has two clocks, virtual and wall, and one set of
// models for both. A scenario runs on three targets: sim, mock and endpoint. And
// the trace is the result: every number in a report is a function of traces.
//
// Follow one command from main to output: cmd/halfsecond/run.go reads a scenario
// (simulators/scenario), hands it to simulators/runner, which builds a loop
// (pipeline), a language model (mockllm/engine or pipeline/endpoint) and an
// interaction (simulators/voice or simulators/ide), and gives the traces to
// budgets and budgets/report. A comparison of models is many such runs: cmd hands
// it to simulators/study, and its traces to budgets/grid.
//
// # Packages
//
//	cmd/halfsecond     the program: one file a command
//	pipeline           Loop (Virtual, Wall), Interaction, Trace, Outcome, LLM: what everyone shares
//	  trace            the JSON Lines file of a run
//	  dist             named seeded random streams and distributions
//	  quantile         the one percentile definition, intervals, mergeable histograms
//	  link             a network path
//	  document         a text that somebody edits, and what an answer to it is worth when it comes
//	  strict           YAML and JSON files that people write, and all that is wrong with one at once
//	  wire             bytes <-> messages: event streams and the OpenAI protocol; a package below for each other vendor,
//	                   jsonrpc and lsp for language servers
//	  endpoint         real endpoints as stages
//	    selftest       how late the tester reads streams of known timing
//	    recount        every number of a run again, from its raw log
//	    counters       what a server counts itself, by its metrics before and after a run
//	    probe          asks an endpoint a few times, for finding to explain
//	    audition       has a speech endpoint hear or speak a few times, for finding/spoken
//	    listen         speech to text
//	    speak          text to speech
//	    converse       models that hear and speak
//	    talk           their sockets, and audio at the pace of speech
//	    langserver     a language server as the model behind an editor
//	    sound          when samples came, and when the first that can be heard
//	  exchange         the raw log and cassettes: what went over the wire, read by read
//	  price            money, and what tokens cost
//	  realpart         programs that nobody here wrote, for tests
//	mockllm            what serves
//	  catalog          accelerators, models, engines, hosted components, prices: tables, each figure with its source
//	  roofline         how long one step of an engine takes; bytes of KV cache
//	  engine           one replica behind one interface: batched, slots, hosted; its API server, its cold start
//	    kv             blocks of the KV cache: shared by prefix, given up oldest first
//	  cluster          replicas behind a router, and their failures
//	  fit              predictions beside measurements; constants out of measurements
//	  token            the mock's tokenizer, and texts of an exact token count
//	  given            servers of stated times, as ghost-text cases describe them
//	  answer           what the mock says: an echo, a file, the true continuation of code
//	  speech           how hosted STT and TTS behave: what is heard in samples, and what is spoken
//	    audio          samples and their codecs
//	    stage          recognizers and synthesizers on the loop itself, without a server
//	  cassette         recorded answers as a language model
//	  fault            scripted misbehaviour, by rules
//	  observe          what typing and which habits of a plugin the prompts tell of that reach the mock
//	  server           the mock servers, over the models on the wall clock
//	    text           fronts of language-model protocols: a package below for each vendor, over
//	                   serve (what they have in common), sample (JSON of a schema), fim (the
//	                   hole in code), tokenid (numbers of tokens); stand is for tests
//	    voice          fronts of speech protocols: a package below for each vendor, over ear and
//	                   mouth, which hear and speak, and talk, the plumbing; voicetest and peer are for tests
//	    replay         what was recorded, served again
//	    ledger         what was asked, how late the answers were written, /metrics
//	    conformance    vendors' own libraries streaming from the mock
//	    memnet         connections in memory, for tests
//	  mock             the mock for other people's Go tests
//	budgets            budget expressions, metrics, verdicts, critical paths, levers
//	  grid             comparisons of models: trends, gains and their intervals
//	  steady           where the start-up of a run ends
//	  thresholds       what a run has to keep, in a file apart from its scenario
//	  versus           two runs of one experiment: better, worse, or not to be told; baseline files
//	  quality          how fast a model is that writes code, when only code that parses counts
//	  finding          what was seen of an endpoint means: findings, each with evidence and the fix
//	    spoken         the same of speech
//	  diagnosis        known failures of a voice stack, told by the traces of a run: evidence and the fix
//	  ghost            ghost text: where the time of a key goes, what answers are worth, what was for nobody
//	  frontier         which of many settings of a ghost-text scenario no other beats, and what they trade
//	  dashboard        voice turns as Pipecat, LiveKit and Vapi number them, and what each leaves out
//	  report           terminal, JSON, CSV, Markdown, JUnit and HTML reports
//	    picture        the pictures of a comparison, SVG and PNG
//	simulators         who asks, and how
//	  arrival          when a request falls due
//	  voice, ide, bench  the interactions
//	    ide/typing     what a person does in an editor: a seeded typist
//	      fit          the habits behind what somebody typed
//	    ide/recording  what people did, replayed
//	    ide/plugin     the rules by which a ghost-text plugin asks
//	    ide/cache      what a plugin keeps of earlier answers
//	    ide/prompt     prompts out of a document, and where two of them differ
//	    ide/syntax     does a completion leave code that parses
//	  scenario         scenario files: strict parse, defaults, hash; built-in scenarios
//	  runner           scenario + target -> traces
//	    meter          what a run takes of the machine, and what else the machine does
//	    checker        a user's program over texts, for the syntax of languages that are not built in
//	  study            many runs as one: the comparison of models, the sweep of loads, the frontier of ghost text
//
// # Arrows
//
// A -> B means that A imports B; arch_test.go checks them.
//
//	cmd -> everything       simulators -> budgets, mockllm, pipeline
//	budgets -> pipeline     mockllm -> pipeline
//
// # Dependencies
//
// cobra and viper: commands and the tool's own settings. goccy/go-yaml: scenario
// files with the position of every node. levenshtein: the nearest valid name.
// gorilla/websocket: the sockets of speech protocols. pion/opus, go-mp3, mewkiz/flac:
// audio that clients send, in pure Go. goleak (tests): nothing stays behind.
// HdrHistogram: mergeable lateness histograms. montanaflynn/stats (tests): a second
// opinion on percentiles. gonum/plot: axes, lines and bands in SVG and PNG, with the
// fonts in it. prometheus/client_golang: the mock's /metrics;
// prometheus/common, client_model: those of other servers, read as Prometheus's own tools do. progressbar and x/term:
// the terminal. x/sys: the timerfd that the wall clock sleeps on, the end of a program that
// was started. x/sync: goroutines
// of the server that end together. go-internal (tests): command scripts. staticcheck
// (a tool, pinned in go.mod): make check.
package halfsecond
