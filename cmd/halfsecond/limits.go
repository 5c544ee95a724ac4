package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/reply"
)

// limits are how long an endpoint may take for each phase of a request, and how much it
// may answer.
type limits struct {
	endpoint.Limits
	bytes byteSize
}

// limitFlags are the names of the flags of limits.
var limitFlags = []string{"limit-connect", "limit-first-byte", "limit-gap", "limit-whole", "limit-bytes"}

func (l *limits) addFlags(f *pflag.FlagSet) {
	d := endpoint.Limits{}.WithDefaults()
	l.bytes = reply.DefaultMaxBytes
	f.DurationVar(&l.Connect, limitFlags[0], d.Connect, "longest `time` until a request to an endpoint has a connection")
	f.DurationVar(&l.FirstByte, limitFlags[1], d.FirstByte, "longest `time` from then to the first byte of the answer")
	f.DurationVar(&l.Gap, limitFlags[2], d.Gap, "longest `time` between two reads of an answer")
	f.DurationVar(&l.Whole, limitFlags[3], d.Whole, "longest `time` of a request, from its start to the end of the answer")
	f.Var(&l.bytes, limitFlags[4], "most `bytes` of an answer, such as 4MiB; one of more chunks than its tokens make is cut in any case")
}

// mostBytes is the highest limit of an answer. In the raw log each byte may take six, and each
// read, of which there is one for each 16 bytes, some twenty more: a line that is longer than
// 512 MiB is not read again.
const mostBytes = 64 << 20

// validate reports limits that let nothing pass, or too much.
func (l *limits) validate() error {
	var errs []error
	for i, d := range []time.Duration{l.Connect, l.FirstByte, l.Gap, l.Whole} {
		if d <= 0 {
			errs = append(errs, fmt.Errorf("--%s %s: want a time above 0, such as 30s", limitFlags[i], d))
		}
	}
	if l.bytes > mostBytes {
		most := byteSize(mostBytes)
		errs = append(errs, fmt.Errorf("--%s %s: want %s at most, or the raw log could not be read again", limitFlags[4], &l.bytes, &most))
	}
	return errors.Join(errs...)
}

// bind sets the limits of a client. The usual size is what it has of itself, and need not
// stand in each line of a raw log.
func (l *limits) bind(c *endpoint.Config) {
	c.Limits, c.MaxBytes = l.Limits, int64(l.bytes)
	if c.MaxBytes == reply.DefaultMaxBytes {
		c.MaxBytes = 0
	}
}

// String says the limits in words.
func (l *limits) String() string {
	return fmt.Sprintf("%s for a connection, %s to the first byte, %s between reads, %s for all of it, %s an answer", l.Connect, l.FirstByte, l.Gap, l.Whole, &l.bytes)
}

// limitsDocument is limits as JSON.
type limitsDocument struct {
	Connect   float64 `json:"connect_ms"`
	FirstByte float64 `json:"first_byte_ms"`
	Gap       float64 `json:"gap_ms"`
	Whole     float64 `json:"whole_ms"`
	Bytes     int64   `json:"bytes"`
}

func (l *limits) document() *limitsDocument {
	return &limitsDocument{milliseconds(l.Connect), milliseconds(l.FirstByte), milliseconds(l.Gap), milliseconds(l.Whole), int64(l.bytes)}
}

// byteSize is a number of bytes as a flag.
type byteSize int64

// byteUnits are the units of a byteSize, the largest first.
var byteUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

var errBytes = errors.New("want a number of bytes such as 1000000, 512KiB or 4MiB")

// Set implements pflag.Value.
func (b *byteSize) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range byteUnits {
		if n, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = n, u.size
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return errBytes
	}
	*b = byteSize(n * unit)
	return nil
}

// String implements pflag.Value.
func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if n := int64(*b); n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *byteSize) Type() string { return "bytes" }
