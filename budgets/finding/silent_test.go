package finding

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe"
)

// TestSilent has, for each thing that can be found, a server that nearly has it, and of
// which nothing is said.
func TestSilent(t *testing.T) {
	for _, c := range []struct {
		name   string
		server http.Handler
	}{
		{"held_whole: 7 chunks", &script{body: always(begin, strings.Join(texts(good(7)), ""))}},
		{"held_whole: all of it within a millisecond", &script{body: always(time.Millisecond, strings.Join(texts(good(40)), ""))}},
		{"held_whole: a fast engine", &script{body: always(begin, role, fast(60), stop, usage(200, 0, 60, 0), done)}},
		{"held_buffer: a kilobyte in one delivery of many", &script{body: always(begin, role, chunks(20), delta(strings.Repeat("w", 1024-58)), gap, chunks(19), stop, usage(200, 0, 40, 0), done)}},
		{"clumps: 90 ms apart, one chunk each", &script{body: always(begin, role, delta(" word"), every(90*time.Millisecond, 39), stop, usage(200, 0, 40, 0), done)}},
		{"bursts: a pair now and then", &script{body: always(begin, role, chunks(18), delta(" word"), gap, chunks(18), delta(" word"), stop, usage(200, 0, 38, 0), done)}},
		{"gzip_held: it flushes", &script{flushed: true, body: always(good(40))}},
		{"tokens_exceed_chunks: 1.4 a chunk", &script{body: always(begin, role, chunks(20), stop, usage(200, 0, 28, 0), done)}},
		{"stall: 900 ms", &script{body: always(begin, role, chunks(20), 900*time.Millisecond, chunks(20), stop, usage(200, 0, 40, 0), done)}},
		{"first_byte: 19 ms", &script{body: always(begin, role, 19*time.Millisecond, chunks(20), stop, usage(200, 0, 20, 0), done)}},
		{"reasoning: for 40 ms", &script{body: always(6*begin, role, thoughts(2), chunks(20), stop, usage(200, 0, 22, 2), done)}},
		{"cold_start: twice as slow", &script{body: first(8*begin, 4*begin)}},
		{"cold_start: three times, by 200 ms", &script{body: first(3*begin, begin)}},
		{"outside_server: 90 ms", &script{body: always(begin+90*time.Millisecond, role, chunks(20), stop,
			`data: {"choices":[],"timings":{"prompt_n":200,"prompt_ms":100,"predicted_n":20,"predicted_ms":380}}`+"\n\n", done)}},
		{"prefix_cache: a fifth faster", &script{body: cached(0, begin+25*time.Millisecond)}},
		{"connection_closed: kept", &script{header: map[string]string{"Keep-Alive": "timeout=5"}, body: always(good(20))}},
		{"rate_limit_near: a third is left", &script{header: map[string]string{"X-Ratelimit-Limit-Requests": "60", "X-Ratelimit-Remaining-Requests": "20"}, body: always(good(20))}},
		{"ignores_limit: 60 asked, 83 came", &script{body: always(good(83))}},
		{"invalid_json: by a name of its own", &script{body: always(good(20)[:3], "event: ping\ndata: hello\n\n", good(20)[3:])}},
		{"invalid_json: by a name of its own, in Latin 1", &script{body: always(good(20)[:3], "event: ping\ndata: caf\xe9\n\n", good(20)[3:])}},
		{"impossible_count: reasoning beside the answer", &script{body: always(begin, role, chunks(20), stop, odd(`"prompt_tokens":200,"completion_tokens":2,"total_tokens":207,"completion_tokens_details":{"reasoning_tokens":5}`), done)}},
		{"empty: a few blanks first", &script{body: always(begin, role, delta("\n"), chunks(20), stop, usage(200, 0, 21, 0), done)}},
		{"body_goes_on: it ends 40 ms late, with a line break", &script{body: always(good(20), 40*time.Millisecond, "\n")}},
		{"impossible_count: a long prompt of the server's own", &script{body: always(begin, role, chunks(20), stop, usage(60_000, 60_000, 20, 0), done)}},
		{"compressed: an identity", &script{header: map[string]string{"Content-Encoding": "identity"}, body: always(good(20))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, found := examine(t, c.server, nil); len(found) > 0 {
				t.Errorf("found\n%s", render(found))
			}
		})
	}
}

