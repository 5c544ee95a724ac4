//go:build unix

package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// The benchmarks of this file measure the server in a process of its own, since the
// client's work must not count: TestMain makes the test binary one.

// serveEnv names the server to be and its pace: "mock 50ms" or "bare 50ms".
const serveEnv = "HALFSECOND_TEST_SERVE"

func TestMain(m *testing.M) {
	if what, pace, ok := strings.Cut(os.Getenv(serveEnv), " "); ok {
		if err := serve(what, pace); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve answers on a free port of the loopback until it is interrupted. It prints its
// address.
func serve(what, pace string) error {
	gap, err := time.ParseDuration(pace)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Println(ln.Addr())
	if what == "bare" {
		return serveBare(ctx, ln, gap)
	}
	s, err := New(Config{Loop: pipeline.NewPreciseWall(), Models: []Model{{
		Name: "m", Context: 1 << 20, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: gap, TPOT: gap}, Slots: 20_000, MaxContext: 1 << 20})
		},
	}}})
	if err != nil {
		return err
	}
	return s.Run(ctx, ln)
}

// serveBare is the least that a server of paced tokens can be: a handler that sleeps
// until each token is due, writes it and flushes.
func serveBare(ctx context.Context, ln net.Listener, gap time.Duration) error {
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		_, digits, _ := strings.Cut(string(body), `"max_tokens":`)
		n, err := strconv.Atoi(digits[:strings.IndexAny(digits, ",}")])
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w)
		for i := range n {
			time.Sleep(time.Until(begun.Add(time.Duration(i+1) * gap)))
			fmt.Fprintf(w, "data: {\"id\":\"cmpl-1\",\"object\":\"text_completion\",\"created\":1730000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\" word%d\",\"logprobs\":null,\"finish_reason\":null}]}\n\n", i%10)
			if flush.Flush() != nil {
				return
			}
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	})}
	context.AfterFunc(ctx, func() { _ = h.Close() })
	if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// child is a server in a process of its own.
type child struct {
	b    *testing.B
	cmd  *exec.Cmd
	addr string
}

func startChild(b *testing.B, what string, gap time.Duration) *child {
	b.Helper()
	c := &child{b: b, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), serveEnv+"="+what+" "+gap.String(), "GOGC=400")
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c.addr, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	c.addr = strings.TrimSpace(c.addr)
	return c
}

// stop ends the process and returns the CPU time that it used.
func (c *child) stop() time.Duration {
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		c.b.Error(err)
	}
	if err := c.cmd.Wait(); err != nil {
		c.b.Error(err)
	}
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// memory returns the resident bytes of the process.
func (c *child) memory() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
	if err != nil {
		c.b.Skip("the resident memory of a process is read from /proc")
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		c.b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}

// calm is the pace at which streams begin unless a burst is what is measured: a
// thousand a second. Begun faster than connections can be accepted they wait for the
// operating system, and neither server knows that they are there.
const calm = time.Millisecond

// listen opens n streams of so many tokens, one after the other, and returns the
// arrivals of each stream's events, since the stream was asked for. Their tokens are
// spread over the gap, as those of real streams are.
func (c *child) listen(n, tokens int, gap, apart time.Duration) [][]time.Duration {
	arrivals := make([][]time.Duration, n)
	apart += gap / time.Duration(n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			time.Sleep(apart * time.Duration(i))
			var err error
			if arrivals[i], err = stream(c.addr, tokens); err != nil {
				c.b.Errorf("stream %d: %v", i, err)
			}
		})
	}
	all.Wait()
	return arrivals
}

// stream asks for a completion and stamps its events, with the least of a client.
func stream(addr string, tokens int) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	body := fmt.Sprintf(`{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":%d}`, tokens)
	begun := time.Now()
	if _, err := fmt.Fprintf(conn, "POST /v1/completions HTTP/1.1\r\nHost: mock\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return nil, err
	}
	var at []time.Duration
	for lines := bufio.NewReaderSize(conn, 1024); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return at, err
		}
		switch {
		case strings.HasPrefix(string(line), "data: [DONE]"):
			if len(at) < tokens {
				return at, fmt.Errorf("%d events, want %d tokens", len(at), tokens)
			}
			return at[:tokens], nil
		case strings.HasPrefix(string(line), "data: "):
			at = append(at, time.Since(begun))
		}
	}
}

// exactness is how far arrivals are from their due instants, over all streams of some
// rounds.
type exactness struct {
	streams int
	tokens  int
	mean    float64         // sum of the streams' mean gaps, as shares of the set one
	end     float64         // sum of the errors of their ends, as shares
	gaps    []time.Duration // errors of each gap
	used    time.Duration   // CPU time of the server
}

