package stand

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline"
)

// Fixed is a model with one slot: first token after 100 ms, the others every 10 ms.
func Fixed(name string, context int) serve.Model {
	return serve.Model{Name: name, Context: context, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1 << 20})
	}}
}

// Do sends a request; a method is POST where there is a body.
func (r *Stand) Do(path, body string) *http.Response {
	r.T.Helper()
	method := "GET"
	if body != "" {
		method = "POST"
	}
	q, err := http.NewRequestWithContext(r.T.Context(), method, "http://mock"+path, strings.NewReader(body))
	if err != nil {
		r.T.Fatal(err)
	}
	a, err := r.Client.Do(q)
	if err != nil {
		r.T.Fatal(err)
	}
	return a
}

// Lines returns the lines of an answer that are not empty, each with the ms since the
// request was sent.
func (r *Stand) Lines(path, body string) []string {
	r.T.Helper()
	from := time.Now()
	a := r.Do(path, body)
	defer a.Body.Close()
	var got []string
	for lines := bufio.NewScanner(a.Body); lines.Scan(); {
		if text := strings.TrimPrefix(lines.Text(), "data: "); text != "" {
			got = append(got, fmt.Sprintf("%d %s", time.Since(from)/ms, text))
		}
	}
	return got
}

// Answer returns an answer with its status and the ms it took.
func (r *Stand) Answer(path, body string) string {
	r.T.Helper()
	from := time.Now()
	a := r.Do(path, body)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		r.T.Error(err)
	}
	return fmt.Sprintf("%d %d %s", time.Since(from)/ms, a.StatusCode, strings.TrimSpace(string(text)))
}

// Decode is answer for an answer that is read into v.
func (r *Stand) Decode(path, body string, v any) {
	r.T.Helper()
	a := r.Do(path, body)
	defer a.Body.Close()
	if err := json.NewDecoder(a.Body).Decode(v); err != nil {
		r.T.Fatalf("%s with status %d: %v", path, a.StatusCode, err)
	}
}

// Same reports lists that differ.
func (r *Stand) Same(what string, got, want []string) {
	r.T.Helper()
	if g, w := strings.Join(got, "\n     "), strings.Join(want, "\n     "); g != w {
		r.T.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}
