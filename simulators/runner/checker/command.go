package checker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"halfsecond/simulators/ide/syntax"
)

// Limits bound what a program may take. Zero fields stand for the defaults, which are
// assumed: enough for an interpreter that starts cold, on a machine that measures beside.
type Limits struct {
	For    time.Duration // longest time for one text, 10 s
	AtOnce int           // most programs at once, 2
}

// Command is a program that reads a text on its standard input and ends with 0 when it
// parses. Any status from 1 to 125 says that it does not, and the first line that it wrote
// says why. Everything else tells nothing: 126 and 127, by which shells say that they did
// not find a program, a signal, or that it took too long. It may be used concurrently.
type Command struct {
	words  []string
	limits Limits
	slots  chan struct{}
}

// New returns the command of a line such as python3 -c 'import ast, sys;
// ast.parse(sys.stdin.read())'. No shell reads it. It is an error when the line cannot be
// split into words or its program is not there.
func New(line string, l Limits) (*Command, error) {
	w, err := words(line)
	if err != nil {
		return nil, fmt.Errorf("command %q: %w", line, err)
	}
	if w[0], err = exec.LookPath(w[0]); err != nil {
		return nil, fmt.Errorf("command %q: %w", line, err)
	}
	l = Limits{cmp.Or(l.For, 10*time.Second), cmp.Or(l.AtOnce, 2)}
	if l.For < 0 || l.AtOnce < 0 {
		return nil, fmt.Errorf("command %q: %s a text and %d at once: neither may be negative", line, l.For, l.AtOnce)
	}
	return &Command{w, l, make(chan struct{}, l.AtOnce)}, nil
}

// Named reads a specification LANGUAGE=COMMAND, the language by its name or the extension
// of its files: py='python3 check.py'.
func Named(specification string, l Limits) (language string, c *Command, err error) {
	name, line, ok := strings.Cut(specification, "=")
	language = syntax.Language(strings.TrimSpace(name))
	if !ok || language == "" {
		return "", nil, fmt.Errorf("%q: want LANGUAGE=COMMAND, such as py=\"python3 check.py\"", specification)
	}
	c, err = New(line, l)
	return language, c, err
}

// Program returns the name of the program, without its arguments.
func (c *Command) Program() string { return filepath.Base(c.words[0]) }

// Until returns a checker that runs the command until the context ends; what is asked
// later, or is under way then, tells nothing.
func (c *Command) Until(ctx context.Context) syntax.Checker { return until{c, ctx} }

type until struct {
	*Command
	ctx context.Context
}

// Check implements syntax.Checker. It waits until a program may run, and for its end.
func (u until) Check(text string) syntax.Result {
	select {
	case u.slots <- struct{}{}:
		defer func() { <-u.slots }()
	case <-u.ctx.Done():
		return unknown(u.ctx.Err().Error())
	}
	ctx, cancel := context.WithTimeout(u.ctx, u.limits.For)
	defer cancel()
	said, err := u.run(ctx, text)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return unknown(fmt.Sprintf("it took longer than %s", u.limits.For))
	case ctx.Err() != nil:
		return unknown(ctx.Err().Error())
	}
	return meaning(err, said)
}

// run runs the program over a text and returns the beginning of what it wrote.
func (c *Command) run(ctx context.Context, text string) (said string, err error) {
	var out output
	p := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	p.Stdin, p.Stdout, p.Stderr, p.Env = strings.NewReader(text), &out, &out, environ()
	apart(p)
	p.Cancel = func() error { return end(p) }
	// What a program started and did not wait for may hold its output open.
	p.WaitDelay = time.Second
	if err := p.Start(); err != nil {
		return "", err
	}
	err = p.Wait()
	_ = end(p) // there is nothing to end as a rule
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended with 0
	}
	return out.firstLine(), err
}

// meaning returns what the end of a program says.
func meaning(err error, said string) syntax.Result {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return syntax.Result{Known: true, OK: true, At: -1}
	case !errors.As(err, &ended):
		return unknown(err.Error())
	case ended.ExitCode() < 0 || ended.ExitCode() > 125:
		return unknown(strings.TrimSuffix(ended.Error()+": "+said, ": "))
	}
	return syntax.Result{Known: true, At: -1, Message: cmp.Or(said, ended.Error())}
}

func unknown(why string) syntax.Result { return syntax.Result{At: -1, Message: why} }

// mostOutput is how much is kept of what a program writes, in bytes: a line.
const mostOutput = 400

// output keeps the beginning of what is written, and lets the rest go. One goroutine of
// the program's writes both of its streams, for they are the same writer.
type output struct{ kept bytes.Buffer }

func (o *output) Write(p []byte) (int, error) {
	o.kept.Write(p[:min(len(p), mostOutput-o.kept.Len())])
	return len(p), nil
}

// firstLine returns the first line that is not blank, as far as it can be printed.
func (o *output) firstLine() string {
	for line := range strings.Lines(strings.ToValidUTF8(o.kept.String(), "")) {
		line = strings.TrimSpace(strings.Map(func(c rune) rune {
			if unicode.IsPrint(c) {
				return c
			}
			return -1
		}, line))
		if line != "" {
			return line
		}
	}
	return ""
}
