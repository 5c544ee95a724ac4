// Package trace writes and reads a run as JSON Lines: one header, one line for
// each interaction, one footer. A run's every number is recomputed from this
// file, so it is versioned, strict, and whole up to the last line that was
// written: a program that was killed leaves a file that reads as unfinished, not
// as broken.
//
// Read run.go first: what a file holds. append.go writes an interaction without
// allocating, wire.go and read.go read one strictly.
//
// # Format, version 1
//
// One JSON object a line, UTF-8, lines end with LF. Instants are integer
// nanoseconds since the run began and spans of time are integer nanoseconds; the
// names of both end in _ns. What was not observed is null, never 0. Empty lists,
// empty strings marked "omitted when empty" and false marked "omitted when
// false" are left out. Unknown fields are errors.
//
// Header, the first line:
//
//	halfsecond_trace  version of the format, 1
//	scenario          name of the scenario
//	kind              kind of its interactions: "voice", "ide" or "bench"; "grid" for
//	                  plain requests in the cells of a comparison, which their facts name
//	scenario_hash     hash of the canonical scenario
//	target            "sim", "mock" or "endpoint"
//	seed              seed of every random stream
//	n                 interactions asked for
//	warm_up           others before them, which are not in the file; omitted when 0
//	version           version of the program that ran it
//	budgets           list of budget expressions
//	stages            list of what is known of each stage, in the order of the pipeline:
//	  name            name of its spans
//	  simulated       true when it is modelled on this target
//	  component       slug of the hosted component it draws from; omitted when empty
//	  no_spread       true when only a median is published for that component; omitted when false
//	  engine          the modelled engine behind it, in words; omitted when empty
//	endpoints         services in place of modelled stages; omitted when there are none:
//	  stage           "llm"
//	  url             without user and query
//	  protocol, model as the service speaks and calls it
//	  max_requests, max_tokens  caps of the run, 0 for none
//	  max_cost_usd    the same of money, a number of US dollars; omitted when there is none
//	  per_user        most requests of one user in flight
//	  cold            a connection was opened for each request; omitted when false
//	  ignore_eos      answers of full length were asked for; omitted when false
//	  voice, language of a speech service; omitted where they were left to it
//	  recordings      SHA-256 of the recordings that users said to it; omitted when there are none
//	  limits          longest times to wait: connect_ns, first_byte_ns, gap_ns between two reads, whole_ns; and bytes,
//	                  the most of a reply
//	  price           of the model, in US dollars for a million tokens; omitted when it is not known:
//	    input_usd_per_m, cached_input_usd_per_m, output_usd_per_m  of prompts, of those cached (null when no list
//	                  states it), of answers
//	    model, source, date  whose price in which list of which day; model and date are omitted when it was typed
//	texts_hashed      true when the SHA-256 stands for what was heard and said, and in reasons for
//	                  what a server said of a failure; omitted when false
//	load              how it asked; omitted when it has nothing of the following, each omitted when 0 or false:
//	  find_start_up   where the start-up ends is for the report to find, among the interactions of the file
//	  users           then: of a closed loop
//	  settling_ns     then: how long the load itself took to be what it then stays
//	  salt            number that sets prompts apart from those of other runs with the same seed
//	self_test         what the tester made of streams of known timing before the run; omitted when it asked for none:
//	  streams         of them
//	  read            how late their chunks were read: n, p50_ns, p99_ns, max_ns
//	  ttft, gap       by how much the times to their first tokens were too long, and the gaps between chunks wrong; as above
//	  failed          why nothing is known of that; omitted when it is
//	scenario_text     the canonical scenario
//
// Interaction:
//
//	kind              kind of the interaction
//	session, index    which user, and which interaction of that user, from 0
//	due_ns            the instant from which a budget counts
//	end_ns            when the last of it was handled
//	late_ns           how late the loop itself handled due_ns
//	outcome           "ok", "error", "truncated", "timeout", "refused", "dropped" or "cancelled"
//	reason            why, when the outcome is not ok; omitted when empty
//	spans             list, the place in it (from 0) is the span's id:
//	  name            the stage
//	  start_ns        when it began
//	  end_ns          when it ended; null when the interaction ended first
//	  after           ids of the spans it waited for, all of them smaller than its own
//	  simulated       true when no socket of the target was involved; omitted when false
//	marks             list of name, at_ns: named instants
//	requests          list, see below
//	hearings          list of what services wrote down of the user's speech; omitted when there is none. Each has id, due_ns,
//	                  the instants, counts and texts of pipeline.Transcription under their names with underscores, instants
//	                  with _ns, outcome, reason, transport; null is what was not observed, and what is empty or 0 is omitted
//	sayings           list of what services spoke of the reply, as pipeline.Speech; likewise
//	answers           list of what models answered that hear and speak, as pipeline.Answered; likewise
//	uses              list of request (its id), how: requests of other interactions it drew on
//	facts             list of name, value: what was decided
//
// Request:
//
//	id                unique within the run, from 1
//	due_ns            when it should have been sent
//	sent_ns           when it was
//	scheduled_ns      when the model began to work on it
//	loading_ns        how long it waited before that for the model to be loaded and warm
//	first_byte_ns     first byte of the body
//	first_output_ns   first output of any kind
//	first_text_ns     first output that is not reasoning
//	first_seen_ns     first output with a character that can be seen
//	last_output_ns    last output
//	end_ns            end event, error event, or end of the body
//	outcome, reason   as above
//	finish            the model's word for why it stopped; omitted when empty
//	prompt_tokens     null when nobody stated it
//	prompt_estimate   the asker's own count of a prompt that was sent and that nobody else counted; omitted where there is none
//	cached_tokens     those of the prompt that the model had in its cache; omitted when nobody stated it
//	output_tokens     null when nobody stated it
//	limit_tokens      longest answer that a server was asked for; omitted for none
//	token_source      "engine", "usage", "timings" or "none"
//	impossible        in words, what the server counted that cannot be, or cannot be read, and is null above; omitted for nothing
//	chunks            output chunks seen
//	empty             it ended ok and nothing of an answer came; omitted when false
//	unread            messages of the response that are no valid JSON and were left out; omitted when 0
//	choices           how many choices the answer has, whose tokens are counted together; omitted when one
//	together          most output chunks that came at one instant, where 8 or more; omitted otherwise
//	opening           what came with the first output, where that may be more than one token; omitted otherwise:
//	  chunks          output chunks at that instant
//	  tokens          of the answer until then, by a running count of the server; omitted where it has none
//	  bytes, of       bytes of those chunks, and of all output chunks; omitted where the server counts more tokens than bytes came
//	  unsent          tokens of reasoning that it counts and did not send, or as a summary; omitted when 0
//	  sure            tokens that followed for certain at most, of reasoning that may be a summary; omitted where nothing limits them
//	gaps              times between them, a list of [ns, how often], ascending, each with 9 binary digits; omitted when
//	                  nobody saw them one by one
//	longest_gap_ns    the longest of them, exact; omitted likewise
//	simulated         omitted when false
//	server            what the server says of its own time; omitted when it says nothing:
//	  queue_ns, load_ns, prefill_ns, decode_ns, total_ns
//	transport         omitted when there was none:
//	  status          HTTP status, 0 when there was no response
//	  http            "1.1" or "2"; omitted when empty
//	  encoding        content coding; omitted when empty
//	  reused          true when the connection was open before; omitted when false
//	  dns_ns, connect_ns, tls_ns  looking the host up, opening the connection, shaking hands; each
//	                  omitted when the request did not wait for that
//	  retry_after_ns  what the server asked for; null when it did not
//	  burst           three or more chunks, all in one read; omitted when false
//	  headers         chosen headers of the response, a list of {"name", "value"}; omitted when empty
//	way               modelled network that is part of the instants of a request over a real one: sent_ns is out_ns
//	                  before the bytes, the others are back_ns after them; omitted when there is none:
//	  out_ns, back_ns
//
// Footer, the last line:
//
//	end               true; the first field of its line
//	n                 interactions in the file
//	lateness          how late the loop handled its work: n, p50_ns, p99_ns, max_ns
//	finished          true when the run did all that was asked
//	reason            why not; omitted when empty
//	cut               true when the run was cut off, so that an earlier file of it had no footer; omitted when false
//	background        requests of others to the same model, not in the file; omitted when there were none:
//	  requests        made
//	  ok              ended ok before the run did
//	engines           modelled engines, one for each cell of a grid; omitted when there are none:
//	  model, variant, prompt_tokens  of the cell; omitted outside of a grid
//	  blocks          of its KV cache
//	  peak            most of them in use in a step
//	  held            the sum of those in use over all steps
//	  steps           that it computed, warm-up included
//	  full            those of them with more than 95 % of the blocks in use
//	  preemptions     requests that gave way to others
//	  tokens_moved    to a memory beside the cache, or back
//	prompts           how prompts were cut to length for a server; omitted when they were not:
//	  learned         requests that the line is through
//	  blind           prompts that were made before anything was known
//	  per_word, extra tokens of the server = per_word * ours + extra
//	counters          what the server's metrics counted between two looks at them, one just before the requests of the file and
//	                  one after the last, in a grid of each cell; omitted when they were not looked at:
//	  model, variant, prompt_tokens  of the cell; omitted outside of a grid
//	  url             where they are, without user and query
//	  absent          why there are none; omitted when there are
//	  software        whose names they have; omitted when there are none
//	  label           of the model whose they are; omitted where the server tells no models apart
//	  from_ns, to_ns  the two looks; from_ns is 0 for one before the run began, and the end of the last request that the
//	                  first look saw of those that ended while it was under way
//	  times           list of a kind of time that the server adds up: name, n (null when it is not counted), sum_ns, and buckets,
//	                  a list of [ns, how many were at most that], omitted when there are none
//	  counts          list of name, n
//	  beside          requests of the run in that time that are not in the file, by our own clocks: ok, others, output_tokens,
//	                  uncounted (answers of which nobody stated these), and ttft, decode, e2e, tpot, itl, each [n, sum in ns];
//	                  omitted when there are none
//	effort            what the run took of the machine; omitted on the virtual clock:
//	  for_ns          how long it was watched
//	  cores           that the process may use at once
//	  cpu_ns          processor time of the process
//	  gc_cycles, gc_cpu_ns, gc_pause_ns  garbage collections, their processor time, the longest stop
//	  ready_p99_ns    how long work that was ready waited for a core
//	  machine_ns, busy_ns, stolen_ns  time of all cores of the machine; of that at work, and taken by its host
//	  waited_ns       while which something on the machine waited for a core
//	  held_ns         while which the limit of its container kept the process from running
//	used              list of what was used of each model at an endpoint, warm-up and requests of others included; omitted
//	                  on other targets:
//	  model           as the service calls it
//	  requests        that were sent
//	  counted         tokens by the server's count: prompt_tokens, cached_tokens (part of these), output_tokens
//	  uncounted       requests that the server told no count of, nor refused
//	  assumed         what those stand for, in the same way: the prompt, and the longest answer that was asked for
//	language_server   what was counted of the language server that completed, warm-up included; omitted when there was none:
//	  requests, cancels, edits  completions that it was asked for, those of them that were given up, edits that it was told of
//	  late_answers_to_cancelled, empty_answers_to_cancelled, cancelled_answers, unanswered  what came of requests that were
//	                  given up, which a server must answer: a completion, none, that it is cancelled, nothing
//	  withdrawn, content_modified, server_cancelled, failed, undisplayable  answers to others that are no completion, or
//	                  none that an editor shows
//	  protocol_errors, protocol_error  messages that cannot be read or answer nothing, and the first of them in words
//	  killed          true when it did not end when it was told to; omitted when false
package trace