// TestUntold: what the requests cannot tell is said, and nothing where they can.
func TestUntold(t *testing.T) {
	full, _ := examine(t, &script{body: always(good(40))}, nil)
	if got := Untold(full); got != nil {
		t.Errorf("of all four requests nothing is told of %q", got)
	}
	one, _ := examine(t, &script{body: always(good(5))}, func(c *probe.Config) { c.Requests = 1 })
	want := "whether the stream is held back, since no answer has enough chunks, or they differ; whether the server was cold, since there is no second new prompt; " +
		"whether prompts are cached, since none was answered twice; what clients get that accept gzip; whether the connection is kept"
	if got := strings.Join(Untold(one), "; "); got != want {
		t.Errorf("of one request of 5 chunks nothing is told of\n%s\nwant\n%s", got, want)
	}
	refused, _ := examine(t, status(http.StatusForbidden, "no"), named)
	if got := Untold(refused); got != nil {
		t.Errorf("of a refusal nothing is told of %q", got)
	}
}

// TestInterrupted: what was seen until the user had enough is told: that the stream comes in
// clumps, and what cannot be said yet.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name   string
		server http.Handler
		while  time.Duration
		want   string
		untold string // begins so
	}{
		{"in clumps", endless{role, 300 * time.Millisecond, strings.Repeat(delta(" word"), 4)}, 3 * time.Second, "clumps", "tokens, finish reason and end event"},
		{"without end", endless{role, 20 * time.Millisecond, delta(" a longer word")}, 9010 * time.Millisecond, "ignores_limit", "tokens, finish reason and end event"},
		{"between two", &script{body: always(good(40))}, 1500 * time.Millisecond, "", "whether prompts are cached"},
		{"before the first byte", &script{body: always(9*begin, good(40))}, 500 * time.Millisecond, "", "tokens, finish reason"},
		{"while the list is asked for", &listing{list: func(_ http.ResponseWriter, r *http.Request) { wait(r, time.Minute) }}, time.Second, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, found := examineFor(t, c.server, c.while, nil)
			if got := ids(found); got != c.want || e.Stopped != "interrupted" {
				t.Errorf("found %q, stopped %q; want %q\n%s", got, e.Stopped, c.want, render(found))
			}
			if got := strings.Join(Untold(e), "; "); !strings.HasPrefix(got, c.untold) || (got == "") != (c.untold == "") {
				t.Errorf("nothing is told of %q, want it to begin with %q", got, c.untold)
			}
		})
	}
}

// TestLoads: a model that is loaded for the first request is told by the server's own times,
// also where prompts take so long that the wait is no multiple of others; not a quick look.
func TestLoads(t *testing.T) {
	for _, c := range []struct {
		load     time.Duration // of the first
		requests int
		want     string
	}{
		{2 * time.Second, 4, "cold_start"}, {2 * time.Second, 1, "cold_start"}, {90 * time.Millisecond, 4, ""},
	} {
		_, found := examine(t, &ollama{load: c.load}, func(p *probe.Config) { p.Endpoint.Protocol, p.Requests = dialect.OllamaChat, c.requests })
		if got := ids(found); got != c.want {
			t.Errorf("%s of loading, %d requests: found %q, want %q\n%s", c.load, c.requests, got, c.want, render(found))
		}
		if c.requests == 4 && c.want != "" {
			golden(t, "cold-loads", render(found))
		}
	}
}

// ollama is a server of Ollama's API whose prompts take 3 s, and which loads its model for
// the first.
type ollama struct {
	load time.Duration
	n    int
}

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"models":[{"name":"m"}]}`)
		return
	}
	load := o.load
	if o.n++; o.n > 1 {
		load = 20 * time.Millisecond
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	const prefill = 3 * time.Second
	if !wait(r, load+prefill) {
		return
	}
	for range 20 {
		_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":" word"},"done":false}`+"\n")
		w.(http.Flusher).Flush()
		if !wait(r, gap) {
			return
		}
	}
	_, _ = fmt.Fprintf(w, `{"model":"m","done":true,"done_reason":"length","load_duration":%d,"prompt_eval_count":500,"prompt_eval_duration":%d,"eval_count":20,"eval_duration":%d}`+"\n", load, prefill, 20*gap)
}

// first answers the first request after one while and all others after another.
func first(one, others time.Duration) func(int, *http.Request) []any {
	return func(n int, _ *http.Request) []any {
		if n > 1 {
			one = others
		}
		return join(one, role, chunks(20), stop, usage(200, 0, 20, 0), done)
	}
}

// every has n deltas so far apart.
func every(apart time.Duration, n int) (p []any) {
	for range n {
		p = append(p, apart, delta(" word"))
	}
	return p
}

// blanks are n deltas of white space, one a gap.
func blanks(n int) (p []any) {
	for range n {
		p = append(p, gap, delta("   \n"))
	}
	return p
}

// fast has n deltas a millisecond apart.
func fast(n int) []any { return every(time.Millisecond, n) }
