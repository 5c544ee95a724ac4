package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// secret is a key with every letter that somebody escapes.
const secret = `sk-Proj/aB+cD=eF<gH>&"iJ'0123456789zz`

// spelled are the ways in which the key is looked for, and in which the server repeats it.
func spelled() map[string]string {
	inJSON, err := json.Marshal(secret)
	if err != nil {
		panic(err)
	}
	return map[string]string{
		"as it is": secret, "in small letters": strings.ToLower(secret),
		"escaped for a query": url.QueryEscape(secret), "escaped for a path": url.PathEscape(secret),
		"escaped as JSON": string(inJSON[1 : len(inJSON)-1]), "escaped as others' JSON": strings.NewReplacer(`"`, `\"`, "/", `\/`).Replace(secret),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 of the header": base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)),
		"its second half":      secret[len(secret)/2:],
	}
}

// repeated is every spelling of the key in one text, and as a JSON string.
func repeated() (text, inJSON string) {
	for _, name := range sortedNames(spelled()) {
		text += name + " " + spelled()[name] + " . "
	}
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return text, string(b)
}

// An indiscreetServer repeats the key that it was asked with, in a way that the first part of
// the path names.
type indiscreetServer struct{ repeats atomic.Int64 }

var indiscretions = []string{"answer", "refusal", "event", "limit", "redirect", "page", "cut", "names", "packed"}

func (s *indiscreetServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(fmt.Sprint(r.Header), secret) {
		http.Error(w, "no key", http.StatusTeapot)
		return
	}
	s.repeats.Add(1)
	text, inJSON := repeated()
	how := strings.Split(r.URL.Path, "/")[1]
	for _, name := range []string{"Server", "Via", "X-Request-Id", "X-Ratelimit-Limit-Requests", "Set-Cookie"} {
		w.Header().Set(name, secret+" "+spelled()["base64"])
	}
	if r.Method == http.MethodGet {
		names := `[{"id":"m"}]`
		if how == "names" {
			inJSON = spelled()["escaped as JSON"]
			names = `[{"id":"` + inJSON + `"},{"id":"n"}]`
		}
		fmt.Fprintf(w, `{"object":"list","data":%s}`, names)
		return
	}
	s.answer(w, how, text, inJSON)
}

func (s *indiscreetServer) answer(w http.ResponseWriter, how, text, inJSON string) {
	say := func(content string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":` + content + `}}]}` + "\n\n"
	}
	switch how {
	case "refusal":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":%s,"code":%s}}`, inJSON, inJSON, inJSON)
	case "limit":
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, `{"error":{"message":%s}}`, inJSON)
	case "redirect":
		w.Header().Set("Location", "http://127.0.0.1:9/"+url.PathEscape(secret)+"?key="+url.QueryEscape(secret))
		w.WriteHeader(http.StatusFound)
	case "page":
		w.Header().Set("Content-Type", "text/html; charset="+secret)
		io.WriteString(w, "<p>"+text)
	case "event":
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, say(`"a"`)+"data: {\"error\":{\"message\":"+inJSON+",\"code\":"+inJSON+"}}\n\n")
	case "packed":
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, say(inJSON)+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		z.Close()
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, say(`"`+secret[:9]+`"`)+say(`"`+secret[9:14]+`"`)) // in pieces
		io.WriteString(w, ": "+text+"\n\nevent: "+text+"\n"+say(inJSON))
		w.(http.Flusher).Flush()
		time.Sleep(2 * time.Millisecond)
		if how == "cut" {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, say(`" end"`)+`data: {"id":`+inJSON+`,"choices":[{"index":0,"delta":{},"finish_reason":`+inJSON+"}]}\n\n"+
			`data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":2}}`+"\n\ndata: [DONE]\n\n")
	}
}

// teller runs the program, with the key in its environment, and keeps all that it prints.
type teller struct {
	t   *testing.T
	dir string
}

