package counters

import "strings"

// software is a server with its names of what it counts.
type software struct {
	name, prefix string
	times        []timed
	counts       []counted
}

// timed is a kind of time, and what the server calls it: the first name that is there
// counts. Where that is a counter of seconds, over is the counter of the things it is of.
type timed struct {
	name string
	from []string
	over string
}

// counted is a number of things: the sum of counters, all of which have to be there, by the
// first list of names that is. What was seen is not counted up but is as it was before.
type counted struct {
	name string
	from [][]string
	seen bool
}

// one returns the list of lists for a counter that was called differently over time.
func one(names ...string) (lists [][]string) {
	for _, n := range names {
		lists = append(lists, []string{n})
	}
	return lists
}

// known are the servers whose names are known. A page is that of the first one that has a
// name there. Our own mock has vLLM's and llama.cpp's.
//
// vLLM: vllm/v1/metrics/loggers.py at commit 005a810 and docs/design/metrics.md at 0328b59 of
// vllm-project/vllm, and vllm/engine/metrics.py at f0afa0c for its engine V0; read 2026-11-30.
// Queue is from the queue to the scheduler's choice, prefill from there to the first token,
// decode from there to the last; ttft and e2e are from the arrival at the API server. Of a
// request that its client gave up there is a ttft if it came so far, and nothing else
// (vllm-project/vllm issue 55634, read 2026-11-30).
//
// SGLang: python/sglang/srt/metrics/collector.py at commit 00ae9c1 of sgl-project/sglang, and
// python/sglang/srt/observability/metrics_collector.py at 016d860, read 2026-11-30. It shows
// metrics with --enable-metrics.
//
// TGI: router/src/server.rs at commit 003eaec of huggingface/text-generation-inference, read
// 2026-11-30: validation, queue and inference follow each other, and the time per token is
// inference over tokens, prefill included. It counts a request when it has ended ok.
//
// llama.cpp: "GET /metrics" of tools/server/README.md of ggml-org/llama.cpp at commit 00dc805,
// and struct server_metrics of its server, read 2026-11-30. It counts neither requests nor
// times one by one; seconds are summed up in whole ms. It shows metrics with --metrics.
var known = []software{
	{
		name: "vLLM", prefix: "vllm:",
		times: []timed{
			{name: "queue", from: []string{"vllm:request_queue_time_seconds", "vllm:time_in_queue_requests"}},
			{name: "prefill", from: []string{"vllm:request_prefill_time_seconds"}},
			{name: "decode", from: []string{"vllm:request_decode_time_seconds"}},
			{name: "ttft", from: []string{"vllm:time_to_first_token_seconds"}},
			{name: "e2e", from: []string{"vllm:e2e_request_latency_seconds"}},
			{name: "tpot", from: []string{"vllm:request_time_per_output_token_seconds"}},
			{name: "itl", from: []string{"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"}},
		},
		counts: []counted{
			{name: "requests", from: one("vllm:request_success_total")},
			{name: "prompt_tokens", from: one("vllm:prompt_tokens_total")},
			{name: "output_tokens", from: one("vllm:generation_tokens_total")},
			{name: "looked_up_tokens", from: one("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total")},
			{name: "cached_tokens", from: one("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total")},
			{name: "preemptions", from: one("vllm:num_preemptions_total")},
			{name: "drafted_tokens", from: one("vllm:spec_decode_num_draft_tokens_total")},
			{name: "accepted_tokens", from: one("vllm:spec_decode_num_accepted_tokens_total")},
			{name: "running_before", from: one("vllm:num_requests_running"), seen: true},
			{name: "waiting_before", from: one("vllm:num_requests_waiting"), seen: true},
		},
	},
	{
		name: "SGLang", prefix: "sglang:",
		times: []timed{
			{name: "queue", from: []string{"sglang:queue_time_seconds"}},
			{name: "ttft", from: []string{"sglang:time_to_first_token_seconds"}},
			{name: "e2e", from: []string{"sglang:e2e_request_latency_seconds"}},
			{name: "tpot", from: []string{"sglang:request_time_per_output_token_seconds"}},
			{name: "itl", from: []string{"sglang:inter_token_latency_seconds"}},
		},
		counts: []counted{
			{name: "requests", from: one("sglang:num_requests_total")},
			{name: "prompt_tokens", from: one("sglang:prompt_tokens_total")},
			{name: "output_tokens", from: one("sglang:generation_tokens_total")},
			{name: "looked_up_tokens", from: one("sglang:prompt_tokens_total")},
			{name: "cached_tokens", from: one("sglang:cached_tokens_total")},
			{name: "preemptions", from: one("sglang:num_retracted_requests_total")},
			{name: "running_before", from: one("sglang:num_running_reqs"), seen: true},
			{name: "waiting_before", from: one("sglang:num_queue_reqs"), seen: true},
		},
	},
	{
		name: "TGI", prefix: "tgi_",
		times: []timed{
			{name: "queue", from: []string{"tgi_request_queue_duration"}},
			{name: "inference", from: []string{"tgi_request_inference_duration"}},
			{name: "e2e", from: []string{"tgi_request_duration"}},
			{name: "token", from: []string{"tgi_request_mean_time_per_token_duration"}},
		},
		counts: []counted{
			{name: "requests", from: one("tgi_request_success")},
			{name: "running_before", from: one("tgi_batch_current_size"), seen: true},
			{name: "waiting_before", from: one("tgi_queue_size"), seen: true},
		},
	},
	{
		name: "llama.cpp", prefix: "llamacpp:",
		times: []timed{
			{name: "prefill", from: []string{"llamacpp:prompt_seconds_total"}},
			{name: "decode", from: []string{"llamacpp:tokens_predicted_seconds_total"}},
			{name: "token", from: []string{"llamacpp:tokens_predicted_seconds_total"}, over: "llamacpp:tokens_predicted_total"},
		},
		counts: []counted{
			{name: "prompt_tokens", from: [][]string{{"llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"}}},
			{name: "output_tokens", from: one("llamacpp:tokens_predicted_total")},
			{name: "looked_up_tokens", from: [][]string{{"llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"}}},
			{name: "cached_tokens", from: one("llamacpp:prompt_tokens_cached_total")},
			{name: "drafted_tokens", from: one("llamacpp:spec_decode_num_draft_tokens_total")},
			{name: "accepted_tokens", from: one("llamacpp:spec_decode_num_accepted_tokens_total")},
			{name: "running_before", from: one("llamacpp:requests_processing"), seen: true},
			{name: "waiting_before", from: one("llamacpp:requests_deferred"), seen: true},
		},
	},
}

// respelled are prefixes in other spellings: SGLang's router writes underscores for the
// colons of the servers behind it (sgl-project/sglang pull request 12970, read 2026-11-30).
var respelled = map[string]string{"sglang_": "sglang:"}

// spelled returns a page with every name as its server spells it.
func spelled(p page) page {
	for name, family := range p {
		for other, own := range respelled {
			if rest, found := strings.CutPrefix(name, other); found && p[own+rest] == nil {
				p[own+rest] = family
			}
		}
	}
	return p
}

// servers lists those whose names are known.
func servers() string {
	var names []string
	for _, s := range known {
		names = append(names, s.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
