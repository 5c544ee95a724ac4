package langserver

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// script is what a fake language server does. The zero script offers inline completion, is
// told of edits in full, and answers at once that there is none.
type script struct {
	Capabilities string // JSON; "" offers inline completion alone
	Hello        string // written before all else, such as a line of a log
	Delay        time.Duration
	Answers      []string // results for the requests, one after the other, the last again; "" for none at all
	Errors       map[int]int64
	// Cancels is what becomes of a request that is cancelled: "" answers it all the same when
	// it is due, "honour" as cancelled at once, "empty" at once with null, "never" not at all.
	Cancels  string
	Register time.Duration // registers inline completion so long after it began; 0 does not
	Say      string        // a frame of this text after the first request
	Twice    bool          // answers twice
	Deaf     bool          // reads nothing after it has begun
	Dies     string        // after the first request, with these last words
	Child    string        // starts another process that holds its output open, and writes its number to this file
	Stays    bool          // does not end when it is told to
}

// fake is a language server.
type fake struct {
	script
	in  io.Reader
	out io.Writer

	mu        sync.Mutex // guards what follows
	work      sync.WaitGroup
	texts     map[string]string
	versions  map[string]int
	encoding  lsp.Encoding
	log       []string // methods that came
	asked     []lsp.InlineParams
	answered  map[string]bool
	answers   []json.RawMessage // of the client
	stop      chan struct{}
	naiveText func(text string, c lsp.ContentChange) string
}

func newFake(s script, in io.Reader, out io.Writer) *fake {
	return &fake{script: s, in: in, out: out, texts: map[string]string{}, versions: map[string]int{}, answered: map[string]bool{}, stop: make(chan struct{})}
}

// serve runs until the client leaves.
func (f *fake) serve() {
	defer f.work.Wait()
	defer close(f.stop)
	_, _ = io.WriteString(f.out, f.Hello)
	r := jsonrpc.NewReader(f.in, jsonrpc.Limits{})
	for {
		text, err := r.Next()
		if err != nil {
			return
		}
		m, err := jsonrpc.Decode(text)
		if err != nil {
			panic(err)
		}
		if !f.take(m) {
			return
		}
	}
}

func (f *fake) write(m jsonrpc.Message) {
	frame, err := m.Append(nil)
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.Write(frame) // a client that has left reads no more
}

// take reports false when the server ends.
func (f *fake) take(m jsonrpc.Message) bool {
	f.mu.Lock()
	f.log = append(f.log, m.Method)
	f.mu.Unlock()
	switch m.Method {
	case lsp.Initialize:
		result := f.Capabilities
		if result == "" {
			result = `{"inlineCompletionProvider":true}`
		}
		f.write(jsonrpc.Message{ID: m.ID, Result: json.RawMessage(`{"capabilities":` + result + `}`)})
	case lsp.Initialized:
		return f.begun()
	case lsp.Shutdown:
		if !f.Stays {
			f.write(jsonrpc.Message{ID: m.ID, Result: json.RawMessage("null")})
		}
	case lsp.Exit:
		return f.Stays
	case lsp.DidOpen, lsp.DidChange, lsp.DidClose:
		f.edit(m)
	case lsp.CancelRequest:
		f.cancelled(m)
	case lsp.InlineCompletion:
		return f.complete(m)
	case "":
		f.mu.Lock()
		f.answers = append(f.answers, append(m.Result, func() []byte { b, _ := json.Marshal(m.Error); return b }()...))
		f.mu.Unlock()
	}
	return true
}

func (f *fake) begun() bool {
	if f.Register > 0 {
		f.after(f.Register, func() {
			m, _ := jsonrpc.NewRequest(jsonrpc.TextID("reg"), lsp.Register, lsp.RegisterParams{Registrations: []lsp.Registration{{ID: "1", Method: lsp.InlineCompletion}}})
			f.write(m)
		})
	}
	if f.Child != "" {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleEnv+`={"Stays":true}`)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		must(child.Start())
		must(os.WriteFile(f.Child, []byte(strconv.Itoa(child.Process.Pid)), 0o600))
	}
	if f.Deaf {
		time.Sleep(2 * time.Hour)
	}
	return !f.Deaf
}

