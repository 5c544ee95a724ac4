//go:build unix

package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/quantile"
)

// BenchmarkCost measures the client in a process of its own beside a bare reader in
// another, both against a server in a third, since each one's CPU time must be told from
// the others': TestMain makes the test binary one of them.

// roleEnv names what the test binary is: "serve", or a reader with its load:
// "client ADDR STREAMS" or "bare ADDR STREAMS".
const roleEnv = "HALFSECOND_TEST_COST"

// The load: streams of so many tokens, one every so often.
const (
	costTokens = 100
	costGap    = 50 * time.Millisecond
	costApart  = time.Millisecond // between the beginnings of streams
)

func TestMain(m *testing.M) {
	var role, addr string
	var streams int
	_, _ = fmt.Sscan(os.Getenv(roleEnv), &role, &addr, &streams)
	var err error
	switch role {
	case "":
		os.Exit(m.Run())
	case "serve":
		err = serveStamps()
	case "client":
		floor := make([]byte, 64<<20) // as the program has
		defer runtime.KeepAlive(floor)
		err = tellCosts(&clientReader{addr: addr, streams: make([][]arrival, streams)})
	case "bare":
		err = tellCosts(&bareReader{addr: addr, streams: make([][]arrival, streams)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveStamps serves completions at the pace of the load, until its standard input ends.
// The text of each token is the wall-clock time in ns at which it is written.
func serveStamps() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	h := &http.Server{Handler: http.HandlerFunc(streamStamps)}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = h.Close()
	}()
	if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// streamStamps answers a request; what is no question for an answer gets an empty one.
func streamStamps(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.Method != http.MethodPost {
		return
	}
	begun := time.Now()
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range costTokens {
		time.Sleep(time.Until(begun.Add(time.Duration(i+1) * costGap)))
		fmt.Fprintf(w, "data: {\"id\":\"cmpl-1\",\"object\":\"text_completion\",\"created\":1730000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\" %d\",\"logprobs\":null,\"finish_reason\":null}]}\n\n", time.Now().UnixNano())
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// arrival is a token: when it was written, and when the reader says that it came, in ns
// of the wall clock.
type arrival struct{ written, read int64 }

// costReader takes the load of a server.
type costReader interface {
	connect() error                 // opens all connections
	read() error                    // takes the load
	arrivals() ([][]arrival, error) // says what came
	close()
}

// clientReader is a Client on the wall clock. It keeps the bytes of each exchange, as a
// run does, and says the instants that a report would make of them.
type clientReader struct {
	addr    string
	streams [][]arrival

	wall   *pipeline.Wall
	zero   int64 // of wall, in ns of the wall clock
	client *Client
	left   int // streams under way, on the loop

	mu   sync.Mutex // guards kept
	kept []*exchange.Exchange
}

func (r *clientReader) connect() (err error) {
	r.wall = pipeline.NewPreciseWall()
	config := Config{URL: "http://" + r.addr, Protocol: dialect.OpenAICompletions, Model: "m", Keep: r.keep}
	if r.client, err = NewClient(config, r.wall); err != nil {
		return err
	}
	return r.client.WarmUp(context.Background(), len(r.streams))
}

func (r *clientReader) keep(x *exchange.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, x)
}

func (r *clientReader) read() error {
	r.wall.Reset()
	r.zero = time.Now().Add(-r.wall.Elapsed()).UnixNano()
	r.left = len(r.streams)
	for i := range r.streams {
		r.wall.At(time.Duration(i)*costApart, pipeline.RankTimer, func() { r.begin(i) })
	}
	return r.wall.Run(context.Background())
}

func (r *clientReader) begin(i int) {
	c := &pipeline.Call{
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Text: "x"} },
		Record: pipeline.NewRequest(int64(i+1), r.wall.Now()),
		Notify: func(pipeline.Progress) {},
	}
	c.Done = func() {
		if c.Record.Outcome != pipeline.OK {
			fmt.Fprintln(os.Stderr, c.Record.Outcome, c.Record.Reason)
		}
		if r.left--; r.left == 0 {
			r.wall.Stop()
		}
	}
	r.client.Start(c)
}

func (r *clientReader) close() { r.client.Close() }

func (r *clientReader) arrivals() ([][]arrival, error) {
	for i, x := range r.kept {
		reply, err := dialect.Reread(x)
		if err != nil {
			return nil, err
		}
		for _, o := range reply.Answer().Outputs {
			written, err := strconv.ParseInt(o.Text[1:], 10, 64)
			if err != nil {
				return nil, err
			}
			r.streams[i] = append(r.streams[i], arrival{written, r.zero + int64(o.At)})
		}
	}
	return r.streams, nil
}

// bareReader is the least that a reader can be: it parses nothing but the text.
type bareReader struct {
	addr    string
	streams [][]arrival
	conns   []net.Conn
}

func (r *bareReader) connect() error {
	for range r.streams {
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			return err
		}
		r.conns = append(r.conns, conn)
	}
	return nil
}

func (r *bareReader) read() error {
	errs := make([]error, len(r.streams))
	var all sync.WaitGroup
	for i := range r.streams {
		all.Go(func() {
			time.Sleep(time.Duration(i) * costApart)
			r.streams[i], errs[i] = readStream(r.conns[i])
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func readStream(conn net.Conn) (s []arrival, err error) {
	if _, err := io.WriteString(conn, "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		return nil, err
	}
	for lines := bufio.NewReaderSize(conn, 4096); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return s, err
		}
		now := time.Now().UnixNano()
		if bytes.HasPrefix(line, []byte("data: [DONE]")) {
			return s, nil
		}
		if _, after, ok := bytes.Cut(line, []byte(`"text":" `)); ok {
			digits, _, _ := bytes.Cut(after, []byte(`"`))
			written, _ := strconv.ParseInt(string(digits), 10, 64)
			s = append(s, arrival{written, now})
		}
	}
}

func (r *bareReader) arrivals() ([][]arrival, error) { return r.streams, nil }

func (r *bareReader) close() {
	for _, c := range r.conns {
		_ = c.Close()
	}
}

// costs is what a reader cost, and how wrong it was.
type costs struct {
	Tokens    int
	CPU, Wall time.Duration // of its whole process while it took the load
	// Late are the errors of the instants of first tokens, and Gaps those of the gaps
	// between tokens.
	Late, Gaps errorSizes

	server time.Duration // CPU of the server's process
}

// errorSizes are how large errors are.
type errorSizes struct{ P50, P99, Max time.Duration }

// tellCosts has a reader take its load and prints what that cost.
func tellCosts(r costReader) error {
	if err := r.connect(); err != nil {
		return err
	}
	begun, used := time.Now(), cpuTime()
	err := r.read()
	c := costs{CPU: cpuTime() - used, Wall: time.Since(begun)}
	r.close()
	if err != nil {
		return err
	}
	streams, err := r.arrivals()
	if err != nil {
		return err
	}
	if err := c.judge(streams); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}

// judge compares what came with what was written.
func (c *costs) judge(streams [][]arrival) error {
	var late, gaps []time.Duration
	for _, s := range streams {
		c.Tokens += len(s)
		if len(s) == 0 {
			return errors.New("a stream without tokens")
		}
		late = append(late, time.Duration(s[0].read-s[0].written))
		for i := range s[1:] {
			gaps = append(gaps, time.Duration((s[i+1].read-s[i].read)-(s[i+1].written-s[i].written)).Abs())
		}
	}
	c.Late, c.Gaps = sizes(late), sizes(gaps)
	return nil
}

func sizes(d []time.Duration) errorSizes {
	slices.Sort(d)
	p50, _ := quantile.OfSorted(d, quantile.P50)
	p99, _ := quantile.OfSorted(d, quantile.P99)
	return errorSizes{p50, p99, d[len(d)-1]}
}

// cpuTime returns what this process has used.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the call has nothing to fail at
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// child starts this binary in another role. Its standard input ends with the returned
// function, which tells its CPU time.
func child(b *testing.B, role string) (out *bufio.Reader, end func() time.Duration) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "GOGC=400")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return bufio.NewReader(pipe), func() time.Duration {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", role, err)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// read has a reader of that role take so many streams of a server of its own.
func read(b *testing.B, role string, streams int) (c costs) {
	b.Helper()
	server, stop := child(b, "serve")
	addr, err := server.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	reader, end := child(b, fmt.Sprint(role, " ", strings.TrimSpace(addr), " ", streams))
	if err := json.NewDecoder(reader).Decode(&c); err != nil {
		b.Error(err)
	}
	end()
	c.server = stop()
	if c.Tokens != streams*costTokens {
		b.Errorf("%s: %d tokens, want %d", role, c.Tokens, streams*costTokens)
	}
	return c
}

// share returns how much of the machine's CPU reader and server used together.
func (c *costs) share() float64 {
	return float64(c.CPU+c.server) / (float64(c.Wall) * float64(runtime.NumCPU()))
}

// BenchmarkCost holds streams of 20 tokens a second, first with the client and then with
// a bare reader, over connections that are open. Errors are against the instants at which
// the server wrote; they say something of the client where cpu-share leaves half of the
// machine free and nobody else uses it. Each figure is the mean of the rounds.
func BenchmarkCost(b *testing.B) {
	for _, streams := range []int{250, 500, 1000} {
		b.Run(fmt.Sprint(streams, "-streams"), func(b *testing.B) {
			sums := map[string]float64{}
			for b.Loop() {
				client, bare := read(b, "client", streams), read(b, "bare", streams)
				if b.Failed() {
					return
				}
				for unit, v := range costFigures(&client, &bare) {
					sums[unit] += v
				}
			}
			for unit, sum := range sums {
				b.ReportMetric(sum/float64(b.N), unit)
			}
		})
	}
}

func costFigures(client, bare *costs) map[string]float64 {
	us := func(c *costs) float64 { return float64(c.CPU) / float64(time.Microsecond) / float64(c.Tokens) }
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return map[string]float64{
		"us/token":         us(client),
		"us-bare/token":    us(bare),
		"x-bare-cpu":       us(client) / us(bare),
		"cpu-share":        client.share(),
		"ms-ttft-p99":      ms(client.Late.P99),
		"ms-bare-ttft-p99": ms(bare.Late.P99),
		"ms-icl-p99":       ms(client.Gaps.P99),
		"ms-bare-icl-p99":  ms(bare.Gaps.P99),
		"ms-icl-max":       ms(client.Gaps.Max),
	}
}
