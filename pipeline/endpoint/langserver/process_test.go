//go:build unix

package langserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// started returns a client of a fake server that runs as a program.
func started(t *testing.T, s script, loop *pipeline.Wall, change func(*Config)) (*Client, error) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(roleEnv, string(text))
	config := Config{Command: []string{os.Args[0], "--stdio"}}
	if change != nil {
		change(&config)
	}
	return New(t.Context(), config, loop)
}

// A program is started, asked and ended.
func TestProgram(t *testing.T) {
	loop := pipeline.NewWall()
	c, err := started(t, script{Capabilities: incremental, Delay: 50 * ms, Answers: []string{`[{"insertText":"y"}]`}}, loop, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var text string
	var call pipeline.Call
	loop.Reset()
	loop.At(0, pipeline.RankInput, func() {
		c.Open(0, "a.py", "python", "x", 1)
		call = pipeline.Call{
			Record: pipeline.NewRequest(1, 0), Done: cancel,
			Notify: func(p pipeline.Progress) { text += p.Text },
		}
		c.Start(&call)
	})
	_ = loop.Run(ctx) // ends with its context
	r := &call.Record
	if r.Outcome != pipeline.OK || text != "y" || r.FirstByte-r.Sent < 50*ms || r.End < r.FirstByte || r.End > 10*time.Second {
		t.Errorf("%s %q sent %s, first byte %s, end %s; want ok, y, and 50 ms between", r.Outcome, text, r.Sent, r.FirstByte, r.End)
	}
	c.Close()
	if n := c.Counts(); n.Killed || n.Requests != 1 || n.Bytes < 100 {
		t.Errorf("counts %+v, want one request to a server that ended by itself", n)
	}
}

// What a server says last is in the error, in one line and without secrets.
func TestLastWords(t *testing.T) {
	t.Setenv("MY_API_KEY", "swordfish-swordfish")
	loop := pipeline.NewWall()
	c, err := started(t, script{Dies: strings.Repeat("long ago\n", 1000) + "no model:\x1b[31m key swordfish-swordfish\n"}, loop, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var call pipeline.Call
	loop.At(0, pipeline.RankInput, func() {
		c.Open(0, "a.py", "python", "x", 1)
		call = pipeline.Call{Record: pipeline.NewRequest(1, 0), Done: cancel}
		c.Start(&call)
	})
	_ = loop.Run(ctx) // ends with its context
	c.Close()
	const begins = "the language server is gone: it ended (exit status 3); it said: ..."
	const ends = `long ago\nno model:\x1b[31m key *******************`
	if got := call.Record.Reason; call.Record.Outcome != pipeline.Error || !strings.HasPrefix(got, begins) || !strings.HasSuffix(got, ends) {
		t.Errorf("%s %q, want error %q...%q", call.Record.Outcome, got, begins, ends)
	}
}

// A server that stays is killed, and what it started with it.
func TestKilledWithItsChildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	c, err := started(t, script{Stays: true, Child: file}, pipeline.NewWall(), func(c *Config) { c.Limits.End = 100 * ms })
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	for began := time.Now(); pid == 0; time.Sleep(ms) {
		text, _ := os.ReadFile(file) // until it is there
		if pid, _ = strconv.Atoi(string(text)); time.Since(began) > 20*time.Second {
			t.Fatal("the server started nothing")
		}
	}
	c.Close()
	if !c.Counts().Killed {
		t.Error("it ended by itself, want it killed")
	}
	for began := time.Now(); alive(pid); time.Sleep(ms) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("process %d, which the server started, lives on", pid)
		}
	}
}

// alive reports whether a process runs; one that has ended and that nobody waits for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(text), ") Z ")
}

func TestNoProgram(t *testing.T) {
	_, err := New(t.Context(), Config{Command: []string{"halfsecond-no-such-program"}}, pipeline.NewWall())
	const want = `language server: cannot be started: exec: "halfsecond-no-such-program": executable file not found in $PATH`
	if err == nil || err.Error() != want {
		t.Errorf("New: %v, want %s", err, want)
	}
}

// A program that is no language server is named with what it printed.
func TestNoLanguageServer(t *testing.T) {
	_, err := New(t.Context(), Config{Command: []string{"echo", "usage: echo"}}, pipeline.NewWall())
	const want = `language server: echo: what it writes is not the protocol: message 1 (byte 0): a line of the header ends without a carriage return: "usage: echo\n"`
	if err == nil || err.Error() != want {
		t.Errorf("New: %v, want %s", err, want)
	}
	_, err = New(t.Context(), Config{Command: []string{"cat", "/no/such/file"}}, pipeline.NewWall())
	const gone = `language server: cat: it ended (exit status 1); it said: cat: /no/such/file: No such file or directory`
	if err == nil || err.Error() != gone {
		t.Errorf("New: %v, want %s", err, gone)
	}
}