// after does something later, unless the server has ended.
func (f *fake) after(d time.Duration, do func()) {
	f.work.Go(func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			do()
		case <-f.stop:
		}
	})
}

// edit keeps the text as a naive server would.
func (f *fake) edit(m jsonrpc.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Method {
	case lsp.DidOpen:
		var p lsp.OpenParams
		must(json.Unmarshal(m.Params, &p))
		f.texts[p.Document.URI], f.versions[p.Document.URI] = p.Document.Text, p.Document.Version
	case lsp.DidClose:
		var p lsp.CloseParams
		must(json.Unmarshal(m.Params, &p))
		delete(f.texts, p.Document.URI)
	default:
		var p lsp.ChangeParams
		must(json.Unmarshal(m.Params, &p))
		for _, c := range p.Changes {
			f.texts[p.Document.URI] = f.changed(f.texts[p.Document.URI], c)
		}
		f.versions[p.Document.URI] = p.Document.Version
	}
}

func (f *fake) changed(text string, c lsp.ContentChange) string {
	if c.Range == nil {
		return c.Text
	}
	return f.naiveText(text, c)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (f *fake) complete(m jsonrpc.Message) bool {
	var p lsp.InlineParams
	must(json.Unmarshal(m.Params, &p))
	f.mu.Lock()
	n := len(f.asked)
	f.asked = append(f.asked, p)
	f.mu.Unlock()
	if f.Say != "" && n == 0 {
		f.mu.Lock()
		_, _ = f.out.Write(jsonrpc.AppendFrame(nil, []byte(f.Say)))
		f.mu.Unlock()
	}
	if f.Dies != "" {
		os.Stderr.WriteString(f.Dies)
		return false
	}
	f.after(f.Delay, func() { f.reply(m.ID, f.result(n)) })
	return true
}

// result is what the request with that number is answered.
func (f *fake) result(n int) jsonrpc.Message {
	if code, ok := f.Errors[n]; ok {
		return jsonrpc.NewFailure(jsonrpc.ID{}, code, "the server's words")
	}
	if len(f.Answers) == 0 {
		return jsonrpc.Message{Result: json.RawMessage("null")}
	}
	return jsonrpc.Message{Result: json.RawMessage(f.Answers[min(n, len(f.Answers)-1)])}
}

// reply answers a request, once unless the script has it otherwise.
func (f *fake) reply(id jsonrpc.ID, m jsonrpc.Message) {
	m.ID = id
	f.mu.Lock()
	was := f.answered[id.String()]
	f.answered[id.String()] = true
	f.mu.Unlock()
	if was || m.Error == nil && len(m.Result) == 0 {
		return
	}
	f.write(m)
	if f.Twice {
		f.write(m)
	}
}

func (f *fake) cancelled(m jsonrpc.Message) {
	var p struct{ ID int64 }
	must(json.Unmarshal(m.Params, &p))
	id := jsonrpc.NumberID(p.ID)
	switch f.Cancels {
	case "honour":
		f.reply(id, jsonrpc.NewFailure(id, jsonrpc.RequestCancelled, "cancelled"))
	case "empty":
		f.reply(id, jsonrpc.Message{Result: json.RawMessage("null")})
	case "never":
		f.mu.Lock()
		f.answered[id.String()] = true
		f.mu.Unlock()
	}
}

// seen returns the methods that came, but for those of the beginning; the caller holds the
// lock.
func (f *fake) seen() string {
	return strings.TrimPrefix(strings.Join(f.log, " "), "initialize initialized ")
}

// roleEnv makes the test binary a fake language server with this script.
const roleEnv = "HALFSECOND_TEST_LANGSERVER"

func playRole() {
	if text := os.Getenv(roleEnv); text != "" {
		var s script
		must(json.Unmarshal([]byte(text), &s))
		f := newFake(s, os.Stdin, os.Stdout)
		f.serve()
		if s.Stays {
			select {}
		}
		if s.Dies != "" {
			os.Exit(3)
		}
		os.Exit(0)
	}
}
