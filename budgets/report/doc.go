// Package report turns an analysed run into what people and programs read: a
// terminal page, a Markdown page, JUnit XML and one JSON document. All come from the
// same Report, so that they cannot disagree, and from the run's traces alone, so that the same trace
// file always gives the same bytes.
//
// Read report.go first: the document and its fields. table.go lays the terminal
// page out, sentence.go says the verdict in words, waterfall.go draws one
// interaction. network.go and its sections are what a run over sockets tells beside its
// times. section.go lays a table out for a terminal and for Markdown, markdown.go and
// junit.go are those two formats. versus.go and versus_page.go report which of two runs
// is better; comparison.go only puts a run beside the same one on the simulator. bench.go is the document
// of a comparison of models; its neighbours say in sentences what follows from it, and
// lay it out as a page and as CSV. The package picture draws it.
//
// # JSON document, version 1
//
// Durations are in ms, exact to the nanosecond; shares are 0 to 1. What is
// unknown, or refused because there are too few samples, is null. Units are
// "ms", "share", "count", "tok/s" or "1/s".
//
//	report_version    version of this document, 1
//	verdict           "fail" if any budget failed, else "unmeasured" if any could not be measured, else "pass"
//	summary           the verdict in one sentence
//	scenario          name of the scenario
//	scenario_hash     hash of the canonical scenario
//	kind              kind of its interactions
//	target            "sim", "mock" or "endpoint"
//	seed              seed of every random stream
//	n                 interactions in the run
//	n_asked           interactions asked for
//	warm_up           others before them, which are not reported
//	start_up          what was cut off, where the scenario says warm_up: auto; else left out:
//	  metric          by whose values the end was found
//	  verdict         "steady", "unsteady" or "too short"; only of a steady one something is cut
//	  of, valued      interactions before the cut, and those of them with a value
//	  cut, settled    of them at the beginning, and those due while the load itself was still changing
//	  tail            at the end: due when some users of a closed loop were through
//	  until_ms        from the first due instant to that of the first one kept; null when none is cut
//	version           version of the program that ran it
//	texts_hashed      true when the traces hold hashes in place of a server's words; omitted when false
//	engine            the modelled engine behind the language model, in words; null for none
//	finished          false when the run was cut short
//	unfinished_reason why; null when finished
//	unfit             why the run cannot be judged at all; null when it can
//	budgets           list, in the order of the scenario:
//	  name            left side of the expression
//	  expression      the whole of it, in one spelling
//	  value           what was measured
//	  low, high       95 % confidence interval of a percentile
//	  limit           what it is held against
//	  margin          how far value is inside the limit, negative outside; null when unmeasured
//	  unit            of the five above
//	  verdict         "pass", "fail" or "unmeasured"
//	  reason          why; null for a plain pass
//	  owner           stage, or wait, that owns the overrun; null when there is none
//	metrics           by name:
//	  n               values
//	  population      members that a share of this metric is taken over
//	  p50, p95, p99   percentiles; null for metrics of which only the mean says anything
//	  mean            arithmetic mean
//	  unit            of the four above
//	stages            list, in the order of the pipeline:
//	  name            the stage
//	  n, p50, p95, p99  its lengths in interactions that ended ok
//	  share_critical  share of the interactions that landed on whose critical path it was
//	  simulated       true when no socket of the target was involved
//	  component       slug of the hosted component it draws from; null for none
//	  no_spread       true when only a median is published for it
//	levers            list, for each budget whose value is outside its limit, the best first:
//	  budget          its expression
//	  stages          one stage, or two
//	  at_zero         the budget's value if those took no time, in the budget's unit
//	  enough          whether that is inside
//	  cap             the longest that the one stage may take, in ms; null unless enough and alone
//	  cut             share of the stages' recorded time that has to go; null unless enough
//	  keep_percent    what two stages may keep of their lengths, in %; null for one
//	outcomes          interactions by outcome
//	request_outcomes  requests by outcome
//	network           what a run over sockets tells of its requests; null when none crossed one:
//	  requests, responses  made, and those that got a response
//	  reused          responses on a connection that was open before
//	  http, statuses, encodings  responses by HTTP version, by status, by content coding where there was one
//	  bursts          answers with three or more output chunks, all in one read
//	  retry_after, longest_retry_after_ms  responses that asked to be tried again later, and the longest time
//	  token_sources   ok requests by who counted their tokens: "usage", "timings", "engine", "none" ...
//	  failures        list of outcome, reason, n, cancelled ones included; by outcome, the most frequent first
//	prompts           how prompts were made for a server; left out where they were not made for one:
//	  salt            number that sets them apart from those of other runs with the same seed; null for none
//	  learned, blind  requests by whose usage they were cut to length, and prompts made before anything was known
//	  per_word, extra tokens of the server = per_word * ours + extra; null when nothing was learned
//	background        requests that others made of the same model, not judged: requests, ok; null for none
//	kv_cache          of a modelled engine on the simulator, over its steps, warm-up included: mean and peak (shares of
//	                  it in use), full_steps (share of the steps with more than 95 % in use), preemptions (requests
//	                  that gave way), tokens_moved (to a memory beside it or back); null when not known
//	lateness          how late the tester's own loop ran: n, p50, p99, max in ms; null on the virtual clock
//	formulas          by metric: how a value is made, and over what
package report
