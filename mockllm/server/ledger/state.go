package ledger

import (
	"github.com/prometheus/client_golang/prometheus"

	"halfsecond/mockllm/engine"
)

// stateCollector reads the engines' state when metrics are asked for.
type stateCollector struct {
	state func() map[string]engine.Stats
	shown []figure
}

// figure is one number of an engine's state, as metrics show it.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(s *engine.Stats) float64
}

func newStateCollector(state func() map[string]engine.Stats) *stateCollector {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	c := &stateCollector{state: state}
	show := func(kind prometheus.ValueType, name, help string, of func(s *engine.Stats) float64) {
		c.shown = append(c.shown, figure{prometheus.NewDesc(name, help, modelLabels, nil), kind, of})
	}
	show(gauge, "vllm:num_requests_running", "Number of requests in model execution batches.", func(s *engine.Stats) float64 { return float64(s.Running) })
	show(gauge, "vllm:num_requests_waiting", "Number of requests waiting to be processed.", func(s *engine.Stats) float64 { return float64(s.Waiting) })
	show(gauge, "vllm:kv_cache_usage_perc", "KV-cache usage of running requests. 1 means 100 percent usage; NaN without a cache.",
		func(s *engine.Stats) float64 { return float64(s.BlocksUsed) / float64(s.BlocksTotal) })
	show(counter, "vllm:num_preemptions_total", "Cumulative number of preemption from the engine.", func(s *engine.Stats) float64 { return float64(s.Preemptions) })
	show(counter, "vllm:prefix_cache_queries_total", "Prefix cache queries, in number of queried tokens.", func(s *engine.Stats) float64 { return float64(s.PrefixQueries) })
	show(counter, "vllm:prefix_cache_hits_total", "Prefix cache hits, in number of cached tokens.", func(s *engine.Stats) float64 { return float64(s.PrefixHits) })
	show(counter, "vllm:spec_decode_num_draft_tokens_total", "Number of draft tokens.", func(s *engine.Stats) float64 { return float64(s.Drafted) })
	show(counter, "vllm:spec_decode_num_accepted_tokens_total", "Number of accepted tokens.", func(s *engine.Stats) float64 { return float64(s.Accepted) })
	show(gauge, "mock_kv_blocks_swapped", "KV blocks in the memory beside the cache.", func(s *engine.Stats) float64 { return float64(s.BlocksSlow) })
	show(counter, "mock_kv_swapped_bytes_total", "Bytes moved to the memory beside the cache or back.", func(s *engine.Stats) float64 { return float64(s.BytesMoved) })
	show(counter, "mock_model_loads_total", "Times that a model which is not always in memory was loaded.", func(s *engine.Stats) float64 { return float64(s.Loads) })
	return c
}

// Describe implements prometheus.Collector.
func (c *stateCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.shown {
		ch <- f.desc
	}
}

// Collect implements prometheus.Collector. A loop that has ended has no state.
func (c *stateCollector) Collect(ch chan<- prometheus.Metric) {
	if c.state == nil {
		return
	}
	for name, s := range c.state() {
		for _, f := range c.shown {
			ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.of(&s), name, onlyEngine)
		}
	}
}
