package ledger

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"halfsecond/pipeline"
)

// metrics is what GET /metrics shows: what vLLM shows, under its names; two histograms
// whose bounds are the budgets; and the server's own exactness. Times of requests are
// those of their entries, the gaps between tokens the engine's own.
//
// vLLM's names, labels and bounds: vllm-project/vllm vllm/v1/metrics/loggers.py
// (commit 005a810) and docs/design/metrics.md, read 2026-11-29.
type metrics struct {
	registry *prometheus.Registry
	models   models

	ttft, tpot *prometheus.HistogramVec // ours

	firstToken, gaps, perToken, e2e, queue, inference, prefill, decode *prometheus.HistogramVec
	promptLength, outputLength                                         *prometheus.HistogramVec
	success, prompt, output                                            *prometheus.CounterVec

	requests, abandoned, faults *prometheus.CounterVec
	lateness, write             histogram
}

// histogram is a Prometheus histogram of seconds that is told durations.
type histogram struct{ prometheus.Histogram }

// Observe adds one duration.
func (h histogram) Observe(d time.Duration) { h.Histogram.Observe(d.Seconds()) }

// Bucket bounds, in seconds or tokens. Ours hold the budgets (0.15 and 0.5 s) as
// bounds, so that the share inside is exact.
var (
	ttftBuckets = []float64{.01, .02, .04, .06, .08, .1, .15, .2, .25, .3, .4, .5, .75, 1, 2, 5, 10, 30, 60}
	tpotBuckets = []float64{.001, .002, .005, .01, .015, .02, .03, .04, .05, .075, .1, .15, .2, .5, 1, 5}
	lateBuckets = []float64{.00005, .0001, .0002, .0005, .001, .002, .003, .005, .01, .02, .05, .1, .5}

	vllmFirstToken = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	vllmGap        = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	vllmLatency    = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	vllmTokens     = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000}
)

// modelLabels are those of vLLM's metrics.
var modelLabels = []string{"model_name", "engine"}

// onlyEngine is the number of a model's engine; replicas behind a router count as one.
const onlyEngine = "0"

func newMetrics(l *Ledger) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.ttft = m.seconds("llm_request_ttft_seconds", "Arrival of a request to its first token.", ttftBuckets, "model")
	m.tpot = m.seconds("llm_request_tpot_seconds", "Mean time between the tokens of a request after the first.", tpotBuckets, "model")
	m.asVLLM()
	m.requests = m.counter("mock_requests_total", "Requests that have ended, by protocol and outcome.", "model", "protocol", "outcome")
	m.abandoned = m.counter("mock_abandoned_tokens_total", "Tokens produced after their client had hung up.", "model")
	m.faults = m.counter("mock_faults_total", "Requests that a rule made go wrong.", "rule")
	m.lateness = m.late("mock_loop_lateness_seconds", "How long after its due instant the loop handled scheduled work.")
	m.write = m.late("mock_write_error_seconds", "How long after its due instant an answer's next piece was written to its socket.")
	l.Writes.tell = m.write.Observe
	m.registry.MustRegister(newStateCollector(l.config.State), collectors.NewGoCollector(), prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "mock_fit", Help: "1 while the p99 of the write error is within its limit, 0 when this server is not fit to be measured against, NaN before there are 100 writes of streams to judge by."},
		func() float64 { return l.Writes.Report().gauge() }))
	return m
}

