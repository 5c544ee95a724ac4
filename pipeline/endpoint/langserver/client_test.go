package langserver

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/wire/lsp"
)

var _ pipeline.LLM = (*Client)(nil)

func TestMain(m *testing.M) {
	playRole()
	goleak.VerifyTestMain(m)
}

const ms = time.Millisecond

// pipes is a stream in memory.
type pipes struct {
	*io.PipeReader
	*io.PipeWriter
}

func (p pipes) Close() error {
	_ = p.PipeReader.Close()
	return p.PipeWriter.Close()
}

// rig is a client of a fake server on a loop.
type rig struct {
	*Client
	t    *testing.T
	loop *pipeline.Wall
	fake *fake
}

// meet runs f on the loop in a bubble, 1 s after the run begins.
func meet(t *testing.T, s script, change func(*Config), f func(r *rig)) Counts {
	t.Helper()
	var counts Counts
	synctest.Test(t, func(t *testing.T) {
		r, err := newRig(t, s, change)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r.loop.Reset()
		r.loop.At(time.Second, pipeline.RankInput, func() { f(r) })
		r.loop.At(time.Hour, pipeline.RankTimer, cancel)
		_ = r.loop.Run(ctx) // ends with its context
		cancel()
		r.Close()
		counts = r.Counts()
	})
	return counts
}

func newRig(t *testing.T, s script, change func(*Config)) (*rig, error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	r := &rig{t: t, loop: pipeline.NewWall(), fake: newFake(s, fromClient, toClient)}
	r.fake.naiveText = func(text string, c lsp.ContentChange) string {
		from, to := offset(t, text, c.Range.Start, r.fake.encoding), offset(t, text, c.Range.End, r.fake.encoding)
		return text[:from] + c.Text + text[to:]
	}
	r.fake.encoding = lsp.UTF16
	if strings.Contains(s.Capabilities, "utf-8") {
		r.fake.encoding = lsp.UTF8
	}
	var server sync.WaitGroup
	server.Go(func() {
		r.fake.serve()
		_ = toClient.Close()
		_ = fromClient.Close()
	})
	t.Cleanup(server.Wait)
	config := Config{Stream: pipes{fromServer, toServer}}
	if change != nil {
		change(&config)
	}
	var err error
	r.Client, err = New(t.Context(), config, r.loop)
	return r, err
}

// asked is a call and what its callbacks told.
type asked struct {
	pipeline.Call
	text   string
	landed time.Duration
	done   bool
}

// start starts a call of session 0.
func (r *rig) start() *asked {
	a := &asked{}
	a.Notify = func(p pipeline.Progress) { a.text, a.landed = a.text+p.Text, r.loop.Now() }
	a.Done = func() {
		if a.done {
			r.t.Error("Done was called twice")
		}
		a.done = true
	}
	a.Record = pipeline.NewRequest(1, r.loop.Now())
	r.Start(&a.Call)
	if a.done {
		r.t.Error("Done was called from inside Start")
	}
	return a
}

// after runs f later, while the server does nothing.
func (r *rig) after(d time.Duration, f func()) {
	r.loop.After(d, pipeline.RankInput, func() {
		r.fake.mu.Lock()
		defer r.fake.mu.Unlock()
		f()
	})
}

// told is what a call's record and callbacks say, in a line.
func (a *asked) told() string {
	r := &a.Record
	if !a.done {
		return "under way"
	}
	return fmt.Sprintf("%s sent %s first byte %s end %s text %q empty %t: %s", r.Outcome, at(r.Sent), at(r.FirstByte), at(r.End), a.text, r.Empty, r.Reason)
}

func at(d time.Duration) string {
	if d == pipeline.Unknown {
		return "never"
	}
	return d.String()
}

const incremental = `{"textDocumentSync":2,"inlineCompletionProvider":true}`