func (c *teller) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Dir = "halfsecond", c.dir
	cmd.Env = append(os.Environ(), "SECRET_KEY="+secret, "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// tell runs a command to its end, however it goes unless it is used wrongly, and looks at
// what it printed. Runs that failed may not be comparable.
func (c *teller) tell(args ...string) string {
	cmd, out := c.command(args...)
	err := cmd.Run()
	unfit := args[0] == "compare" || args[0] == "doctor" && strings.Contains(args[1], "/names/") // of which none is named
	if code := cmd.ProcessState.ExitCode(); code < 0 || code > 3 || code == exitUsage && !unfit || out.Len() == 0 {
		c.t.Errorf("%v: %v, exit code %d, printed %.500q", args, err, code, out)
	}
	c.look(fmt.Sprint(args), out.Bytes())
	return out.String()
}

// serving runs a command that serves, has it asked, and ends it.
func (c *teller) serving(ask func(url string), args ...string) {
	cmd, out := c.command(args...)
	announced := make(chan string, 1)
	pipe := &announcement{to: out, url: announced}
	cmd.Stdout, cmd.Stderr = pipe, pipe
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	select {
	case at := <-announced:
		ask(at)
	case <-time.After(time.Minute):
		c.t.Errorf("%v: nothing is served", args)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // one that has ended already says so in Wait
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("%v: %v\n%s", args, err, out)
	}
	c.look(fmt.Sprint(args), out.Bytes())
}

// announcement finds the URL in what a server prints at its start.
type announcement struct {
	to  *bytes.Buffer
	url chan string
}

func (a *announcement) Write(p []byte) (int, error) {
	a.to.Write(p)
	if _, after, ok := strings.Cut(a.to.String(), " at http://"); ok && strings.Contains(after, "Ctrl-C") && cap(a.url) > len(a.url) {
		host, _, _ := strings.Cut(after, ":")
		port := strings.TrimPrefix(after, host+":")
		port = port[:strings.IndexFunc(port, func(r rune) bool { return r < '0' || r > '9' })]
		a.url <- "http://" + host + ":" + port
	}
	return len(p), nil
}

// look reports where the key is in bytes.
func (c *teller) look(where string, b []byte) {
	for _, name := range holding(b) {
		at := bytes.Index(b, []byte(spelled()[name]))
		c.t.Errorf("%s holds the key %s: %.300q", where, name, b[max(0, at-80):])
	}
}

// holding names the spellings of the key in bytes.
func holding(b []byte) (names []string) {
	for name, form := range spelled() {
		if bytes.Contains(b, []byte(form)) {
			names = append(names, name)
		}
	}
	return names
}

// lookAtFiles finds the key in all files, unpacked, and their names. It returns how many
// bytes there were.
func (c *teller) lookAtFiles() (n int) {
	err := filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				return err
			}
			if b, err = io.ReadAll(z); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		n += len(b)
		c.look(name, append([]byte(name+"\n"), b...))
		return c.lookAtBodies(name, b)
	})
	if err != nil {
		c.t.Error(err)
	}
	return n
}

// lookAtBodies finds the key in the packed bodies of a file of exchanges.
func (c *teller) lookAtBodies(name string, b []byte) error {
	for line := range bytes.Lines(b) {
		var x struct {
			Body []byte `json:"body_base64"`
		}
		if !strings.HasSuffix(name, ".gz") || json.Unmarshal(line, &x) != nil || len(x.Body) == 0 {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(x.Body))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.look(name+", unpacked", text)
	}
	return nil
}

const plainScenario = `halfsecond: 1
kind: bench
name: asking
arrivals: {process: constant, every: 5ms}
bench: {prompt_tokens: 20, output_tokens: 4, llm: {ttft: 20ms, tokens_per_second: 200}}
budgets: [p50(ttft) < 10s]
run: {n: 6}
endpoints: {llm: {url: "http://127.0.0.1:9/v1", model: m, key_env: SECRET_KEY}}
`

const gridScenario = `halfsecond: 1
kind: grid
name: cells
arrivals: {process: closed, users: 1}
grid: {models: [TinyLlama-1.1B], prompts: [16, 32], output_tokens: 32, hardware: H100-SXM}
run: {n: 2}
endpoints: {llm: {url: "http://127.0.0.1:9/v1", key_env: SECRET_KEY}}
`

