package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server"
)

// mockObserve says what the mock tells of the plugin that asks it, as typed.
type mockObserve struct {
	on           bool
	report, keys string // files, or ""
	texts        bool

	observer *observe.Observer // nil when nothing is to be told
}

func (o *mockObserve) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "observe", false, "at the end tell what the prompts say of the typing, and which habits of the plugin cost something")
	f.StringVar(&o.report, "observe-report", "", "write that to a JSON `file` too, with each step of the typing")
	f.StringVar(&o.keys, "observe-keys", "", "write the typing to a `file` as a recording; it holds what was typed")
	f.BoolVar(&o.texts, "observe-texts", false, "put what was typed and answered into the report, and not only how much")
}

// fill has the server told to an observer, where one is wanted.
func (o *mockObserve) fill(c *server.Config) error {
	if !o.on && o.report == "" && o.keys == "" && !o.texts {
		return nil
	}
	var errs []error
	for _, f := range []struct{ flag, name string }{{"report", o.report}, {"keys", o.keys}} {
		if f.name == "" {
			continue
		}
		_, err := replaceable(f.name)
		if err == nil {
			_, err = os.Stat(filepath.Dir(f.name))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--observe-%s: %w", f.flag, err))
		}
	}
	if o.report != "" && o.report == o.keys {
		errs = append(errs, fmt.Errorf("--observe-report and --observe-keys both name %s: want two files", o.report))
	}
	o.observer = observe.New(observe.Config{})
	c.Observer, c.Texts = o.observer, o.texts
	return errors.Join(errs...)
}

// observeEvery is how often a terminal is told how much was seen.
const observeEvery = 2 * time.Second

// watch tells a terminal how much was seen, until ctx ends.
func (o *mockObserve) watch(ctx context.Context, p *program) {
	if o.observer == nil || !p.progress {
		return
	}
	tick := time.NewTicker(observeEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintf(p.err, "\r\x1b[K%s", o.observer.Counts())
		case <-ctx.Done():
			fmt.Fprint(p.err, "\r\x1b[K")
			return
		}
	}
}

// narrow is how wide a report is where there is no terminal, and at most.
const narrow = 110

// tell says what was observed, and writes the files.
func (o *mockObserve) tell(p *program) error {
	if o.observer == nil {
		return nil
	}
	r := o.observer.Report(o.texts)
	width := min(narrow, cmp.Or(p.width, narrow))
	return errors.Join(r.Write(p.out, width),
		o.write("report", o.report, func(w io.Writer) error { return writeJSON(w, r) }),
		o.write("keys", o.keys, o.observer.WriteKeys))
}

// write writes one of the files, if it is wanted.
func (o *mockObserve) write(flag, name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	if err := replaceFile(name, write); err != nil {
		return fmt.Errorf("--observe-%s: %w", flag, err)
	}
	return nil
}
