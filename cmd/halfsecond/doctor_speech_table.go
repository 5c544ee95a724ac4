package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// writeTable prints the diagnosis for people. Width is that of the terminal, 0 for none.
func (d *speechDiagnosis) writeTable(w io.Writer, width int) error {
	if width == 0 || width > 110 {
		width = 110
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d.writeEndpoint(t)
	if s := d.first(); s != nil {
		d.writeTimeline(t, s)
		writeSpeechClocks(t, s)
	}
	d.writeSessions(t)
	writeFound(t, d.found, d.otherwise(), width)
	return t.Flush()
}

// otherwise says what there is to say where nothing is to be fixed.
func (d *speechDiagnosis) otherwise() string {
	if d.Verdict != verdictUnmeasured {
		return "nothing to fix"
	}
	whole, begun := 0, false
	for i := range d.heard.Sessions {
		begun = begun || len(d.heard.Sessions[i].Events) > 0
		if d.heard.Sessions[i].OK() {
			whole++
		}
	}
	switch {
	case whole == 0 && begun:
		return "no session was whole: what came until then stands above"
	case whole == 0:
		return "nothing was measured"
	}
	return fmt.Sprintf("nothing seen to fix so far: %s of %d", counted(whole, "whole session"), d.heard.Planned)
}

// first returns the first session in which the server said anything, if only that it closes; nil
// without one.
func (d *speechDiagnosis) first() *heard.Session {
	for i := range d.heard.Sessions {
		if s := &d.heard.Sessions[i]; len(s.Events) > 0 || s.Close() != 0 {
			return s
		}
	}
	return nil
}

// kinds say what an endpoint does.
var kinds = map[heard.Kind]string{heard.Listens: "speech to text", heard.Speaks: "text to speech", heard.Converses: "speech to speech"}

func (d *speechDiagnosis) writeEndpoint(t *tabwriter.Writer) {
	e := d.heard
	fmt.Fprintf(t, "endpoint\t%s\n", pipeline.Printable(e.URL))
	fmt.Fprintf(t, "protocol\t%s: %s\n", e.Protocol, kinds[e.Kind])
	fmt.Fprintf(t, "model\t%s%s\n", pipeline.Printable(e.Model), pipeline.Printable(either(e.Voice != "", ", voice "+e.Voice, "")))
	if r := e.Recording; r != nil {
		fmt.Fprintf(t, "said to it\t%s: %s ms at %d samples a second; speech from %s to %s\n",
			pipeline.Printable(r.Name), plainMS(r.Length), r.Rate, plainMS(r.SpeechFrom), plainMS(r.SpeechTo))
		if r.Lacks > 0 {
			fmt.Fprintf(t, "\tthe file was cut: its header says that it goes on for %s ms\n", plainMS(r.Lacks))
		} else if r.Cut {
			fmt.Fprint(t, "\tthe file was cut: it ends in the midst of a frame, or without its last page\n")
		}
	} else {
		fmt.Fprintf(t, "to be said\t%s\n", strconv.Quote(e.Text))
		fmt.Fprintf(t, "asked for\t%s, %d samples a second\n", e.Format, e.Rate)
	}
	if e.Idle > 0 {
		fmt.Fprintf(t, "left alone\tfor %s before\n", e.Idle)
	}
	t.Flush()
}

// zero says what a session's times count from.
func zero(e *heard.Endpoint) string {
	if e.Kind == heard.Speaks {
		return "from the text's due instant"
	}
	return "from the end of speech"
}

// writeTimeline prints what happened in a session. Runs of audio are one line.
func (d *speechDiagnosis) writeTimeline(t *tabwriter.Writer, s *heard.Session) {
	fmt.Fprintf(t, "\nsession %d, event by event (ms %s)\n", s.ID, zero(d.heard))
	fmt.Fprint(t, "at\tfrom\tkind\tbytes\tits own word\tsays\n")
	lines := timeline(s)
	for i, l := range lines {
		if len(lines) > 2*shownSpeech+1 && i >= shownSpeech && i < len(lines)-shownSpeech {
			if i == shownSpeech {
				fmt.Fprintf(t, "...\t\t%d more\n", len(lines)-2*shownSpeech)
			}
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", l.at, l.from, l.kind, l.bytes, pipeline.Printable(cmp.Or(l.name, "-")), l.says)
	}
	t.Flush()
}

// shownSpeech is how many lines of a long session are shown at its beginning and its end.
const shownSpeech = 14

type timelineLine struct{ at, from, kind, bytes, name, says string }

// timeline returns the lines of a session.
func timeline(s *heard.Session) (lines []timelineLine) {
	events := documentSpeech(s)
	for i := 0; i < len(events); i++ {
		e := events[i]
		l := timelineLine{at: atMS(e.AtMS), from: e.From, kind: e.Kind, bytes: either(e.Bytes > 0, strconv.Itoa(e.Bytes), "-"), name: e.Name, says: saysOf(&e)}
		n, bytes, samples := 1, e.Bytes, e.Samples
		for e.Kind == talk.KindAudio && i+1 < len(events) && events[i+1].Kind == talk.KindAudio && n < 1000 {
			i++
			n++
			bytes, samples = bytes+events[i].Bytes, samples+events[i].Samples
		}
		if n > 1 {
			l.bytes = strconv.Itoa(bytes)
			l.says = fmt.Sprintf("%d chunks up to %s, %d samples", n, atMS(events[i].AtMS), samples)
		}
		lines = append(lines, l)
	}
	return lines
}

func atMS(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return plainMS(spanOf(*ms))
}

// saysOf returns what an event says.
func saysOf(e *speechEvent) string {
	var said []string
	if e.Text != "" {
		said = append(said, strconv.Quote(e.Text))
	}
	if e.Flag != "" {
		said = append(said, "ends the turn: "+pipeline.Printable(e.Flag))
	}
	if e.Samples > 0 {
		said = append(said, fmt.Sprintf("%d samples", e.Samples))
	}
	return strings.Join(said, ", ")
}

// clockOf is an instant, or a span, of a session.
type clockOf struct {
	name  string
	value time.Duration
	what  string
}

// writeSpeechClocks prints what each clock would have reported of a session.
func writeSpeechClocks(t *tabwriter.Writer, s *heard.Session) {
	fmt.Fprintf(t, "\nwhat each clock says of session %d (ms)\n", s.ID)
	for _, c := range clocksOf(s) {
		if c.value != pipeline.Unknown {
			fmt.Fprintf(t, "%s\t%s\t%s\n", c.name, plainMS(c.value), c.what)
		}
	}
	t.Flush()
}

func clocksOf(s *heard.Session) []clockOf {
	sound, _ := s.Sound()
	all := []clockOf{
		{"connect", s.Connecting(), "DNS, connection and TLS"},
		{"accept", s.Accepting(), "from then to the server's acceptance: the upgrade, or status and headers"},
		{"configure", pipeline.Since(s.Accepted, s.Ready()), "from then until it takes audio or text"},
	}
	switch {
	case s.Transcription != nil:
		r := s.Transcription
		all = append(all,
			clockOf{"ttfp", r.TTFP(), "from the first audio to the first partial text"},
			clockOf{"turn end", s.Since(r.TurnEnd), "from the end of speech to the service's word that the turn is over"},
			clockOf{"ttfs", r.TTFS(), "from the end of speech to the last final text: what an agent waits for"})
	case s.Speech != nil:
		r := s.Speech
		all = append(all,
			clockOf{"ttfb", r.TTFB(), "the first byte, be it of a header"},
			clockOf{"ttfa", r.TTFA(), "the first byte of a sample"},
			clockOf{"ttaa", r.TTAA(), "the first sample that can be heard has come"},
			clockOf{"voiced", s.Since(r.Voiced), "a player that begins with the first sample plays that one: what a listener waits for"},
			clockOf{"lead", r.Lead, "silence before it"},
			clockOf{"length", r.Length(), "of the audio"},
			clockOf{"end", s.Since(r.End), spokenEnd(s)})
	default:
		r := s.Answered
		all = append(all,
			clockOf{"speech stopped", s.Since(r.SpeechStopped), "the server hears the end of speech"},
			clockOf{"response created", s.Since(r.ResponseCreated), "it begins the answer"},
			clockOf{"ttfa", s.Since(r.FirstAudio), "the first byte of a sample"},
			clockOf{"ttaa", r.V2V(), "the first sample that can be heard has come"},
			clockOf{"voiced", s.Since(r.Voiced), "a player that begins with the first sample plays that one: what a listener waits for"},
			clockOf{"lead", sound.Lead, "silence before it"},
			clockOf{"transcript", s.Since(r.HeardAt), "what the user said is written down"},
			clockOf{"response done", s.Since(r.ResponseDone), "the answer has ended"})
	}
	return all
}

// spokenEnd says what the end of a text that was to be spoken was.
func spokenEnd(s *heard.Session) string {
	switch s.Outcome() {
	case pipeline.OK:
		return "all of it has come"
	case pipeline.Timeout, pipeline.Cancelled:
		return "when it was given up, without an end"
	case pipeline.Truncated:
		return "when it broke off, without an end"
	}
	return "when it failed, without an end"
}

// writeSessions prints all sessions, a line each.
func (d *speechDiagnosis) writeSessions(t *tabwriter.Writer) {
	e := d.heard
	if len(e.Sessions) == 0 {
		return
	}
	fmt.Fprintf(t, "\nsessions (ms %s)\n", zero(e))
	heads := map[heard.Kind]string{
		heard.Listens:   "#\tturn ended by\toutcome\tttfp\tturn end\tttfs\tpartials\tfinals\taudio sent late by\ttext",
		heard.Speaks:    "#\toutcome\tttfb\tttfa\tttaa\tvoiced\tlead\tlength\trtf\tunderruns\tsamples a second",
		heard.Converses: "#\toutcome\tspeech stopped\tcreated\tttfa\tttaa\tvoiced\tlead\tunderruns\taudio sent late by\tsaid",
	}
	fmt.Fprintln(t, heads[e.Kind])
	for i := range e.Sessions {
		writeSession(t, &e.Sessions[i])
	}
	t.Flush()
	if e.Stopped == heard.Interrupted {
		fmt.Fprintf(t, "interrupted after %d of %d\n", len(e.Sessions), e.Planned)
	}
}

// rtf returns the real-time factor, a dash where it is not known.
func rtf(r *pipeline.Speech) string {
	if r.RTF() < 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.RTF())
}

func writeSession(t *tabwriter.Writer, s *heard.Session) {
	result := s.Outcome().String()
	if status := s.Transport().Status; status != 0 && status != 101 && status != 200 {
		result += fmt.Sprintf(" %d", status)
	}
	sound, _ := s.Sound()
	switch {
	case s.Transcription != nil:
		r := s.Transcription
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", s.ID, either(s.Forced, exchange.Client, "service"), result,
			plainMS(r.TTFP()), plainMS(s.Since(r.TurnEnd)), plainMS(r.TTFS()), r.Partials, r.Finals, plainMS(s.Pace.Late), strconv.Quote(r.Text))
	case s.Speech != nil:
		r := s.Speech
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", s.ID, result,
			plainMS(r.TTFB()), plainMS(r.TTFA()), plainMS(r.TTAA()), plainMS(s.Since(r.Voiced)), plainMS(r.Lead), plainMS(r.Length()), rtf(r), r.Underruns, r.Rate)
	default:
		r := s.Answered
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", s.ID, result,
			plainMS(s.Since(r.SpeechStopped)), plainMS(s.Since(r.ResponseCreated)), plainMS(s.Since(r.FirstAudio)), plainMS(r.V2V()), plainMS(s.Since(r.Voiced)),
			plainMS(sound.Lead), r.Underruns, plainMS(s.Pace.Late), strconv.Quote(r.Text))
	}
}