// judge adds the arrivals of one round.
func (x *exactness) judge(arrivals [][]time.Duration, gap time.Duration) {
	for _, at := range arrivals {
		n := len(at)
		x.streams++
		x.tokens += n
		x.mean += float64(at[n-1]-at[0]) / float64(n-1) / float64(gap)
		x.end += math.Abs(float64(at[n-1])/float64(gap*time.Duration(n)) - 1)
		for i := range at[1:] {
			x.gaps = append(x.gaps, (at[i+1] - at[i] - gap).Abs())
		}
	}
}

// report says how exact the server was; its figures are called after it.
func (x *exactness) report(b *testing.B, who string) {
	slices.Sort(x.gaps)
	n := float64(x.streams)
	b.ReportMetric(100*math.Abs(x.mean/n-1), "%"+who+"gap-error")
	b.ReportMetric(100*x.end/n, "%"+who+"e2e-error")
	b.ReportMetric(milliseconds(quantileOf(x.gaps, .99)), "ms-"+who+"gap-p99")
	b.ReportMetric(milliseconds(x.gaps[len(x.gaps)-1]), "ms-"+who+"gap-max")
	b.ReportMetric(x.perToken(), "us-"+who+"cpu/token")
}

// perToken returns the CPU time of a token in us.
func (x *exactness) perToken() float64 {
	return float64(x.used) / float64(time.Microsecond) / float64(x.tokens)
}

// round has a server of its own hold the streams, and returns the memory it then has.
func (x *exactness) round(b *testing.B, what string, streams, tokens int, gap, apart time.Duration) (memory float64) {
	c := startChild(b, what, gap)
	x.judge(c.listen(streams, tokens, gap, apart), gap)
	memory = c.memory()
	x.used += c.stop()
	return memory
}

// BenchmarkPaced holds streams of paced tokens at a server, and compares its CPU time
// a token with that of the bare loop, in turns in one run. The CPU time is that of the
// server's whole process, its start included. The last case begins its streams within
// one gap: so many connections at once are late for any server.
func BenchmarkPaced(b *testing.B) {
	for _, c := range []struct {
		name    string
		streams int
		gap     time.Duration
		apart   time.Duration
	}{
		{"1x10ms", 1, 10 * ms, calm},
		{"50x10ms", 50, 10 * ms, calm},
		{"200x20ms", 200, 20 * ms, calm},
		{"1000x50ms", 1000, 50 * ms, calm},
		{"Burst1000x50ms", 1000, 50 * ms, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			tokens := int(5 * time.Second / c.gap)
			var mock, bare exactness
			var memory float64
			for b.Loop() {
				memory = max(memory, mock.round(b, "mock", c.streams, tokens, c.gap, c.apart))
				bare.round(b, "bare", c.streams, tokens, c.gap, c.apart)
			}
			mock.report(b, "")
			bare.report(b, "bare-")
			b.ReportMetric(mock.perToken()/bare.perToken(), "x-bare-cpu")
			b.ReportMetric(memory/1e6, "MB")
		})
	}
}

func quantileOf(sorted []time.Duration, q float64) time.Duration {
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// BenchmarkIdle reports the memory of a server that nobody asks.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		c := startChild(b, "mock", 50*ms)
		time.Sleep(300 * ms)
		b.ReportMetric(c.memory()/1e6, "MB")
		c.stop()
	}
}

// BenchmarkTenThousand holds 10,000 streams with 200 ms between tokens, all of them
// open for a minute. Nothing may be lost; how late it comes is only reported.
func BenchmarkTenThousand(b *testing.B) {
	const streams, gap = 10_000, 200 * ms
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		b.Fatal(err)
	}
	if limit.Cur < streams+100 {
		b.Fatalf("10,000 streams need as many open files, and the limit is %d: raise it with ulimit -n %d", limit.Cur, 2*streams)
	}
	for b.Loop() {
		c := startChild(b, "mock", gap)
		begun := time.Now()
		arrivals := c.listen(streams, int((time.Minute+streams*calm)/gap), gap, calm)
		took := time.Since(begun)
		b.ReportMetric(c.memory()/1e6, "MB")
		if b.Failed() {
			c.stop()
			return
		}
		x := exactness{used: c.stop()}
		x.judge(arrivals, gap)
		x.report(b, "")
		b.ReportMetric(float64(x.used)/float64(took), "cores")
	}
}
