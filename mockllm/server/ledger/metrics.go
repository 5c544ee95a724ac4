package ledger

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// metrics is what GET /metrics shows. Times of requests are the engine's own
// instants; the write error says how late they reached the socket.
type metrics struct {
	registry   *prometheus.Registry
	ttft, tpot *prometheus.HistogramVec
	requests   *prometheus.CounterVec
	prompt     *prometheus.CounterVec
	output     *prometheus.CounterVec
	lateness   histogram
	write      histogram
}

// histogram is a Prometheus histogram of seconds that is told durations.
type histogram struct{ prometheus.Histogram }

// Observe adds one duration.
func (h histogram) Observe(d time.Duration) { h.Histogram.Observe(d.Seconds()) }

// Bucket bounds in seconds. They hold the budgets (0.15 and 0.5 s) as bounds, so
// that the share inside is exact.
var (
	ttftBuckets = []float64{.01, .02, .04, .06, .08, .1, .15, .2, .25, .3, .4, .5, .75, 1, 2, 5, 10, 30, 60}
	tpotBuckets = []float64{.001, .002, .005, .01, .015, .02, .03, .04, .05, .075, .1, .15, .2, .5, 1, 5}
	lateBuckets = []float64{.00005, .0001, .0002, .0005, .001, .002, .003, .005, .01, .02, .05, .1, .5}
)

func newMetrics(l *Ledger) *metrics {
	vec := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"model"})
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"model"}, labels...))
	}
	late := func(name, help string) histogram {
		return histogram{prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: lateBuckets})}
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		ttft:     vec("llm_request_ttft_seconds", "Arrival of a request to its first token.", ttftBuckets),
		tpot:     vec("llm_request_tpot_seconds", "Mean time between the tokens of a request after the first.", tpotBuckets),
		requests: counter("llm_requests_total", "Requests that have ended, by outcome.", "outcome"),
		prompt:   counter("llm_prompt_tokens_total", "Prompt tokens of requests that have ended."),
		output:   counter("llm_output_tokens_total", "Tokens produced for requests that have ended."),
		lateness: late("mock_loop_lateness_seconds", "How long after its due instant the loop handled scheduled work."),
		write:    late("mock_write_error_seconds", "How long after its due instant a token was written to its socket."),
	}
	l.Writes.tell = m.write.Observe
	m.registry.MustRegister(m.ttft, m.tpot, m.requests, m.prompt, m.output, m.lateness, m.write,
		newStateCollector(l.config.State), collectors.NewGoCollector())
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// count records a request of a language model that has ended.
func (m *metrics) count(e *Entry) {
	m.requests.WithLabelValues(e.Model, e.Outcome.String()).Inc()
	m.output.WithLabelValues(e.Model).Add(float64(e.Generated))
	if e.Generated > 0 {
		m.prompt.WithLabelValues(e.Model).Add(float64(e.Prompt))
		m.ttft.WithLabelValues(e.Model).Observe((e.First - e.Arrived).Seconds())
	}
	if e.Generated > 1 && e.Outcome == pipeline.OK {
		m.tpot.WithLabelValues(e.Model).Observe((e.Ended - e.First).Seconds() / float64(e.Generated-1))
	}
}

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
		c.shown = append(c.shown, figure{prometheus.NewDesc(name, help, []string{"model"}, nil), kind, of})
	}
	show(gauge, "llm_requests_running", "Requests being computed.", func(s *engine.Stats) float64 { return float64(s.Running) })
	show(gauge, "llm_requests_waiting", "Requests in the queue.", func(s *engine.Stats) float64 { return float64(s.Waiting) })
	show(gauge, "llm_kv_cache_usage_ratio", "Share of the KV cache held by running requests, 0 to 1; NaN without one.",
		func(s *engine.Stats) float64 { return float64(s.BlocksUsed) / float64(s.BlocksTotal) })
	show(counter, "llm_preemptions_total", "Times that a running request gave way for lack of KV cache.",
		func(s *engine.Stats) float64 { return float64(s.Preemptions) })
	show(gauge, "llm_kv_blocks_swapped", "KV blocks in the memory beside the cache.", func(s *engine.Stats) float64 { return float64(s.BlocksSlow) })
	show(counter, "llm_kv_swapped_bytes_total", "Bytes moved to the memory beside the cache or back.",
		func(s *engine.Stats) float64 { return float64(s.BytesMoved) })
	show(counter, "llm_prefix_cache_queries_total", "Tokens looked up in the prefix cache.", func(s *engine.Stats) float64 { return float64(s.PrefixQueries) })
	show(counter, "llm_prefix_cache_hits_total", "Those of them that were there.", func(s *engine.Stats) float64 { return float64(s.PrefixHits) })
	show(counter, "llm_draft_tokens_total", "Tokens drafted by speculative decoding.", func(s *engine.Stats) float64 { return float64(s.Drafted) })
	show(counter, "llm_accepted_tokens_total", "Those of them that were right.", func(s *engine.Stats) float64 { return float64(s.Accepted) })
	return c
}

// Describe implements prometheus.Collector.
func (c *stateCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.shown {
		ch <- f.desc
	}
}

// Collect implements prometheus.Collector. The engines belong to the loop, so the
// loop is asked; a loop that has ended has no state.
func (c *stateCollector) Collect(ch chan<- prometheus.Metric) {
	for name, s := range c.state() {
		for _, f := range c.shown {
			ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.of(&s), name)
		}
	}
}
