package checker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"halfsecond/simulators/ide/syntax"
)

// TestMain is the program that is run, when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "stand-in" {
		os.Exit(standIn(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// standIn is a checker for which what it is told to do comes out.
func standIn(does string, args []string) int {
	switch does {
	case "deaf":
		return 0
	case "status":
		var status int
		fmt.Sscan(args[0], &status)
		return status
	case "parentheses":
		text, _ := io.ReadAll(os.Stdin)
		if n := strings.Count(string(text), "("); n != strings.Count(string(text), ")") {
			fmt.Printf("\n\x1b[31m%d not closed\x1b[0m\nsecond line\n", n)
			return 1
		}
	case "environment":
		fmt.Println(strings.Join(os.Environ(), " "))
		return 1
	case "flood":
		for range 10_000 {
			os.Stderr.WriteString(strings.Repeat("x", 1000))
		}
		return 3
	case "signal":
		self, _ := os.FindProcess(os.Getpid())
		self.Signal(syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "connected":
		if _, err := net.Dial("tcp", args[0]); err != nil {
			return 9
		}
		time.Sleep(time.Hour)
	case "parent": // of one that it waits for, or does not
		child := exec.Command(os.Args[0], "stand-in", "connected", args[1])
		child.Stdout = os.Stdout
		if child.Start() != nil {
			return 9
		}
		if args[0] == "waits" {
			child.Wait()
		}
		wait, _ := time.ParseDuration(args[2])
		time.Sleep(wait) // so that the child is there
	}
	return 0
}

func command(t *testing.T, l Limits, args ...string) *Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := New("'"+self+"' stand-in "+strings.Join(args, " "), l)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		args, text string
		want       syntax.Result
	}{
		{"parentheses", "f(x)", syntax.Result{Known: true, OK: true, At: -1}},
		{"parentheses", "f((x)", syntax.Result{Known: true, At: -1, Message: "[31m2 not closed[0m"}},
		{"deaf", strings.Repeat("long ", 100_000), syntax.Result{Known: true, OK: true, At: -1}},
		{"status 2", "", syntax.Result{Known: true, At: -1, Message: "exit status 2"}},
		{"status 125", "", syntax.Result{Known: true, At: -1, Message: "exit status 125"}},
		{"status 126", "", syntax.Result{At: -1, Message: "exit status 126"}},
		{"status 127", "", syntax.Result{At: -1, Message: "exit status 127"}},
		{"flood", "", syntax.Result{Known: true, At: -1, Message: strings.Repeat("x", mostOutput)}},
		{"signal", "", syntax.Result{At: -1, Message: "signal: killed"}},
	} {
		if got := command(t, Limits{}, c.args).Until(t.Context()).Check(c.text); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.args, got, c.want)
		}
	}
}

// A key in the environment is not handed on.
func TestEnvironment(t *testing.T) {
	t.Setenv("HALFSECOND_TEST_KEY", "sk-secret")
	got := command(t, Limits{}, "environment").Until(t.Context()).Check("").Message
	if strings.Contains(got, "secret") || !strings.Contains(got, "PATH=") {
		t.Errorf("the program sees %s", got)
	}
}

// What took too long, or was left behind, is gone, and its children with it.
func TestNothingStays(t *testing.T) {
	for _, waits := range []string{"waits", "leaves"} {
		// A slow machine may need longer until the child is there.
		for limit := time.Second; !childIsGone(t, waits, limit); limit *= 4 {
			if limit > 20*time.Second {
				t.Fatalf("%s: the child never came up", waits)
			}
		}
	}
}

// childIsGone runs a program that starts a child, and reports false when the child did not
// come up in time. It fails the test when the child outlives the program.
func childIsGone(t *testing.T, waits string, limit time.Duration) bool {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := command(t, Limits{For: limit}, "parent", waits, l.Addr().String(), (limit / 4).String()).Until(t.Context()).Check("x")
	l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Millisecond))
	child, err := l.Accept()
	if err != nil {
		return false
	}
	defer child.Close()
	want := syntax.Result{Known: true, OK: true, At: -1}
	if waits == "waits" {
		want = syntax.Result{At: -1, Message: "it took longer than " + limit.String()}
	} else if !got.Known {
		return false // the program itself was too slow
	}
	if got != want {
		t.Errorf("%s: %+v, want %+v", waits, got, want)
	}
	child.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := child.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
		t.Errorf("%s: the child of the program lives on: %v", waits, err)
	}
	return true
}

// No more programs run at once than may, and all texts are checked.
func TestAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := command(t, Limits{AtOnce: 2}, "connected", l.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan syntax.Result, 5)
	var asked sync.WaitGroup
	for range 5 {
		asked.Go(func() { results <- c.Until(ctx).Check("x") })
	}
	for range 2 {
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(300 * time.Millisecond))
	if _, err := l.Accept(); err == nil {
		t.Error("a third program runs")
	}
	cancel()
	asked.Wait()
	for range 5 {
		if got, want := <-results, (syntax.Result{At: -1, Message: "context canceled"}); got != want {
			t.Errorf("given up: %+v, want %+v", got, want)
		}
	}
}

// gofmt, without which nothing here is built, is a checker as it is.
func TestNamed(t *testing.T) {
	language, c, err := Named(".GO=gofmt -e", Limits{})
	if err != nil || language != "go" {
		t.Fatal(language, err)
	}
	check := syntax.Remember(c.Until(t.Context()), 10)
	p := syntax.Place{Before: "package a\n\nvar x = ", After: "\n", Will: "f(1)"}
	for completion, want := range map[string]syntax.Judgement{
		"f(2)": {Verdict: syntax.Parses},
		"f(2":  {Verdict: syntax.Breaks, Reason: "<standard input>:3:12: missing ',' before newline in argument list"},
	} {
		if got := syntax.Judge(check, p, completion, false); got != want {
			t.Errorf("%s: %+v, want %+v", completion, got, want)
		}
	}
	for specification, want := range map[string]string{
		"gofmt":           "want LANGUAGE=COMMAND",
		"=gofmt":          "want LANGUAGE=COMMAND",
		"go=":             "names no program",
		"go=no-such-part": `command "no-such-part": exec: "no-such-part": executable file not found`,
	} {
		if _, _, err := Named(specification, Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", specification, err, want)
		}
	}
	if _, err := New("go", Limits{AtOnce: -1}); err == nil {
		t.Error("-1 programs at once")
	}
}
