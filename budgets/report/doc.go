// Package report turns an analysed run into what people and programs read: a
// terminal page, a Markdown page, JUnit XML and one JSON document. All come from the
// same Report, so that they cannot disagree, and from the run's traces alone, so that the same trace
// file always gives the same bytes.
//
// Read report.go first: the document and its fields. table.go lays the terminal
// page out, sentence.go says the verdict in words, waterfall.go draws one
// interaction. network.go and its sections are what a run over sockets tells beside its
// times, paces.go and bundled.go whose pace is not the model's, server_counters.go what the server itself counted, tester.go how far it can be trusted. section.go lays a table out for a terminal and for Markdown, markdown.go and
// junit.go are those two formats. versus.go and versus_page.go report which of two runs
// is better; comparison.go only puts a run beside the same one on the simulator. bench.go is the document
// of a comparison of models; its neighbours say in sentences what follows from it, and
// lay it out as a page and as CSV. The package picture draws it.
//
// Of voice turns, voice.go and voice_page.go have what stands beside the metrics: V2V with cut-ins, the turns of a
// call, what other dashboards would say. diagnosed.go has the failures that the traces show. voice_more.go shows
// what takes further runs and is handed in by With: other settings, and V2V against cut-ins.
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
//	texts_hashed      true when the traces hold hashes in place of texts; omitted when false
//	engine            the modelled engine behind the language model, in words; null for none
//	finished          false when the run was cut short
//	unfinished_reason why; null when finished
//	unfit             why the run cannot be judged at all; null when it can
//	budgets           list, in the order of the scenario:
//	  name            left side of the expression
//	  expression      the whole of it, in one spelling
//	  value           what was measured
//	  low, high       95 % confidence interval of a percentile, of a share, or of a figure of answers as code
//	  limit           what it is held against
//	  margin          how far value is inside the limit, negative outside; null when unmeasured
//	  unit            of the five above
//	  n               values, or of a share all its members
//	  independent     how many independent members those of a share are worth for its interval; null when it has none
//	  verdict         "pass", "fail" or "unmeasured"
//	  reason          why; null for a plain pass
//	  owner           stage, or wait, that owns the overrun; null when there is none
//	metrics           by name:
//	  n               values
//	  population      members that a share of this metric is taken over
//	  p50, p95, p99   percentiles; null for metrics of which only the mean says anything
//	  max             the largest value; null likewise
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
//	ghost             of kind ide: where the time of keys goes and what became of answers; each figure is defined in
//	                  docs/ghost-report.md. Left out of other kinds
//	  reason          why the budget on the first character is kept or not; null where nothing is worth saying
//	outcomes          interactions by outcome
//	request_outcomes  requests by outcome, those of steps that are no keys too
//	network           what a run over sockets tells of its requests; null when none crossed one:
//	  requests, responses  made, and those that got a response
//	  reused          responses on a connection that was open before
//	  http, statuses, encodings  responses by HTTP version, by status, by content coding where there was one
//	  bursts          answers with three or more output chunks, all in one read
//	  untimed         answers that ended ok without an output at an instant of its own: one JSON text in place of a stream
//	  partly_held     answers of which 8 chunks or more, 30 % of them or more, came in one read, and the others not
//	  several_tokens  answers with several tokens in the first output, which tpot takes for one, so that it is shorter than
//	                  the model's:
//	    n, of         those with 5 % more or more to it, of those with a tpot; what was partly held is not among them
//	    counted       those of n of which the server sent a running count, so that it is known how many tokens
//	    unsent        those of n with reasoning that the server counts and did not send
//	    tokens_per_chunk  at the median of n
//	    tpot_p50_ms, likely_p50_ms, at_most_p50_ms  of n: as the metric is; with as many tokens in the first output as were
//	                  counted, or else as it has by its share of the bytes; and with as many as it may have
//	    times_at_most the most times that the tpot of one is too short; 0 for none
//	    one_chunk     answers of several tokens without a tpot, for they came at one instant, in one chunk or two
//	  several_choices answers of several choices, whose tokens the server counts together
//	  empty           answers that ended ok with nothing in them: no text, no reasoning, no call of a tool
//	  retry_after, longest_retry_after_ms  responses that asked to be tried again later, and the longest time
//	  retry_after_by_our_clock  those of them whose date counts from this machine's clock, for want of a Date; left out where none
//	  token_sources   ok requests by who counted their tokens: "usage", "timings", "engine", "none" ...
//	  overlong        n, of, most_over_tokens: answers with more tokens than were asked for, by the server's count, of those
//	                  that it counted, and how far the longest went beyond
//	  impossible      n, first: requests of which the server counted what cannot be, such as more cached tokens than the
//	                  prompt has, and in words what of the first; no figure has such counts
//	  unread          n, events: responses with events that are no valid JSON, and how many such events; what they say is lost
//	  failures        list of outcome, reason, n, cancelled ones included; by outcome, the most frequent first
//	recorded          partly_held, several_tokens and several_choices, as above, of the answers of a cassette that the
//	                  simulator gave again; left out where that is nothing
//	server_counters   what the server's metrics counted between a look at them before the first request of the report and one
//	                  after the last; left out where nobody looked:
//	  url             where they are
//	  absent          why there are none; null when there are
//	  software, model whose names they have, and the model that they are labelled with; null when not known
//	  from_ms, to_ms  when they were looked at, since the run began
//	  requests        that ended there; null when it does not count them
//	  ok, not_ok      requests of the run that ended meanwhile, with those of warm-up and background
//	  same_requests   whether it counts those that ended ok and no others; null when that cannot be told
//	  times           list of a kind of time that it adds up:
//	    name          queue, prefill, decode, ttft, e2e; inference (prefill and decode); tpot (of each request), itl (of each
//	                  gap between tokens), token (what it takes for the time of one itself)
//	    n, mean_ms    how many, and their mean; null when not known
//	    p50, p95, p99 above_ms and at_most_ms, the bounds of its histogram between which a percentile lies, the latter null
//	                  beyond the last one; null when there is no histogram, or fewer than a percentile takes
//	    ours_n, ours_mean_ms  of the same time by our own clock; null when we have none
//	    apart_ms      ours - its; null when they are not of as many
//	  rest_ms         our mean of e2e without queue, prefill and decode; null when they are not of the same requests
//	  counts          by name: requests, prompt_tokens, output_tokens, looked_up_tokens and cached_tokens (of the prefix cache),
//	                  preemptions, drafted_tokens, accepted_tokens; running_before and waiting_before are requests that it
//	                  had at the first look
//	  cached_share, accepted_share  of the tokens looked up and of those drafted; null when not known
//	endpoints         list of the services that a run asked; left out on other targets:
//	  stage, url, protocol, model, per_user, cold  as trace files have them
//	  max_requests, max_tokens, max_cost_usd  caps, 0 and null for none
//	  limits          longest times: connect_ms, first_byte_ms, gap_ms between two reads, whole_ms; and bytes of an answer
//	  price           of the model in US dollars for a million tokens: input_usd_per_m, cached_input_usd_per_m (null when no
//	                  list states it), output_usd_per_m, and model, source, date of the list; null when it is not known
//	language_server   what was counted of the language server that completed, as trace files have it; left out where there was none
//	cost              of the run, warm-up and requests of others included; left out when no price is known:
//	  usd             of what the server counted
//	  most_usd        with the most that the uncounted requests can have used
//	  requests, prompt_tokens, cached_tokens, output_tokens  that were sent, and what the server counted
//	  uncounted       requests of which nobody counted all tokens
//	  part            true when it is that of the interactions in the file alone, since the run was cut off
//	prompts           how prompts were made for a server; left out where they were not made for one:
//	  salt            number that sets them apart from those of other runs with the same seed; null for none
//	  learned, blind  requests by whose usage they were cut to length, and prompts made before anything was known
//	  per_word, extra tokens of the server = per_word * ours + extra; null when nothing was learned
//	background        requests that others made of the same model, not judged: requests, ok; null for none
//	kv_cache          of a modelled engine on the simulator, over its steps, warm-up included: mean and peak (shares of
//	                  it in use), full_steps (share of the steps with more than 95 % in use), preemptions (requests
//	                  that gave way), tokens_moved (to a memory beside it or back); null when not known
//	lateness          how late the tester's own loop ran: n, p50, p99, max in ms; null on the virtual clock
//	tester            how far the tester can be trusted; left out on the virtual clock:
//	  allowed_ms      how late it may be, 2 % of the smallest budget of a latency; null when there is none
//	  self_test       streams of known timing before the run; null when it asked for none:
//	    streams       of them
//	    read_late     how late chunks were read: n, p50, p99, max in ms; null when it failed
//	    ttft_error    by how much the time to their first tokens came out too long, the way of the request included; as above
//	    icl_error     by how much gaps between chunks came out wrong; as above
//	    failed        why it could not be made; null when it could
//	  effort          what the run took of the machine; null when it left no footer:
//	    for_ms        how long it took
//	    cores         that the process may use
//	    cores_used    of them, on average
//	    gc_cycles, gc_share, longest_gc_pause_ms  garbage collections, their share of its processor time, the longest stop
//	    ready_p99_ms  how long work that was ready waited for a core
//	    machine_busy, machine_stolen  shares of the machine's cores at work for anybody, and taken by its host
//	    machine_waited  share of the time in which something on the machine waited for a core
//	    held_ms       how long the limit of its container kept the process from running
//	  advice          what to do about a tester that was late, or what to know; null for nothing
//	formulas          by metric: how a value is made, and over what
//	voice             of voice turns; left out for others:
//	  v2v             list of metric, n, p50, p95, p99, each with value and its 95 % interval low, high: the reply, and where
//	                  there are fillers the first sound
//	  cut_in          share of turns that the agent would speak into a pause of: value, low, high, of turns whose pauses are
//	                  known, different of which are not the same said again, and decide the interval; null when none is
//	  waterfalls      of the median and the p95 turn: name, session, turn, v2v_ms; segments, the critical path, that follow each
//	                  other and add up to v2v_ms: name, from_ms since the end of speech, for_ms; beside, the other stages,
//	                  with slack_ms, null for one that the reply did not wait for
//	  turns           by the number of the turn in its call, or neighbouring ones (turn to to): n, p50, p95, prompt_tokens
//	                  (median), cached_share; none where calls have one turn
//	  dashboards      the same turns as others number them: framework, metric, from, to, spans, source, n, p50, p95; of one for the
//	                  whole turn (whole) also short_of_v2v_ms, a mean, which is leaves_out (stage, mean_ms) less twice_ms
//	  playback        replies followed to their end, with_holes, underruns, stalled_ms; null when none was
//	  barge_in        replies spoken into, stopped, false_stops, unnoticed, stop_p50, stop_p95, heard_tokens of made_tokens; null likewise
//	  transcripts     turns in which a speech service wrote down, without_final: those of them where no final text came after the speech
//	  guess           turns, right, wrong, in_vain: early requests at pauses inside turns, turns_for_nothing: the share of turns with
//	                  a request for nothing, gain_ms of the right ones, wasted_tokens, wasted_estimated: those of them that no
//	                  server counted (left out for none), wasted_share of all tokens, cost_share of
//	                  what the model costs; null likewise
//	  tool            turns with one, critical in so many, p50, p95; null likewise
//	  filler          turns with one, p50, p95 until it is heard, waited: turns whose answer waited for its end, wait_p50; null likewise
//	  bot_faults      of a called bot, what it sent that telephony would not take: name of package phone, turns; left out for none
//	diagnoses         list of known failures, the most costly first: id, title, evidence, fix, cost_ms a turn; left out for none
//	settings          what other settings would bring, found by further runs; left out where there were none:
//	  metric, by      whose latencies p50 and p95 are; what the changes are ranked by, such as "p95(reply)": the left side of the
//	                  first budget that is not kept, the reply's before others
//	  sentence        what can be reached, in words
//	  turns           of each run
//	  now             p50, p95, cut_in (value, low, high) as it is, value of what is ranked by
//	  changes         list, the best first: what, key as a scenario has it, cost in words, p50, p95, cut_in, value, and gain: by
//	                  how much the value gets better in its unit, with the interval low, high of turns that are paired, and
//	                  whether it matters: the interval does not hold 0
//	  best            those together that help without more cut-ins, or budgets broken that are kept: changes by their what, p50,
//	                  p95, cut_in, value, rest of the median turn by stage; null for none
//	curve             V2V against cut-ins over a setting of how turns end; left out where there is none: policy, setting, unit, metric,
//	                  turns of each run, different of which are not the same said again, pauses in those, points of setting, p50, p95, cut_in, audible, now, efficient
//	diagnoses         list of the known failures of a voice stack that the traces show, the most costly first; left out when
//	                  there are none:
//	  id              stable, see package diagnosis
//	  title           what is wrong, in a sentence
//	  evidence        list of what shows it, in words with figures
//	  fix             what to do
//	  cost_ms         how much sooner replies would land without it, on average; null when that cannot be told
package report