// asVLLM makes the metrics that vLLM has.
func (m *metrics) asVLLM() {
	m.firstToken = m.seconds("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.", vllmFirstToken, modelLabels...)
	m.gaps = m.seconds("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", vllmGap, modelLabels...)
	m.perToken = m.seconds("vllm:request_time_per_output_token_seconds", "Histogram of time per output token of a request in seconds.", vllmGap, modelLabels...)
	latency := func(name, help string) *prometheus.HistogramVec {
		return m.seconds("vllm:"+name, help, vllmLatency, modelLabels...)
	}
	m.e2e = latency("e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.")
	m.queue = latency("request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.")
	m.inference = latency("request_inference_time_seconds", "Histogram of time spent in RUNNING phase for request.")
	m.prefill = latency("request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.")
	m.decode = latency("request_decode_time_seconds", "Histogram of time spent in DECODE phase for request.")
	m.promptLength = m.seconds("vllm:request_prompt_tokens", "Number of prefill tokens processed.", vllmTokens, modelLabels...)
	m.outputLength = m.seconds("vllm:request_generation_tokens", "Number of generation tokens processed.", vllmTokens, modelLabels...)
	m.success = m.counter("vllm:request_success_total", "Count of successfully processed requests.", append([]string{"finished_reason"}, modelLabels...)...)
	m.prompt = m.counter("vllm:prompt_tokens_total", "Number of prefill tokens processed.", modelLabels...)
	m.output = m.counter("vllm:generation_tokens_total", "Number of generation tokens processed.", modelLabels...)
}

func (m *metrics) seconds(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m *metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m *metrics) late(name, help string) histogram {
	h := histogram{prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: lateBuckets})}
	m.registry.MustRegister(h)
	return h
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// count records a request that has ended.
func (m *metrics) count(e Entry) {
	e.Model = m.models.label(e.Model)
	m.requests.WithLabelValues(e.Model, e.Protocol, e.Outcome.String()).Inc()
	if e.Fault != "" {
		for rule := range strings.SplitSeq(e.Fault, ", ") {
			m.faults.WithLabelValues(rule).Inc()
		}
	}
	if e.Prompt == 0 {
		return // it asked no language model
	}
	m.output.WithLabelValues(e.Model, onlyEngine).Add(float64(e.Generated))
	m.abandoned.WithLabelValues(e.Model).Add(float64(e.AfterLeft))
	if e.Generated > 0 {
		m.prompt.WithLabelValues(e.Model, onlyEngine).Add(float64(e.Prompt))
	}
	if e.First != pipeline.Unknown {
		m.ttft.WithLabelValues(e.Model).Observe((e.First - e.Arrived).Seconds())
		m.firstToken.WithLabelValues(e.Model, onlyEngine).Observe((e.First - e.Arrived).Seconds())
	}
	m.finish(&e)
}

// finish records how a request ended, and the times of one that is complete.
func (m *metrics) finish(e *Entry) {
	switch e.Outcome {
	case pipeline.OK:
		m.success.WithLabelValues(e.Finish, e.Model, onlyEngine).Inc()
		m.times(e)
	case pipeline.Cancelled:
		m.success.WithLabelValues("abort", e.Model, onlyEngine).Inc() // vLLM counts it so
	}
}

func (m *metrics) times(e *Entry) {
	observe := func(h *prometheus.HistogramVec, x float64) { h.WithLabelValues(e.Model, onlyEngine).Observe(x) }
	observe(m.e2e, (e.Ended - e.Arrived).Seconds())
	observe(m.queue, (e.Started - e.Arrived).Seconds())
	observe(m.inference, (e.Ended - e.Started).Seconds())
	observe(m.prefill, (e.First - e.Started).Seconds())
	observe(m.decode, (e.Ended - e.First).Seconds())
	observe(m.promptLength, float64(e.Prompt))
	observe(m.outputLength, float64(e.Generated))
	if e.Generated > 1 {
		tpot := (e.Ended - e.First).Seconds() / float64(e.Generated-1)
		m.tpot.WithLabelValues(e.Model).Observe(tpot)
		observe(m.perToken, tpot)
	}
}

// Gaps takes the times between the tokens of one model.
type Gaps struct{ histogram prometheus.Observer }

// Gaps returns where the times between the tokens of a model are counted.
func (l *Ledger) Gaps(model string) Gaps {
	l.metrics.models.serve(model)
	return Gaps{l.metrics.gaps.WithLabelValues(model, onlyEngine)}
}

// Add counts one.
func (g Gaps) Add(d time.Duration) { g.histogram.Observe(d.Seconds()) }
