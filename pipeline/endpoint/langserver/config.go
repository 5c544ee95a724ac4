package langserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/jsonrpc"
)

// Config says which language server is asked, and how.
type Config struct {
	// Command is the program and its arguments. It runs without a shell, in the folder and
	// with the environment of the caller.
	Command []string
	// Stream, in place of Command, is where a server is that already runs. Closing it must end
	// reads and writes under way.
	Stream io.ReadWriteCloser

	Root    string          // folder in which documents are said to lie; "" is /halfsecond, which need not be there
	Options json.RawMessage // initializationOptions, such as the server's manual has them; nil for none
	Version string          // of the caller

	Limits Limits
	// MaxRequests caps the completions that are asked for; a call over it is dropped, and so is
	// what comes after it. 0 is no cap.
	MaxRequests int
	// Spent, when set, is handed the cap that was met once no call is under way any more, on
	// the loop, perhaps several times.
	Spent func(error)
	// Keep, when set, is handed what was asked and answered for each request that was sent,
	// without the secrets of the environment, once it has ended. It is called from goroutines of
	// its own.
	Keep func(*exchange.Exchange)
	// MaxMessage is the largest message of the server that is read, in bytes; 0 is 16 MiB.
	MaxMessage int
	// MaxWaiting is how many bytes may wait for a server to read them before it is given up;
	// 0 is 16 MiB.
	MaxWaiting int
}

// Limits are the longest times that a client waits. 0 means the default.
type Limits struct {
	Start  time.Duration // for the answer to the first message; 30 s
	Offer  time.Duration // from then until it offers inline completion; 10 s
	Answer time.Duration // for a completion; 30 s
	End    time.Duration // for it to answer that it shuts down, and as long again for it to end; 2 s
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Start:  cmp.Or(l.Start, 30*time.Second),
		Offer:  cmp.Or(l.Offer, 10*time.Second),
		Answer: cmp.Or(l.Answer, 30*time.Second),
		End:    cmp.Or(l.End, 2*time.Second),
	}
}

func (c Config) withDefaults() Config {
	c.Root = cmp.Or(c.Root, "/halfsecond")
	c.Limits = c.Limits.withDefaults()
	c.MaxMessage = cmp.Or(c.MaxMessage, jsonrpc.DefaultMaxMessage)
	c.MaxWaiting = cmp.Or(c.MaxWaiting, 16<<20)
	return c
}

// Check reports everything that is wrong.
func (c Config) Check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Stream == nil && (len(c.Command) == 0 || c.Command[0] == ""), "there is no command: want a program and its arguments")
	bad(c.Stream != nil && len(c.Command) > 0, "there is both a command and a stream: want one or the other")
	bad(c.Options != nil && !json.Valid(c.Options), "the options are no JSON")
	bad(c.MaxRequests < 0, "cap of %d requests is negative", c.MaxRequests)
	bad(c.MaxMessage < 0, "limit of %d bytes a message is negative", c.MaxMessage)
	bad(c.MaxWaiting < 0, "limit of %d bytes that wait is negative", c.MaxWaiting)
	for _, l := range []struct {
		name string
		d    time.Duration
	}{{"start", c.Limits.Start}, {"offer", c.Limits.Offer}, {"answer", c.Limits.Answer}, {"end", c.Limits.End}} {
		bad(l.d < 0, "time limit %q is negative: %s", l.name, l.d)
	}
	return errors.Join(errs...)
}
