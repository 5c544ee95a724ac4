package langserver

import (
	"bytes"
	"reflect"
	"sync"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/exchange"
)

// What is kept of a request says all of its record again, through a file too.
func TestKept(t *testing.T) {
	const items = `[{"insertText":"x = foo","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}}}]`
	for _, c := range []struct {
		name   string
		script script
		cancel bool
		how    string
	}{
		{"shown", script{Answers: []string{items}}, false, exchange.EOF},
		{"nothing", script{}, false, exchange.EOF},
		{"refused", script{Errors: map[int]int64{0: -32801}}, false, exchange.EOF},
		{"failed", script{Errors: map[int]int64{0: -32803}}, false, exchange.EOF},
		{"unreadable", script{Answers: []string{"5"}}, false, exchange.EOF},
		{"cancelled", script{Answers: []string{items}}, true, exchange.None},
		{"never answered", script{Answers: []string{""}}, false, exchange.None},
		{"gone", script{Dies: " "}, false, exchange.None},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.script.Delay, c.script.Capabilities = 80*ms, incremental
			var a *asked
			var mu sync.Mutex
			var kept []*exchange.Exchange
			meet(t, c.script, func(c *Config) {
				c.Keep = func(x *exchange.Exchange) {
					mu.Lock()
					defer mu.Unlock()
					kept = append(kept, x)
				}
			}, func(r *rig) {
				r.secrets = []string{"swordfish"}
				r.Open(0, "swordfish.py", "python", "x = ", 4)
				r.Apply(0, document.Edit{Offset: 4, Insert: "f", Cursor: 5})
				a = r.start()
				if c.cancel {
					r.after(30*ms, func() { r.Cancel(&a.Call) })
				}
			})
			if len(kept) != 1 {
				t.Fatalf("%d exchanges were kept, want 1", len(kept))
			}
			x := throughFile(t, kept[0])
			if bytes.Contains(x.Ask, []byte("swordfish")) || !bytes.Contains(x.Ask, []byte("*********.py")) || x.How != c.how {
				t.Errorf("it ended %q and was asked %s", x.How, x.Ask)
			}
			again, err := Reread(x)
			if err != nil {
				t.Fatal(err)
			}
			want := a.Record
			again.Reason, want.Reason = "", ""
			if !reflect.DeepEqual(again, want) {
				t.Errorf("read again it is\n%+v, want\n%+v", again, want)
			}
		})
	}
}

// throughFile writes an exchange and reads it.
func throughFile(t *testing.T, x *exchange.Exchange) *exchange.Exchange {
	t.Helper()
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, exchange.Header{Scenario: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(x); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := exchange.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	back, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// An answer that came in pieces has the instants of both ends.
func TestKeptInPieces(t *testing.T) {
	a := &call{Call: &pipeline.Call{Record: pipeline.NewRequest(1, 0)}, client: &Client{}, says: []byte(`{"jsonrpc":"2.0","id":1,"result":null}`)}
	a.Record.FirstByte, a.Record.End, a.Record.Empty = 5*ms, 9*ms, true
	x := a.exchange()
	if want := []exchange.Read{{At: 5 * ms, Bytes: 1}, {At: 9 * ms, Bytes: 37}}; !reflect.DeepEqual(x.Reads, want) {
		t.Errorf("reads %v, want %v", x.Reads, want)
	}
	again, err := Reread(x)
	if err != nil || !reflect.DeepEqual(again, a.Record) {
		t.Errorf("read again it is %+v, %v; want %+v", again, err, a.Record)
	}
}
