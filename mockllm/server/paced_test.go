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

// listen opens n streams of so many tokens and returns the arrivals of each stream's
// events, since the stream was asked for. The streams begin one after the other,
// spread over a gap, as real ones do not come in step.
func (c *child) listen(n, tokens int, gap time.Duration) [][]time.Duration {
	arrivals := make([][]time.Duration, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			time.Sleep(gap * time.Duration(i) / time.Duration(n))
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

// exactness is how far arrivals are from their due instants, over all streams.
type exactness struct {
	gap  float64         // error of the mean gap between tokens, as a share
	e2e  float64         // mean error of the end, as a share
	gaps []time.Duration // errors of each gap, sorted
}

func judge(arrivals [][]time.Duration, gap time.Duration) (x exactness) {
	var mean, end float64
	for _, at := range arrivals {
		last := at[len(at)-1]
		mean += float64(last-at[0]) / float64(len(at)-1)
		end += math.Abs(float64(last)/float64(gap*time.Duration(len(at))) - 1)
		for i := range at[1:] {
			x.gaps = append(x.gaps, (at[i+1] - at[i] - gap).Abs())
		}
	}
	n := float64(len(arrivals))
	x.gap, x.e2e = math.Abs(mean/n/float64(gap)-1), end/n
	slices.Sort(x.gaps)
	return x
}

// BenchmarkPaced holds streams of paced tokens at a server, and compares its CPU time
// a token with that of the bare loop, one after the other in one run. The server's CPU
// time is that of its whole process.
func BenchmarkPaced(b *testing.B) {
	for _, c := range []struct {
		streams int
		gap     time.Duration
	}{{1, 10 * ms}, {50, 10 * ms}, {200, 20 * ms}, {1000, 50 * ms}} {
		b.Run(fmt.Sprintf("%dx%s", c.streams, c.gap), func(b *testing.B) {
			tokens := int(5 * time.Second / c.gap)
			for b.Loop() {
				mock := startChild(b, "mock", c.gap)
				x := judge(mock.listen(c.streams, tokens, c.gap), c.gap)
				memory := mock.memory()
				used := mock.stop()
				bare := startChild(b, "bare", c.gap)
				y := judge(bare.listen(c.streams, tokens, c.gap), c.gap)
				least := bare.stop()

				each := float64(c.streams*tokens) * float64(time.Microsecond)
				b.ReportMetric(float64(used)/each, "us/token")
				b.ReportMetric(float64(used)/float64(least), "x-bare-cpu")
				b.ReportMetric(100*x.gap, "%gap-error")
				b.ReportMetric(100*x.e2e, "%e2e-error")
				b.ReportMetric(milliseconds(quantileOf(x.gaps, .99)), "ms-gap-p99")
				b.ReportMetric(milliseconds(x.gaps[len(x.gaps)-1]), "ms-gap-max")
				b.ReportMetric(milliseconds(quantileOf(y.gaps, .99)), "ms-bare-gap-p99")
				b.ReportMetric(100*y.gap, "%bare-gap-error")
				b.ReportMetric(memory/1e6, "MB")
			}
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

// BenchmarkTenThousand holds 10,000 streams with 200 ms between tokens for a minute.
// Nothing may be lost; how late it comes is only reported.
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
		arrivals := c.listen(streams, int(time.Minute/gap), gap)
		b.ReportMetric(c.memory()/1e6, "MB")
		if b.Failed() {
			c.stop()
			return
		}
		x := judge(arrivals, gap)
		b.ReportMetric(float64(c.stop())/float64(time.Second)/60, "cores")
		b.ReportMetric(100*x.gap, "%gap-error")
		b.ReportMetric(milliseconds(quantileOf(x.gaps, .99)), "ms-gap-p99")
		b.ReportMetric(milliseconds(x.gaps[len(x.gaps)-1]), "ms-gap-max")
	}
}
