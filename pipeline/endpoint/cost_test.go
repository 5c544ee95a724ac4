//go:build unix

package endpoint

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

// BenchmarkCost measures the client in a process of its own beside a bare reader in
// another, both against a server in a third, since each one's CPU time must be told from
// the others': TestMain makes the test binary one of them.

// roleEnv names what the test binary is: "serve", "client ADDR" or "bare ADDR".
const roleEnv = "HALFSECOND_TEST_COST"

// The load: so many streams, each with so many tokens, one every so often.
const (
	costStreams = 1000
	costTokens  = 100
	costGap     = 50 * time.Millisecond
	costApart   = time.Millisecond // between the beginnings of streams
)

func TestMain(m *testing.M) {
	role, addr, _ := strings.Cut(os.Getenv(roleEnv), " ")
	var err error
	switch role {
	case "":
		os.Exit(m.Run())
	case "serve":
		err = serveStamps()
	case "client":
		err = costs{}.tell(readWithClient(addr))
	case "bare":
		err = costs{}.tell(readBare(addr))
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
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
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
	})}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = h.Close()
	}()
	if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// arrival is a token: when it was written, and when the reader says that it came, in ns
// of the wall clock.
type arrival struct{ written, read int64 }

// readWithClient takes the load with a Client on the wall clock.
func readWithClient(addr string) ([][]arrival, error) {
	wall := pipeline.NewPreciseWall()
	wall.Reset()
	zero := time.Now().Add(-wall.Elapsed()).UnixNano()
	client, err := NewClient(Config{URL: "http://" + addr, Protocol: dialect.OpenAICompletions, Model: "m"}, wall)
	if err != nil {
		return nil, err
	}
	streams := make([][]arrival, costStreams)
	open := costStreams
	for i := range streams {
		wall.At(time.Duration(i)*costApart, pipeline.RankTimer, func() {
			c := &pipeline.Call{Prompt: func() pipeline.Prompt { return pipeline.Prompt{Text: "x"} }, Record: pipeline.NewRequest(int64(i+1), wall.Now())}
			c.Notify = func(p pipeline.Progress) {
				written, _ := strconv.ParseInt(strings.TrimSpace(p.Text), 10, 64)
				streams[i] = append(streams[i], arrival{written, zero + int64(wall.Now())})
			}
			c.Done = func() {
				if len(streams[i]) > 0 { // the loop may hand a token over later than it was read
					streams[i][0].read = zero + int64(c.Record.FirstOutput)
				}
				if c.Record.Outcome != pipeline.OK {
					fmt.Fprintln(os.Stderr, c.Record.Outcome, c.Record.Reason)
				}
				if open--; open == 0 {
					wall.Stop()
				}
			}
			client.Start(c)
		})
	}
	err = wall.Run(context.Background())
	client.Close()
	return streams, err
}

// readBare takes the load with the least that a reader can be.
func readBare(addr string) ([][]arrival, error) {
	streams := make([][]arrival, costStreams)
	var all sync.WaitGroup
	var failed error
	var once sync.Once
	for i := range streams {
		all.Go(func() {
			time.Sleep(time.Duration(i) * costApart)
			s, err := readStream(addr)
			streams[i] = s
			if err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	all.Wait()
	return streams, failed
}

func readStream(addr string) (s []arrival, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		return nil, err
	}
	for lines := bufio.NewReaderSize(conn, 4096); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return s, err
		}
		now := time.Now().UnixNano()
		text := string(line)
		if strings.HasPrefix(text, "data: [DONE]") {
			return s, nil
		}
		if _, after, ok := strings.Cut(text, `"text":" `); ok {
			digits, _, _ := strings.Cut(after, `"`)
			written, _ := strconv.ParseInt(digits, 10, 64)
			s = append(s, arrival{written, now})
		}
	}
}

// costs is what a reader cost, and how wrong it was.
type costs struct {
	Tokens int
	CPU    time.Duration // of the whole process
	// Late are the errors of the instants of first tokens, and Gaps those of the gaps
	// between tokens: p50, p99 and largest.
	Late, Gaps [3]time.Duration
}

// tell prints the costs of this process.
func (costs) tell(streams [][]arrival, err error) error {
	if err != nil {
		return err
	}
	var c costs
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
	c.Late, c.Gaps = three(late), three(gaps)
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	c.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	return json.NewEncoder(os.Stdout).Encode(c)
}

func three(d []time.Duration) [3]time.Duration {
	slices.Sort(d)
	at := func(q float64) time.Duration { return d[int(math.Ceil(q*float64(len(d))))-1] }
	return [3]time.Duration{at(.5), at(.99), d[len(d)-1]}
}

// child starts this binary in another role. Its standard input ends with the returned
// function.
func child(b *testing.B, role string) (out *bufio.Reader, end func()) {
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
	return bufio.NewReader(pipe), func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", role, err)
		}
	}
}

// read has a reader of that role take the load of a server of its own.
func read(b *testing.B, role string) (c costs) {
	b.Helper()
	server, stop := child(b, "serve")
	addr, err := server.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	reader, end := child(b, role+" "+strings.TrimSpace(addr))
	if err := json.NewDecoder(reader).Decode(&c); err != nil {
		b.Error(err)
	}
	end()
	stop()
	if c.Tokens != costStreams*costTokens {
		b.Errorf("%s: %d tokens, want %d", role, c.Tokens, costStreams*costTokens)
	}
	return c
}

// BenchmarkCost holds 1,000 streams of 20 tokens a second, first with the client and then
// with a bare reader. Errors are against the instants at which the server wrote.
func BenchmarkCost(b *testing.B) {
	for b.Loop() {
		client, bare := read(b, "client"), read(b, "bare")
		if b.Failed() {
			return
		}
		us := func(c costs) float64 { return float64(c.CPU) / float64(time.Microsecond) / float64(c.Tokens) }
		ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
		b.ReportMetric(us(client), "us/token")
		b.ReportMetric(us(bare), "us-bare/token")
		b.ReportMetric(us(client)/us(bare), "x-bare-cpu")
		b.ReportMetric(ms(client.Late[1]), "ms-ttft-p99")
		b.ReportMetric(ms(bare.Late[1]), "ms-bare-ttft-p99")
		b.ReportMetric(ms(client.Gaps[1]), "ms-icl-p99")
		b.ReportMetric(ms(bare.Gaps[1]), "ms-bare-icl-p99")
		b.ReportMetric(ms(client.Gaps[2]), "ms-icl-max")
	}
}