// A key that the environment names is in nothing that any command prints or keeps, however
// a server repeats it: in headers, errors, events, texts and names; as it is, escaped, or
// in base64.
func TestKeysAreNowhere(t *testing.T) {
	indiscreet := &indiscreetServer{}
	server := httptest.NewServer(indiscreet)
	t.Cleanup(server.Close)
	for _, how := range indiscretions {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := newTeller(t)
			at := server.URL + "/" + how + "/v1"
			run := []string{"run", "plain.yaml", "--no-self-test", "--endpoint", "llm=" + at}
			formats, tables := []string{"table"}, []string{"table"} // of those that say the least in other ways
			if how == "answer" || how == "refusal" || how == "event" {
				formats, tables = []string{"table", "json", "markdown", "junit"}, []string{"table", "json", "csv"}
			}
			for _, format := range formats {
				c.tell(append(run, "--format", format, "--out", "run-"+format)...)
				c.tell("report", "run-"+format, "--format", format)
				c.tell("compare", "run-table", "run-"+format, "--anyway", "--format", format)
			}
			c.tell("report", "run-table", "--format", "html")
			c.tell(append(run, "--hash-texts", "--out", "hashed")...)
			c.tell("compare", "--save", "baseline.json", "run-table")
			c.tell("compare", "baseline.json", "hashed")
			for _, format := range tables {
				c.tell("run", "grid.yaml", "--no-self-test", "--endpoint", "llm="+at, "--format", format, "--out", "grid-"+format)
				c.tell("sweep", "plain.yaml", "--no-self-test", "--endpoint", "llm="+at, "--rates", "500", "--n", "100", "--repeats", "1", "--format", format, "--out", "sweep-"+format)
			}
			for _, format := range []string{"table", "json"} {
				c.tell("doctor", at, "--key-env", "SECRET_KEY", "--format", format)
				c.tell("record", at, "--key-env", "SECRET_KEY", "--requests", "2", "--out", "asked-"+format+".gz", "--format", format)
			}
			c.tell("record", at, "--key-env", "SECRET_KEY", "--requests", "2", "--hash-texts", "--out", "asked-hashed.gz")
			c.tell("record", "run-table", "--out", "tape.gz")
			if how == "answer" {
				c.serving(func(at string) { c.look("an answer of replay", get(t, at+"/v1/models?key="+url.QueryEscape(secret))) },
					"replay", "tape.gz", "--addr", "127.0.0.1:0")
			}
			if n := c.lookAtFiles(); n < 2000 {
				t.Errorf("only %d bytes were kept: there was nothing to look at", n)
			}
		})
	}
	t.Cleanup(func() {
		if n := indiscreet.repeats.Load(); n < 100 {
			t.Errorf("the key was repeated %d times: this test tests nothing", n)
		}
	})
}

func newTeller(t *testing.T) *teller {
	c := &teller{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{"plain.yaml": plainScenario, "grid.yaml": gridScenario} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// The mock that asks for a key says nothing of it, nor of the ones that were tried.
func TestMockTellsNoKey(t *testing.T) {
	c := newTeller(t)
	c.serving(func(at string) {
		for _, key := range []string{secret, secret + "x"} {
			req, err := http.NewRequest(http.MethodPost, at+"/v1/chat/completions?key="+url.QueryEscape(secret), strings.NewReader("{"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+key)
			c.look("an answer of the mock", do(t, req))
			c.look("the mock's metrics", get(t, at+"/metrics"))
		}
	}, "mock", "plain.yaml", "--api-key-env", "SECRET_KEY", "--addr", "127.0.0.1:0")
	for _, args := range [][]string{{"init", "voice"}, {"catalog", "models"}, {"run", "plain.yaml", "--target", "endpoint", "--check"}, {"run", "--help"}} {
		c.tell(args...)
	}
}

// What looks for the key finds each spelling of it.
func TestKeysAreLookedFor(t *testing.T) {
	for name, form := range spelled() {
		if got := holding([]byte("a" + form + "b")); !slices.Contains(got, name) {
			t.Errorf("%s: found %q", name, got)
		}
	}
	if got := holding([]byte("sk-Proj")); len(got) > 0 {
		t.Errorf("its beginning is taken for %q", got)
	}
}

func get(t *testing.T, at string) []byte {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

// do returns what a server answers, headers included.
func do(t *testing.T, req *http.Request) []byte {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return append([]byte(fmt.Sprint(resp.Header, "\n")), body...)
}

func sortedNames(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
