package others

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxLine is how much of a line of a log is looked at. Lines with prompts are longer.
const maxLine = 64 << 10

// vapiSign begins a line of Vapi's log that has the latencies of a turn.
const vapiSign = "Turn latency:"

// What lines of Pipecat's log look like: of its metrics (FrameProcessorMetrics, and
// MetricsLogObserver with a processor in brackets), of UserBotLatencyLogObserver, and of
// TurnTraceObserver. Source: src/pipecat/observers/loggers/ @071c089 and @16169c2,
// src/pipecat/utils/tracing/turn_trace_observer.py @032100c of github.com/pipecat-ai/pipecat;
// a log in its issue 2202; read 2026-11-30.
var (
	lineTTFB     = regexp.MustCompile(`\[?([A-Za-z0-9_#.-]+)\]? TTFB(?: \([^)]*\))?: ([0-9.eE+-]+?)s?(?:\s|$)`)
	lineGathered = regexp.MustCompile(`(?i)text aggregation(?: time)?(?: \([^)]*\))?: ([0-9.eE+-]+?)s?(?:\s|$)`)
	lineDecided  = regexp.MustCompile(`SMART TURN(?: \([^)]*\))?: (COMPLETE|INCOMPLETE) .*e2e: ([0-9.]+)ms`)
	lineLatency  = regexp.MustCompile(`LATENCY FROM USER STOPPED SPEAKING TO BOT STARTED SPEAKING: ([0-9.]+)s`)
	lineTurn     = regexp.MustCompile(`Turn ([0-9]+) user-bot latency: ([0-9.]+)s`)
)

// readLog reads lines of text, and takes those that it knows.
func (im *Importer) readLog(name string, from *bufio.Reader, g *guard) error {
	for n := 1; ; n++ {
		g.next()
		line, err := lineOf(from, g)
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		if failed := im.line(line, place{file: name, line: n}); failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
	}
}

// lineOf returns the next line, or the beginning of a long one.
func lineOf(from *bufio.Reader, g *guard) (string, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if err != bufio.ErrBufferFull {
			return strings.TrimRight(string(line), "\r\n"), err
		}
		g.next()
	}
}

func (im *Importer) line(line string, at place) error {
	if strings.Contains(line, vapiSign) {
		return im.vapiLine(line, at)
	}
	call := at.file
	take := func(number string, unit time.Duration, into func(d time.Duration)) error {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return at.errorf("%v", strconvError(number))
		}
		d, err := spanOf(v, unit)
		if err != nil {
			return at.errorf("%s: %v", number, err)
		}
		if err := im.use(pipecatMetrics, at); err != nil {
			return err
		}
		into(d)
		return nil
	}
	if m := lineLatency.FindStringSubmatch(line); m != nil {
		return take(m[1], time.Second, func(d time.Duration) { im.latency(call, "", d, stampOf(line), at) })
	}
	if m := lineTurn.FindStringSubmatch(line); m != nil {
		return take(m[2], time.Second, func(d time.Duration) { im.latency(call, m[1], d, stampOf(line), at) })
	}
	if m := lineDecided.FindStringSubmatch(line); m != nil {
		return take(m[2], time.Millisecond, func(d time.Duration) { im.decided(call, m[1] == "COMPLETE", d, at) })
	}
	if m := lineGathered.FindStringSubmatch(line); m != nil {
		return take(m[1], time.Second, func(d time.Duration) { im.aggregated(call, d, at) })
	}
	if m := lineTTFB.FindStringSubmatch(line); m != nil {
		return take(m[2], time.Second, func(d time.Duration) { im.ttfb(call, m[1], d, at) })
	}
	if text := strings.TrimSpace(line); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		im.leave("lines of JSON in a log of text, which is read for its own lines: import them as a file of their own")
	}
	return nil
}

// stampOf returns the instant with which Pipecat's logger, loguru, begins a line. Its zone is
// not known: only what lies between two lines can be told.
func stampOf(line string) time.Duration {
	const form = "2006-01-02 15:04:05.000"
	if len(line) < len(form) {
		return unknown
	}
	t, err := time.Parse(form, line[:len(form)])
	if err != nil || t.Year() < 1971 || t.Year() > 2200 {
		return unknown
	}
	return time.Duration(t.UnixNano())
}

func strconvError(text string) error {
	return fmt.Errorf("%.40q: want a number, such as 232ms or 0.232s", text)
}