func TestCompletes(t *testing.T) {
	var a *asked
	counts := meet(t, script{Capabilities: incremental, Delay: 80 * ms, Answers: []string{`{"items":[{"insertText":"x = foo(1)","range":{"start":{"line":1,"character":0},"end":{"line":1,"character":7}}}]}`}}, nil, func(r *rig) {
		r.Open(0, "a.py", "python", "😀\nx = f)\n", 10)
		r.Apply(0, document.Edit{Offset: 10, Insert: "o", Cursor: 11})
		a = r.start()
		r.after(time.Second, func() {
			if got, want := r.fake.seen(), "textDocument/didOpen textDocument/didChange textDocument/inlineCompletion"; got != want {
				t.Errorf("the server saw %q, want %q", got, want)
			}
			if got, want := r.fake.texts["file:///halfsecond/session0/a.py"], "😀\nx = fo)\n"; got != want || r.fake.versions["file:///halfsecond/session0/a.py"] != 2 {
				t.Errorf("its texts are %q of versions %v, want %q of version 2", r.fake.texts, r.fake.versions, want)
			}
			if p := r.fake.asked[0]; p.Position != (lsp.Position{Line: 1, Character: 6}) || p.Context.TriggerKind != lsp.Automatic {
				t.Errorf("it was asked %+v", p)
			}
		})
	})
	if got, want := a.told(), `ok sent 1s first byte 1.08s end 1.08s text "o(1" empty false: `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if a.landed != 1080*ms || !a.Record.Whole() || a.Record.Simulated {
		t.Errorf("it landed at %s, whole %t, simulated %t", a.landed, a.Record.Whole(), a.Record.Simulated)
	}
	counts.Bytes = 0
	if want := (Counts{Requests: 1, Edits: 1}); counts != want {
		t.Errorf("counts %+v, want %+v", counts, want)
	}
}

// What a request that was given up is answered is counted, and shown to nobody.
func TestCancel(t *testing.T) {
	const items = `[{"insertText":"x"}]`
	for _, c := range []struct {
		name   string
		script script
		want   Counts
	}{
		{"honoured", script{Cancels: "honour"}, Counts{CancelledAnswers: 1}},
		{"answered with nothing", script{Cancels: "empty"}, Counts{EmptyAnswersToCancelled: 1}},
		{"ignored", script{}, Counts{LateAnswersToCancelled: 1}},
		{"ignored, and nothing found", script{Answers: []string{"null"}}, Counts{EmptyAnswersToCancelled: 1}},
		{"another error", script{Errors: map[int]int64{0: -32803}}, Counts{LateAnswersToCancelled: 1}},
		{"cancelled by the server", script{Errors: map[int]int64{0: -32802}}, Counts{CancelledAnswers: 1}},
		{"never answered", script{Cancels: "never"}, Counts{Unanswered: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.script.Delay = 80 * ms
			if c.script.Answers == nil {
				c.script.Answers = []string{items}
			}
			var a *asked
			counts := meet(t, c.script, nil, func(r *rig) {
				r.Open(0, "a.py", "python", "x", 1)
				a = r.start()
				r.after(30*ms, func() {
					r.Cancel(&a.Call)
					if a.done {
						t.Error("Done was called from inside Cancel")
					}
					r.Cancel(&a.Call)
				})
			})
			if got, want := a.told(), `cancelled sent 1s first byte never end 1.03s text "" empty false: cancelled by the asker`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			c.want.Requests, c.want.Cancels, counts.Bytes = 1, 1, 0
			if counts != c.want {
				t.Errorf("counts %+v, want %+v", counts, c.want)
			}
		})
	}
}

