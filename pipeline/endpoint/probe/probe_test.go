package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// server notes what it is asked and answers by path.
type server struct {
	answers map[string]func(http.ResponseWriter, *http.Request) // by method and path

	mu    sync.Mutex // guards asked
	asked []string
	texts []string // prompts
	codes []string // Accept-Encoding of completions
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	if len(body) > 2 {
		s.texts = append(s.texts, prompt(body))
		s.codes = append(s.codes, r.Header.Get("Accept-Encoding"))
	}
	s.mu.Unlock()
	answer, ok := s.answers[r.Method+" "+r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// prompt returns the text of a chat's only message.
func prompt(body []byte) string {
	var q struct{ Messages []struct{ Content string } }
	if json.Unmarshal(body, &q) != nil || len(q.Messages) == 0 {
		return ""
	}
	return q.Messages[0].Content
}

func text(status int, media, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// chat answers with some words, 100 ms apart, and refuses an empty object.
func chat(w http.ResponseWriter, r *http.Request) {
	if body, _ := io.ReadAll(r.Body); len(body) <= 2 {
		text(400, "application/json", `{"error":{"message":"no messages"}}`)(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range []string{
		": hello\n\n", `data: {"choices":[],"prompt_filter_results":[]}` + "\n\n", `data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{"content":"\n"}}]}` + "\n\n", `data: {"choices":[{"index":0,"delta":{"content":"Good"}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		`data: {"choices":[],"usage":{"prompt_tokens":300,"completion_tokens":2}}` + "\n\n", "data: [DONE]\n\n",
	} {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-time.After(100 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
}

const oneModel = `{"object":"list","data":[{"id":"m","object":"model"}]}`

func openAI() *server {
	return &server{answers: map[string]func(http.ResponseWriter, *http.Request){
		"GET /v1/models": text(200, "application/json", oneModel), "POST /v1/chat/completions": chat,
	}}
}

// run probes a server in a bubble.
func run(t *testing.T, s *server, change func(ctx context.Context, c *Config) context.Context) (e *seen.Endpoint, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := memnet.Listen()
		var group sync.WaitGroup
		web := &http.Server{Handler: s}
		group.Go(func() { _ = web.Serve(ln) }) // ends with Close
		c := Config{Endpoint: endpoint.Config{URL: "http://llm.test", DialContext: ln.DialContext}, Requests: 4, Answer: 60, Salt: 7}
		ctx := t.Context()
		if change != nil {
			ctx = change(ctx, &c)
		}
		e, err = Run(ctx, c)
		if err := web.Close(); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
	return e, err
}

func TestRun(t *testing.T) {
	s := openAI()
	e, err := run(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Protocol != dialect.OpenAIChat || e.ProtocolBy != seen.List || e.Model != "m" || e.ModelBy != seen.Only || e.Stopped != "" || len(e.Requests) != 4 {
		t.Errorf("%+v", e)
	}
	want := []string{
		"GET /v1/models", "POST /v1/chat/completions", "POST /v1/chat/completions",
		"POST /v1/chat/completions", "POST /v1/chat/completions", "POST /v1/chat/completions",
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked %q, want %q", s.asked, want)
	}
	if want := []string{"identity", "identity", "identity", "gzip"}; !slices.Equal(s.codes, want) {
		t.Errorf("content codings %q, want %q", s.codes, want)
	}
	p := s.texts
	if p[1] != p[2] || p[0][:16] == p[1][:16] || p[1][:16] == p[3][:16] || p[0][:16] == p[3][:16] {
		t.Errorf("prompts begin %.16q, %.16q, %.16q, %.16q: want the second and the third alike, the others not", p[0], p[1], p[2], p[3])
	}
	var prompts []string
	for i := range e.Requests {
		prompts = append(prompts, fmt.Sprint(e.Requests[i].Prompt, e.Requests[i].Gzip))
	}
	if want := []string{"freshfalse", "freshfalse", "againfalse", "freshtrue"}; !slices.Equal(prompts, want) {
		t.Errorf("prompts %q, want %q", prompts, want)
	}
}

func TestEvents(t *testing.T) {
	e, err := run(t, openAI(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &e.Requests[0]
	var got []string
	for _, v := range r.Events {
		got = append(got, fmt.Sprintf("%s %s %d %q", r.Since(v.At), v.Kind, v.Bytes, v.Text))
	}
	want := []string{
		`0s comment 5 ": hello"`, `100ms filter 41 "{\"choices\":[],\"prompt_filter_results\":[]}"`, `200ms role 54 "assistant"`,
		`300ms space 50 "\n"`, `400ms text 52 "Good"`, `500ms finish 59 "stop"`,
		`600ms usage 66 "{\"choices\":[],\"usage\":{\"prompt_tokens\":300,\"completion_token..."`, `700ms end 6 "[DONE]"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rec := r.Record
	if b, o, v := r.Since(rec.FirstByte), r.Since(rec.FirstOutput), r.Since(rec.FirstSeen); b != 0 || o != 300*time.Millisecond || v != 400*time.Millisecond {
		t.Errorf("first byte %s, output %s, character %s; want 0, 300 ms, 400 ms", b, o, v)
	}
}

func TestFind(t *testing.T) {
	refuse := text(400, "application/json", `{"error":"no"}`)
	anthropicList := text(200, "application/json", `{"data":[{"type":"model","id":"claude","display_name":"C"}],"has_more":false}`)
	for _, c := range []struct {
		name, url string
		answers   map[string]func(http.ResponseWriter, *http.Request)
		want      string // protocol, how, model, how
	}{
		{"completions only", "", map[string]func(http.ResponseWriter, *http.Request){"GET /v1/models": text(200, "application/json", oneModel), "POST /v1/completions": refuse}, "openai-completions answer m only"},
		{"Anthropic", "", map[string]func(http.ResponseWriter, *http.Request){"GET /v1/models": anthropicList, "POST /v1/messages": refuse}, "anthropic-messages list claude only"},
		{"Ollama", "", map[string]func(http.ResponseWriter, *http.Request){"GET /api/tags": text(200, "application/json", `{"models":[{"name":"q:1b"}]}`), "POST /api/chat": refuse}, "ollama-chat list q:1b only"},
		{"Gemini", "", map[string]func(http.ResponseWriter, *http.Request){"GET /v1beta/models": text(200, "application/json", `{"models":[{"name":"models/g"}]}`), "POST /v1beta/models/unknown:streamGenerateContent": refuse}, "gemini list g only"},
		{"no list", "", map[string]func(http.ResponseWriter, *http.Request){"POST /infill": refuse, "GET /v1/models": text(500, "text/plain", "no")}, "llamacpp-infill answer  "},
		{"a path", "/v1/completions", map[string]func(http.ResponseWriter, *http.Request){"GET /v1/models": text(200, "application/json", oneModel)}, "openai-completions path m only"},
		{"Gemini's path", "/v1beta/models/g:streamGenerateContent", nil, "gemini path g told"},
		{"nothing", "", nil, "openai-chat assumed  "},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := run(t, &server{answers: c.answers}, func(ctx context.Context, p *Config) context.Context {
				p.Endpoint.URL += c.url
				return ctx
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(e.Protocol, " ", e.ProtocolBy, " ", e.Model, " ", e.ModelBy); got != c.want {
				t.Errorf("found %q, want %q; asked %+v", got, c.want, e.Looks)
			}
		})
	}
}

// TestUserMustName: what only the user can know is asked for, in words.
func TestUserMustName(t *testing.T) {
	for _, c := range []struct {
		name, list, want string
	}{
		{"several", `{"object":"list","data":[{"id":"b"},{"id":"a"}]}`, "the endpoint has several models; name one with --model: a, b"},
		{"none", `{"object":"list","data":[]}`, "the endpoint lists no model; name one with --model"},
	} {
		s := openAI()
		s.answers["GET /v1/models"] = text(200, "application/json", c.list)
		_, err := run(t, s, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if len(s.texts) > 0 {
			t.Errorf("%s: %d prompts were sent", c.name, len(s.texts))
		}
	}
}

// TestEmptyObjectAnswered: a server that answers an empty object is left at once.
func TestEmptyObjectAnswered(t *testing.T) {
	left := make(chan time.Duration, 9)
	s := &server{answers: map[string]func(http.ResponseWriter, *http.Request){
		"POST /v1/chat/completions": func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			text(200, "text/event-stream", ": hello\n\n")(w, r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			left <- time.Since(began)
		},
	}}
	if _, err := run(t, s, func(ctx context.Context, c *Config) context.Context {
		c.Requests = 1
		return ctx
	}); err != nil && !strings.Contains(err.Error(), "name one with --model") {
		t.Fatal(err)
	}
	if got := <-left; got != 0 {
		t.Errorf("it was left after %s, want at once", got)
	}
}

func TestElsewhere(t *testing.T) {
	s := openAI()
	e, err := run(t, s, func(ctx context.Context, c *Config) context.Context {
		c.Endpoint.URL, c.Endpoint.Model, c.Endpoint.Protocol = "http://llm.test/api?x=secret", "m", dialect.OpenAIChat
		return ctx
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []dialect.Place{{URL: "http://llm.test/v1", Protocol: dialect.OpenAIChat}}; !slices.Equal(e.Elsewhere, want) || e.Stopped != seen.Refused {
		t.Errorf("elsewhere %v, stopped %q; want %v, %q", e.Elsewhere, e.Stopped, want, seen.Refused)
	}
	if len(s.texts) != 1 {
		t.Errorf("%d prompts were sent, want 1: what was refused ends it", len(s.texts))
	}
}

// TestCaps: the cap on tokens holds by what the server counts, and by the estimate until
// then.
func TestCaps(t *testing.T) {
	c := Config{Endpoint: endpoint.Config{URL: "http://llm.test"}, Requests: 4, Answer: 60}
	each := c.Estimate() / 4
	if err := (Config{Endpoint: c.Endpoint, Requests: 4, Answer: 60, Tokens: 4*each - 1}).Check(); err == nil || !strings.Contains(err.Error(), "more than the cap") {
		t.Errorf("error %v for a cap below the estimate", err)
	}
	s := openAI()
	s.answers["POST /v1/chat/completions"] = text(200, "text/event-stream",
		`data: {"choices":[{"index":0,"delta":{"content":"Good"},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"choices":[],"usage":{"prompt_tokens":1500,"completion_tokens":300}}`+"\n\ndata: [DONE]\n\n")
	e, err := run(t, s, func(ctx context.Context, p *Config) context.Context {
		p.Tokens = 4 * each
		return ctx
	})
	if err != nil || len(e.Requests) != 1 || e.Stopped != seen.Cap {
		t.Errorf("%d requests, stopped %q, error %v; want 1, %q", len(e.Requests), e.Stopped, err, seen.Cap)
	}
}

func TestInterrupted(t *testing.T) {
	s := openAI()
	e, err := run(t, s, func(ctx context.Context, _ *Config) context.Context {
		ctx, cancel := context.WithTimeout(ctx, 1150*time.Millisecond)
		context.AfterFunc(ctx, cancel)
		return ctx
	})
	if err != nil || len(e.Requests) != 2 || e.Stopped != seen.Interrupted || e.Requests[0].Record.Outcome.String() != "ok" || e.Requests[1].Record.Outcome.String() != "cancelled" {
		t.Errorf("%d requests, stopped %q, error %v: %+v", len(e.Requests), e.Stopped, err, e.Requests)
	}
}

func TestCheck(t *testing.T) {
	err := Config{Endpoint: endpoint.Config{URL: "ftp://x"}, Requests: 11, Tokens: -1}.Check()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"11 requests: want 1 to 10", "answers of 0 tokens: want 1 to 1000000", "cap of -1 tokens is negative", "begin with http:// or https://"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

// TestKeyStaysHidden: a server that says the key again does not make it show.
func TestKeyStaysHidden(t *testing.T) {
	const key = "sk-very-secret"
	s := openAI()
	s.answers["POST /v1/chat/completions"] = func(w http.ResponseWriter, r *http.Request) {
		text(401, "application/json", `{"error":{"message":"wrong `+r.Header.Get("Authorization")+`"}}`)(w, r)
	}
	e, err := run(t, s, func(ctx context.Context, c *Config) context.Context {
		c.Endpoint.Key = endpoint.NewKey(key)
		return ctx
	})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%+v", e)
	for i := range e.Requests {
		all += fmt.Sprintf("%+v %+v", e.Requests[i].Reply, e.Requests[i].Reply.Failure)
	}
	if !e.KeyGiven || strings.Contains(all, key) || !strings.Contains(all, "wrong Bearer **************") {
		t.Errorf("the key shows, or was not sent: %s", all)
	}
}

func TestPlan(t *testing.T) {
	if got := len(plan(MostRequests)); got != 10 {
		t.Errorf("%d requests, want 10", got)
	}
	for i, a := range plan(MostRequests) {
		if a.again && plan(MostRequests)[i-1].number != a.number {
			t.Errorf("request %d repeats another prompt than that before it", i+1)
		}
	}
}

// TestCountOfACutAnswer: an answer that was cut takes a token for each chunk at least, whatever was
// counted as it began.
func TestCountOfACutAnswer(t *testing.T) {
	p := &prober{}
	r := pipeline.NewRequest(1, 0)
	r.Sent, r.Transport.Status, r.Outcome, r.PromptTokens, r.OutputTokens, r.Chunks = 0, http.StatusOK, pipeline.Truncated, 10, 1, 40
	if p.count(&r); p.tokens != 50 {
		t.Errorf("%d tokens, want 50", p.tokens)
	}
}
