package llamacpp

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline"
)

// totals is what the requests of one model that have ended took together. The loop owns it.
type totals struct {
	prompt, cached, predicted int           // tokens: computed, found, generated
	prefill, decode           time.Duration // that they took
	longest                   int           // most tokens of one prompt and its answer
}

// add counts a generation that has ended.
func (t *totals) add(g *serve.Generation) {
	q := &g.Request
	if g.First == pipeline.Unknown {
		return
	}
	t.prompt += q.Prompt - q.CachedTokens
	t.cached += q.CachedTokens
	t.predicted += q.Generated()
	t.prefill += g.First - q.Scheduled
	t.decode += q.Last - g.First
	t.longest = max(t.longest, q.Prompt+q.Generated())
}

// Metrics returns a handler that puts the metrics of llama.cpp's server before those of
// next, where that serves all models: of the only one, or of ?model=NAME.
func (a *Front) Metrics(next http.Handler) http.Handler {
	if !a.Software().LlamaCPP {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.FormValue("model")
		if name == "" && len(a.Config.Models) == 1 {
			name = a.Config.Models[0].Name
		}
		var own []byte
		if m := a.Lookup(name); m != nil && name != "" {
			a.Ask(func() { own = figures(a.Stats(m), *a.totals[m.Name]) })
		}
		r = r.Clone(r.Context())
		r.Header.Del("Accept-Encoding") // both parts are plain text
		r.Header.Del("Accept")
		next.ServeHTTP(&preceded{ResponseWriter: w, text: own}, r)
	})
}

// preceded is a response before whose body a text goes out.
type preceded struct {
	http.ResponseWriter
	text []byte
}

// Write implements io.Writer.
func (p *preceded) Write(b []byte) (int, error) {
	if text := p.text; text != nil {
		p.text = nil
		if _, err := p.ResponseWriter.Write(text); err != nil {
			return 0, err
		}
	}
	return p.ResponseWriter.Write(b)
}

// figures returns the metrics as Prometheus reads them. Names, kinds and words: "GET
// /metrics" of ggml-org/llama.cpp tools/server/README.md (commit 00dc805, 2026), read
// 2026-11-29. Cached tokens are told of since its commit decaf50 (2026-08-13); the use of
// the cache was told of by earlier servers, and is still asked for. What only the batches of
// the real server know, as how many slots are busy in one, is left out.
func figures(s engine.Stats, t totals) []byte {
	var b bytes.Buffer
	write := func(name, kind, help string, value any) {
		fmt.Fprintf(&b, "# HELP llamacpp:%s %s\n# TYPE llamacpp:%s %s\nllamacpp:%s %v\n", name, help, name, kind, name, value)
	}
	write("prompt_tokens_total", "counter", "Number of prompt tokens processed.", t.prompt)
	write("prompt_tokens_cached_total", "counter", "Number of prompt tokens reused from cache.", t.cached)
	write("prompt_seconds_total", "counter", "Prompt process time", t.prefill.Seconds())
	write("tokens_predicted_total", "counter", "Number of generation tokens processed.", t.predicted)
	write("tokens_predicted_seconds_total", "counter", "Predict process time", t.decode.Seconds())
	write("n_decode_total", "counter", "Total number of llama_decode() calls", s.Steps)
	write("n_tokens_max", "counter", "Largest observed n_tokens.", t.longest)
	write("spec_decode_num_draft_tokens_total", "counter", "Total draft tokens generated", s.Drafted)
	write("spec_decode_num_accepted_tokens_total", "counter", "Total draft tokens accepted by the target model", s.Accepted)
	write("prompt_tokens_seconds", "gauge", "Average prompt throughput in tokens/s.", rate(t.prompt, t.prefill))
	write("predicted_tokens_seconds", "gauge", "Average generation throughput in tokens/s.", rate(t.predicted, t.decode))
	if s.BlocksTotal > 0 {
		write("kv_cache_usage_ratio", "gauge", "KV-cache usage. 1 means 100 percent usage.", float64(s.BlocksUsed)/float64(s.BlocksTotal))
	}
	write("requests_processing", "gauge", "Number of requests processing.", s.Running)
	write("requests_deferred", "gauge", "Number of requests deferred.", s.Waiting)
	return b.Bytes()
}

// rate returns tokens a second, 0 before there is any.
func rate(n int, took time.Duration) float64 {
	if took == 0 {
		return 0
	}
	return float64(n) / took.Seconds()
}