func TestEnds(t *testing.T) {
	const ok = `ok sent 1s first byte 1.01s end 1.01s text `
	failed := func(o, reason string) string {
		return o + ` sent 1s first byte 1.01s end 1.01s text "" empty false: ` + reason
	}
	for _, c := range []struct {
		name   string
		script script
		told   string
		want   Counts
	}{
		{"null", script{Answers: []string{"null"}}, ok + `"" empty true: `, Counts{}},
		{"no items", script{Answers: []string{`{"items":[]}`}}, ok + `"" empty true: `, Counts{}},
		{"not to be shown", script{Answers: []string{`[{"insertText":"y","range":{"start":{"line":5,"character":0},"end":{"line":5,"character":0}}}]`}}, ok + `"" empty true: `, Counts{Undisplayable: 1}},
		{"the second can be shown", script{Answers: []string{`[{"insertText":"y","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}},{"insertText":{"kind":"snippet","value":"y${1:z}"}}]`}}, ok + `"yz" empty false: `, Counts{}},
		{"modified", script{Errors: map[int]int64{0: -32801}}, failed("refused", "the document has changed (-32801): the server's words"), Counts{ContentModified: 1}},
		{"cancelled by the server", script{Errors: map[int]int64{0: -32802}}, failed("refused", "the server cancelled it (-32802): the server's words"), Counts{ServerCancelled: 1}},
		{"cancelled by nobody", script{Errors: map[int]int64{0: -32800}}, failed("refused", "the server cancelled it (-32800): the server's words"), Counts{Withdrawn: 1}},
		{"failed", script{Errors: map[int]int64{0: -32803}}, failed("error", "error -32803: the server's words"), Counts{Failed: 1}},
		{"no result that can be read", script{Answers: []string{`{"item":[]}`}}, failed("error", "the answer cannot be read: the result is an object without items"),
			Counts{ProtocolErrors: 1, ProtocolError: "the answer cannot be read: the result is an object without items"}},
		{"answered twice", script{Twice: true}, ok + `"" empty true: `, Counts{ProtocolErrors: 1, ProtocolError: "an answer to the request 2, of which there is none, or none any more"}},
		{"nonsense before it", script{Say: "{]"}, ok + `"" empty true: `, Counts{ProtocolErrors: 1, ProtocolError: `a message cannot be read: it is no JSON: invalid character ']' looking for beginning of object key string, at byte 2: "{]"`}},
		{"a batch before it", script{Say: "[]"}, ok + `"" empty true: `, Counts{ProtocolErrors: 1, ProtocolError: `a message cannot be read: it is a batch (a JSON array), want one message: the Language Server Protocol has no batches: "[]"`}},
		{"an answer to nothing", script{Say: `{"jsonrpc":"2.0","id":"x","result":1}`}, ok + `"" empty true: `, Counts{ProtocolErrors: 1, ProtocolError: `an answer to the request "x", of which there is none, or none any more`}},
		{"it could not read", script{Say: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`}, ok + `"" empty true: `, Counts{ProtocolErrors: 1, ProtocolError: "the server could not read a message: bad"}},
		{"a notification before it", script{Say: `{"jsonrpc":"2.0","method":"window/logMessage","params":{}}`}, ok + `"" empty true: `, Counts{}},
		{"it never answers", script{Answers: []string{""}}, `timeout sent 1s first byte never end 31s text "" empty false: no answer in 30s`, Counts{Unanswered: 1, Cancels: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.script.Delay = 10 * ms
			var a *asked
			counts := meet(t, c.script, nil, func(r *rig) {
				r.Open(0, "a.py", "python", "x", 1)
				a = r.start()
			})
			if got := a.told(); got != c.told {
				t.Errorf("%s, want %s", got, c.told)
			}
			c.want.Requests, counts.Bytes = 1, 0
			if counts != c.want {
				t.Errorf("counts %+v, want %+v", counts, c.want)
			}
		})
	}
}

// How a server is told of edits is its own choice.
func TestSync(t *testing.T) {
	for _, c := range []struct{ capabilities, want string }{
		{`{"textDocumentSync":2,"inlineCompletionProvider":{}}`, "textDocument/didOpen textDocument/didChange textDocument/didClose textDocument/didOpen textDocument/inlineCompletion"},
		{`{"textDocumentSync":1,"inlineCompletionProvider":true,"positionEncoding":"utf-8"}`, "textDocument/didOpen textDocument/didChange textDocument/didClose textDocument/didOpen textDocument/inlineCompletion"},
		{`{"textDocumentSync":{"openClose":true},"inlineCompletionProvider":true}`, "textDocument/didOpen textDocument/didClose textDocument/didOpen textDocument/inlineCompletion"},
		{`{"textDocumentSync":{"change":1},"inlineCompletionProvider":true}`, "textDocument/didChange textDocument/inlineCompletion"},
		{`{"inlineCompletionProvider":true}`, "textDocument/inlineCompletion"},
	} {
		meet(t, script{Capabilities: c.capabilities}, nil, func(r *rig) {
			r.Open(0, "a.py", "python", "é", 2)
			r.Apply(0, document.Edit{Offset: 2, Insert: "x", Cursor: 3})
			r.after(ms, func() {
				if text, ok := r.fake.texts["file:///halfsecond/session0/a.py"]; ok && strings.Contains(r.fake.seen(), "didChange") && text != "éx" {
					t.Errorf("%s: the server has %q, want éx", c.capabilities, text)
				}
				r.Open(0, "a.py", "python", "é", 2)
				r.start()
				r.after(ms, func() {
					if got := r.fake.seen(); got != c.want {
						t.Errorf("%s: the server saw %q, want %q", c.capabilities, got, c.want)
					}
					want := 1
					if r.encoding == lsp.UTF8 {
						want = 2
					}
					if p := r.fake.asked[0].Position; p.Character != want {
						t.Errorf("%s: the position is %+v, want character %d", c.capabilities, p, want)
					}
					if v := r.fake.versions["file:///halfsecond/session0/a.py"]; strings.Count(c.want, "did") == 4 && v != 3 {
						t.Errorf("%s: its version is %d, want 3: it never goes back", c.capabilities, v)
					}
				})
			})
		})
	}
}

// What a server asks is answered.
func TestAnswersTheServer(t *testing.T) {
	for _, c := range []struct{ say, want string }{
		{`{"jsonrpc":"2.0","id":"q","method":"workspace/configuration","params":{"items":[{"section":"a"},{}]}}`, "[null,null]null"},
		{`{"jsonrpc":"2.0","id":"q","method":"window/workDoneProgress/create","params":{"token":"t"}}`, "nullnull"},
		{`{"jsonrpc":"2.0","id":"q","method":"client/registerCapability","params":{"registrations":[]}}`, "nullnull"},
		{`{"jsonrpc":"2.0","id":"q","method":"client/registerCapability","params":[]}`, `{"code":-32602,"message":"json: cannot unmarshal array into Go value of type lsp.RegisterParams"}`},
		{`{"jsonrpc":"2.0","id":"q","method":"workspace/applyEdit","params":{}}`, `{"code":-32601,"message":"this client does no workspace/applyEdit"}`},
	} {
		meet(t, script{Say: c.say}, nil, func(r *rig) {
			r.Open(0, "a.py", "python", "x", 1)
			r.start()
			r.after(ms, func() {
				if len(r.fake.answers) != 1 || string(r.fake.answers[0]) != c.want {
					t.Errorf("%s: answered %q, want %q", c.say, r.fake.answers, c.want)
				}
			})
		})
	}
}

// A server may offer inline completion later, and take it back.
func TestOffersLater(t *testing.T) {
	var a, b *asked
	meet(t, script{Capabilities: `{}`, Register: 300 * ms, Say: `{"jsonrpc":"2.0","id":1,"method":"client/unregisterCapability","params":{"unregisterations":[{"id":"1","method":"textDocument/inlineCompletion"}]}}`}, nil, func(r *rig) {
		r.Open(0, "a.py", "python", "x", 1)
		a = r.start()
		r.after(ms, func() { b = r.start() })
	})
	if got, want := a.told(), `ok sent 1s first byte 1s end 1s text "" empty true: `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := b.told(), `dropped sent never first byte never end 1.001s text "" empty false: the language server offers no inline completion any more`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		script script
		want   string
		after  time.Duration
	}{
		{"no inline completion", script{Capabilities: `{"hoverProvider":true,"completionProvider":{},"textDocumentSync":1}`},
			"language server: the language server: it offers no inline completion (textDocument/inlineCompletion of LSP 3.18) in 10s; it offers completionProvider, hoverProvider", 10 * time.Second},
		{"nothing", script{Capabilities: `{}`}, "language server: the language server: it offers no inline completion (textDocument/inlineCompletion of LSP 3.18) in 10s; it offers nothing of the kind", 10 * time.Second},
		{"another encoding", script{Capabilities: `{"positionEncoding":"utf-32","inlineCompletionProvider":true}`}, "language server: the language server: its positions are in utf-32, want one that was offered: utf-16 or utf-8", 0},
		{"a log on its output", script{Hello: "Listening\n"}, `language server: the language server: what it writes is not the protocol: message 1 (byte 0): a line of the header ends without a carriage return: "Listening\n"`, 0},
		{"nonsense", script{Capabilities: `{"textDocumentSync":7}`}, "language server: the language server: what it answers to initialize cannot be read: textDocumentSync has change 7, want 0 (none), 1 (full) or 2 (incremental)", 0},
		{"no answer", script{Hello: "Content-Length: 5\r\n\r\n"}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r, err := newRig(t, c.script, nil)
				if c.want == "" {
					if err == nil {
						r.Close()
						t.Error("it was ready")
					}
					return
				}
				if err == nil || err.Error() != c.want {
					t.Fatalf("New: %v, want %s", err, c.want)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("it took %s, want %s", took, c.after)
				}
			})
		})
	}
}

// A server that does not read is given up, and nothing waits for it.
func TestDoesNotRead(t *testing.T) {
	var a, b *asked
	counts := meet(t, script{Deaf: true, Capabilities: incremental}, func(c *Config) { c.MaxWaiting = 1000 }, func(r *rig) {
		r.Open(0, "a.py", "python", strings.Repeat("x", 700), 1)
		a = r.start()
		r.Apply(0, document.Edit{Offset: 0, Insert: strings.Repeat("y", 300), Cursor: 300})
		b = r.start()
	})
	const why = "the language server is gone: it does not read: 1106 bytes wait for it, at most 1000 may"
	for _, x := range []struct{ got, want string }{
		{a.told(), `error sent never first byte never end 1s text "" empty false: ` + why},
		{b.told(), `error sent never first byte never end 1s text "" empty false: ` + why},
	} {
		if x.got != x.want {
			t.Errorf("%s, want %s", x.got, x.want)
		}
	}
	if counts.Unanswered != 1 || !counts.Killed {
		t.Errorf("counts %+v, want one unanswered, of a server that was killed", counts)
	}
}

// A server that ends takes its calls with it.
func TestEndsTooSoon(t *testing.T) {
	var a, b *asked
	counts := meet(t, script{Dies: " "}, nil, func(r *rig) {
		r.Open(0, "a.py", "python", "x", 1)
		a = r.start()
		r.after(ms, func() { b = r.start() })
	})
	for _, x := range []struct{ got, want string }{
		{a.told(), `error sent 1s first byte never end 1s text "" empty false: the language server is gone: it ended`},
		{b.told(), `error sent never first byte never end 1.001s text "" empty false: the language server is gone: it ended`},
	} {
		if x.got != x.want {
			t.Errorf("%s, want %s", x.got, x.want)
		}
	}
	if counts.Unanswered != 1 || counts.Killed {
		t.Errorf("counts %+v, want one unanswered, of a server that ended by itself", counts)
	}
}

// Nothing is asked beyond the cap, and the run is told when what was asked has ended.
func TestCap(t *testing.T) {
	var a, b *asked
	var spent []string
	meet(t, script{Delay: 80 * ms}, func(c *Config) { c.MaxRequests = 1 }, func(r *rig) {
		r.config.Spent = func(err error) { spent = append(spent, fmt.Sprintf("%s at %s", err, r.loop.Now())) }
		r.Open(0, "a.py", "python", "x", 1)
		a, b = r.start(), r.start()
	})
	if got, want := a.told(), `ok sent 1s first byte 1.08s end 1.08s text "" empty true: `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := b.told(), `dropped sent never first byte never end 1s text "" empty false: over the cap of 1 requests`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if want := []string{"over the cap of 1 requests at 1.08s"}; !reflect.DeepEqual(spent, want) {
		t.Errorf("spent %q, want %q", spent, want)
	}
}

func TestWithoutADocument(t *testing.T) {
	var a *asked
	meet(t, script{}, nil, func(r *rig) {
		r.Open(0, "a.py", "python", "x", 1)
		r.CloseDocument(0)
		a = r.start()
		r.Cancel(&a.Call)
	})
	if got, want := a.told(), `dropped sent never first byte never end 1s text "" empty false: no document of session 0 is open`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestURI(t *testing.T) {
	c := &Client{config: Config{Root: "/r"}}
	for name, want := range map[string]string{
		"a b/ü.py": "file:///r/session3/a%20b/%C3%BC.py", "../../etc/x": "file:///r/session3/etc/x", "": "file:///r/session3/untitled", "/abs.go": "file:///r/session3/abs.go",
	} {
		if got := c.uri(3, name); got != want {
			t.Errorf("uri(%q) = %s, want %s", name, got, want)
		}
	}
	got := []string{Language("a.py"), Language("b/c.tsx"), Language("Makefile")}
	if want := []string{"python", "typescriptreact", "plaintext"}; !reflect.DeepEqual(got, want) {
		t.Errorf("languages %q, want %q", got, want)
	}
}

func TestConfigCheck(t *testing.T) {
	bad := Config{Command: []string{""}, Options: []byte("{"), MaxRequests: -1, MaxMessage: -1, MaxWaiting: -1, Limits: Limits{End: -1}}
	const want = "there is no command: want a program and its arguments\nthe options are no JSON\ncap of -1 requests is negative\nlimit of -1 bytes a message is negative\nlimit of -1 bytes that wait is negative\ntime limit \"end\" is negative: -1ns"
	if err := bad.Check(); err == nil || err.Error() != want {
		t.Errorf("Check() = %v, want %s", err, want)
	}
	if err := (Config{Command: []string{"a"}}).Check(); err != nil {
		t.Error(err)
	}
}
