package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/replay"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// replayingOptions are the inputs of replay, as typed.
type replayingOptions struct {
	source string
	addr   string
	access mockAccess
	limit  time.Duration
	given  func(flag string) bool
}

func newReplayCmd(p *program) *cobra.Command {
	opts := &replayingOptions{}
	cmd := &cobra.Command{
		Use:   "replay FILE|DIR",
		Short: "Serve a cassette with the pace that it was recorded with",
		Long: `Replay serves the exchanges of a cassette, or of the folder of a run: each request gets a
recorded response, each read of it as a write of its own, as long after the request as it
came when it was recorded, with the recorded status, headers, content coding and end.

A request that asks the very same as a recorded one, byte for byte at the same path, gets
the response to that; if several did, the next of them. Any other gets the next response
of its path, round and round. What was never asked is answered with 404 and the paths that
were. The list of models holds those that were asked.

How late replay itself wrote is in the line at its end, as the mock's.`,
		Example: `  halfsecond record results --out cassette.jsonl.gz
  halfsecond replay cassette.jsonl.gz --addr 127.0.0.1:8091
  halfsecond run voice --endpoint llm=http://127.0.0.1:8091/v1 --n 20`,
		Annotations: offers("table"),
		Args:        oneArgument("a cassette, or a folder that run --out made"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.source, opts.given = args[0], cmd.Flags().Changed
			return serveTape(cmd.Context(), p, opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.addr, "addr", "127.0.0.1:8091", "`address` to listen on; port 0 takes a free one")
	opts.access.addTLSFlags(f)
	f.DurationVar(&opts.limit, "fit-limit", ledger.DefaultLimit, "`p99` of its own write error above which replay calls itself unfit to be measured against")
	return cmd
}

// serveTape serves a cassette until it is interrupted.
func serveTape(ctx context.Context, p *program, o *replayingOptions) error {
	if o.limit <= 0 {
		return usageError(fmt.Errorf("--fit-limit %s: want a time above 0", o.limit))
	}
	if err := o.access.checkTLS(o.given); err != nil {
		return usageError(err)
	}
	tape, err := readTape(o.source)
	if err != nil {
		return usageError(err)
	}
	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return usageError(fmt.Errorf("--addr %s: %w", o.addr, err))
	}
	defer ln.Close()
	c := replay.Config{
		Exchanges: tape.playable, Loop: pipeline.NewPreciseWall(), Limit: o.limit,
		Warn: func(text string) { fmt.Fprintf(p.err, "halfsecond: %s\n", text) },
	}
	if c.Certificate, err = o.access.certify(ln.Addr()); err != nil {
		return usageError(err)
	}
	s, err := replay.New(c)
	if err != nil {
		return usageError(err)
	}
	if err := o.announce(p.out, s, tape, ln.Addr()); err != nil {
		return err
	}
	err = s.Run(ctx, ln)
	_, unsaid := fmt.Fprintln(p.out, s.Writes.Report())
	return errors.Join(err, unsaid)
}

// tape is what a file of exchanges holds.
type tape struct {
	header   exchange.Header
	playable []*exchange.Exchange
	left     map[string]int // others, by why
	cut      bool           // it ends in mid-air
}

// readTape reads a cassette, or the raw log in a folder. The error says why nothing of it
// can be served.
func readTape(name string) (*tape, error) {
	from, file, err := openRaw(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &tape{header: from.Header, left: map[string]int{}}
	for {
		x, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		if why := x.Playable(); why != nil {
			t.left[why.Error()]++
			continue
		}
		t.playable = append(t.playable, x)
	}
	t.cut = from.Unfinished()
	if len(t.playable) > 0 {
		return t, nil
	}
	return nil, fmt.Errorf("%s: there is nothing to serve: %s", file.Name(), strings.Join(append(t.words(), "it holds no other exchange"), "; "))
}

// words say what is not served.
func (t *tape) words() (all []string) {
	for _, why := range slices.Sorted(maps.Keys(t.left)) {
		all = append(all, fmt.Sprintf("left out %s: %s", counted(t.left[why], "exchange"), why))
	}
	if t.cut {
		all = append(all, "the file ends in mid-air, as after a kill: what comes before that is served")
	}
	if t.header.Hashed {
		all = append(all, "words were not kept: other letters of the same size stand for them")
	}
	return all
}

// announce says what is served where.
func (o *replayingOptions) announce(w io.Writer, s *replay.Server, t *tape, addr net.Addr) error {
	var out bytes.Buffer
	scheme := "http"
	if o.access.certificate != nil {
		scheme = "https"
	}
	fmt.Fprintf(&out, "replaying %s at %s://%s: %s\n", o.source, scheme, reachable(addr), counted(len(t.playable), "recorded exchange"))
	for _, p := range s.Paths() {
		fmt.Fprintf(&out, "  %s: %d of %s", p.Name, p.N, strings.Join(p.Protocols, ", "))
		if len(p.Models) > 0 {
			fmt.Fprintf(&out, ", model %s", strings.Join(p.Models, ", "))
		}
		if p.FirstByte != pipeline.Unknown {
			fmt.Fprintf(&out, "; first byte after %s at the median", p.FirstByte.Round(time.Millisecond/10))
		}
		fmt.Fprintln(&out)
	}
	for _, text := range t.words() {
		fmt.Fprintln(&out, text)
	}
	if c := o.access.certificate; c != nil {
		fmt.Fprintf(&out, "certificate: %s (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE or REQUESTS_CA_BUNDLE make clients trust it)\n", c.Path)
	}
	fmt.Fprintln(&out, "Ctrl-C ends it")
	_, err := out.WriteTo(w)
	return err
}
