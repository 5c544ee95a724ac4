package text

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// stand is a service on a network in memory, with a client, inside a bubble.
type stand struct {
	t      *testing.T
	client *http.Client
	ids    map[string]string // of answers, as normal writes them
}

// slow is a model "m" with one slot: first token after 100 ms, the others every 10 ms,
// 1000 tokens of context.
func slow(l pipeline.Scheduler) engine.Engine {
	return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 1000})
}

// onStand runs a test against a service in a bubble. Models and the body's limit are
// filled in where the configuration leaves them out.
func onStand(t *testing.T, c Config, test func(s *stand)) {
	t.Helper()
	if c.Models == nil {
		c.Models = []Model{{Name: "m", Context: 1000, Build: slow}}
	}
	if c.MaxBody == 0 {
		c.MaxBody = 10_000
	}
	serve(t, c, func(r *front) { test(&stand{r.t, r.client, map[string]string{}}) })
}

// send makes a request; headers are pairs of name and value.
func (s *stand) send(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	q, err := http.NewRequestWithContext(s.t.Context(), method, "http://mock"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	answer, err := s.client.Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer
}

// whole returns the status of an answer, its normal body and the time it took.
func (s *stand) whole(method, path, body string, headers ...string) (status int, text string, took time.Duration) {
	s.t.Helper()
	from := time.Now()
	answer := s.send(method, path, body, headers...)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, s.normal(strings.TrimSuffix(string(b), "\n")), time.Since(from)
}

// stream returns the lines of a stream that are not empty, each with the time in ms at
// which it came.
func (s *stand) stream(path, body string) []string {
	s.t.Helper()
	from := time.Now()
	answer := s.send("POST", path, body)
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); got != eventStream {
		s.t.Errorf("content type %q", got)
	}
	var got []string
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() != "" {
			got = append(got, fmt.Sprintf("%d %s", time.Since(from)/ms, s.normal(lines.Text())))
		}
	}
	if err := lines.Err(); err != nil {
		s.t.Error(err)
	}
	return got
}

var anyID = regexp.MustCompile(`\b(chatcmpl-|(?:cmpl|resp|msg|rs|fc|call|toolu|req)[-_])[0-9a-z]{8,}`)

// normal numbers the ids in a text, each kind from 1.
func (s *stand) normal(text string) string {
	return anyID.ReplaceAllStringFunc(text, func(id string) string {
		if s.ids[id] == "" {
			kind := anyID.FindStringSubmatch(id)[1]
			n := 1
			for _, known := range s.ids {
				if strings.HasPrefix(known, kind) {
					n++
				}
			}
			s.ids[id] = fmt.Sprintf("%s%d", kind, n)
		}
		return s.ids[id]
	})
}

// checkLines compares lines; want may leave out what follows an ellipsis.
func checkLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "(none)", "(none)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		head, cut := strings.CutSuffix(w, "…")
		if g != w && !(cut && strings.HasPrefix(g, head)) {
			t.Errorf("%s, line %d\n got %s\nwant %s", what, i, g, w)
		}
	}
}
