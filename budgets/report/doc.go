// Package report turns an analysed run into what people and programs read: a
// terminal page and one JSON document. Both come from the same Report, so that
// they cannot disagree, and from the run's traces alone, so that the same trace
// file always gives the same bytes.
//
// Read report.go first: the document and its fields. table.go lays the terminal
// page out, sentence.go says the verdict in words, waterfall.go draws one
// interaction. comparison.go puts two runs beside each other. bench.go is the document
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
//	version           version of the program that ran it
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
//	background        requests that others made of the same model, not judged: requests, ok; null for none
//	kv_cache          of a modelled engine on the simulator, over its steps, warm-up included: mean and peak (shares of
//	                  it in use), full_steps (share of the steps with more than 95 % in use), preemptions (requests
//	                  that gave way), tokens_moved (to a memory beside it or back); null when not known
//	lateness          how late the tester's own loop ran: n, p50, p99, max in ms; null on the virtual clock
//	formulas          by metric: how a value is made, and over what
package report
