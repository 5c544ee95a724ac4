package langserver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"halfsecond/pipeline"
)

// process is a language server that was started. Its reads and writes are those of the
// server's output and input.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
	err io.ReadCloser

	once   sync.Once
	status string        // how it ended
	heard  chan struct{} // closed when standard error was read to its end

	mu   sync.Mutex // guards tail
	tail []byte     // what it wrote to standard error last
	cut  bool       // and that it had written more
}

// mostSaid is how much of standard error is kept, in bytes.
const mostSaid = 4 << 10

// startProcess starts a program in a process group of its own.
func startProcess(command []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	return &process{cmd: cmd, in: in, out: out, err: stderr, heard: make(chan struct{})}, nil
}

// Read implements io.Reader.
func (p *process) Read(b []byte) (int, error) { return p.out.Read(b) }

// Write implements io.Writer.
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends the program with all that it started and waits for it.
func (p *process) Close() error {
	p.end(0)
	return nil
}

// end gives the program so long to end by itself, kills what is left of its group, waits for
// it, and returns how it ended.
func (p *process) end(grace time.Duration) string {
	p.once.Do(func() {
		exited := make(chan struct{})
		go func() { awaitExit(p.cmd); close(exited) }()
		within(exited, grace)
		// The group is killed before the program is waited for: until then nobody else has
		// its number.
		killGroup(p.cmd)
		<-exited
		// What the program started and has left its group may hold standard error open.
		within(p.heard, time.Second)
		p.status = "it ended"
		if err := p.cmd.Wait(); err != nil {
			p.status = fmt.Sprintf("it ended (%v)", err)
		}
	})
	return p.status
}

// within waits for a channel to be closed, but not for longer than that.
func within(closed <-chan struct{}, longest time.Duration) {
	limit := time.NewTimer(longest)
	defer limit.Stop()
	select {
	case <-closed:
	case <-limit.C:
	}
}

// listen keeps the end of what the program writes to standard error; it has a goroutine of its
// own.
func (p *process) listen() {
	defer close(p.heard)
	buffer := make([]byte, mostSaid)
	for {
		n, err := p.err.Read(buffer)
		p.mu.Lock()
		p.tail = append(p.tail, buffer[:n]...)
		if over := len(p.tail) - mostSaid; over > 0 {
			p.tail, p.cut = append(p.tail[:0], p.tail[over:]...), true
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// said returns the last words of standard error for a message, "" for none.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	words := strings.TrimSpace(string(p.tail))
	if words == "" {
		return ""
	}
	const most = 200
	if len(words) > most {
		words = "..." + strings.ToValidUTF8(words[len(words)-most:], "")
	}
	return "; it said: " + pipeline.Printable(words)
}

// secretName is how variables are called that hold secrets.
var secretName = regexp.MustCompile(`(?i)(key|token|secret|passw|credential)`)

// secretsOf returns the values of the environment that look like secrets: the program has
// them, and may repeat them.
func secretsOf() (all []string) {
	for _, v := range os.Environ() {
		const shortest = 8
		if name, value, _ := strings.Cut(v, "="); secretName.MatchString(name) && len(value) >= shortest {
			all = append(all, value)
		}
	}
	return all
}
