package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// writeTable prints the diagnosis for people. Width is that of the terminal, 0 for none.
func (d *diagnosis) writeTable(w io.Writer, width int) error {
	if width == 0 || width > 110 {
		width = 110
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d.writeEndpoint(t)
	if r := d.first(); r != nil {
		writeTimeline(t, r)
		writeClocks(t, r)
	}
	if len(d.seen.Requests) > 0 {
		d.writeRequests(t)
		d.writeConnection(t)
	}
	d.writeFindings(t, width)
	return t.Flush()
}

// first returns the first request that got a response, nil when none did.
func (d *diagnosis) first() *seen.Request {
	for i := range d.seen.Requests {
		if len(d.seen.Requests[i].Events) > 0 {
			return &d.seen.Requests[i]
		}
	}
	return nil
}

// hows say how something came to be known.
var hows = map[string]string{
	seen.Told: "as you say", seen.Path: "as the path says", seen.List: "its list of models has that form",
	seen.Answer: "it answers where that is asked", seen.Assumed: "assumed: nothing tells",
	seen.Only: "the only one that it lists", seen.Ignored: "the protocol leaves the choice to the server",
}

func (d *diagnosis) writeEndpoint(t *tabwriter.Writer) {
	s := d.seen
	fmt.Fprintf(t, "endpoint\t%s\n", pipeline.Printable(s.URL))
	fmt.Fprintf(t, "protocol\t%s (%s)\n", s.Protocol, hows[s.ProtocolBy])
	if s.Model != "" {
		fmt.Fprintf(t, "model\t%s (%s)\n", pipeline.Printable(s.Model), hows[s.ModelBy])
	}
	for i, line := range lookLines(s.Looks) {
		fmt.Fprintf(t, "%s\t%s\n", either(i == 0, "also asked", ""), line)
	}
	t.Flush()
}

// lookLines says what was asked beside the requests, in one line for all that were answered
// alike; the document has each.
func lookLines(looks []seen.Look) []string {
	var answers []string
	alike := map[string][]seen.Look{}
	for _, l := range looks {
		words := lookWords(l, false)
		if alike[words] == nil {
			answers = append(answers, words)
		}
		alike[words] = append(alike[words], l)
	}
	var lines []string
	for _, words := range answers {
		first, others := alike[words][0], len(alike[words])-1
		line := first.Method + " " + first.URL
		if others > 0 {
			line += " and " + counted(others, "other place")
		}
		lines = append(lines, pipeline.Printable(line+": "+lookWords(first, others == 0)))
	}
	return lines
}

// lookWords says how a Look was answered, in the server's words if it is alone with these.
func lookWords(l seen.Look, alone bool) string {
	switch {
	case l.Status == 0:
		return l.Failed
	case l.To != "":
		return fmt.Sprintf("HTTP %d to %s", l.Status, l.To)
	case l.Status >= 300 && alone && l.Message != "":
		return fmt.Sprintf("HTTP %d, %s", l.Status, l.Message)
	case l.Status >= 300:
		return fmt.Sprintf("HTTP %d", l.Status)
	}
	return fmt.Sprintf("HTTP %d, %s", l.Status, l.Type)
}

// Events of a long answer that a timeline shows at its beginning and its end.
const (
	shownFirst = 10
	shownLast  = 5
)

func writeTimeline(t *tabwriter.Writer, r *seen.Request) {
	fmt.Fprintf(t, "\nrequest %d, event by event (ms from sending)\n", r.Record.ID)
	fmt.Fprint(t, "at\tgap\tkind\tbytes\tbegins with\n")
	n := len(r.Events)
	for i, e := range r.Events {
		if n > shownFirst+shownLast+1 && i >= shownFirst && i < n-shownLast {
			if i == shownFirst {
				fmt.Fprintf(t, "...\t\t%d more\t\t%s\n", n-shownFirst-shownLast, gapsBetween(r.Events[shownFirst-1:n-shownLast]))
			}
			continue
		}
		gap := "-"
		if i > 0 {
			gap = plainMS(e.At - r.Events[i-1].At)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\n", plainMS(r.Since(e.At)), gap, e.Kind, e.Bytes, strconv.Quote(e.Text))
	}
	t.Flush()
}

// gapsBetween says how far apart events are.
func gapsBetween(events []seen.Event) string {
	least, most := time.Duration(1<<62), time.Duration(0)
	for i := 1; i < len(events); i++ {
		g := events[i].At - events[i-1].At
		least, most = min(least, g), max(most, g)
	}
	return fmt.Sprintf("gaps of %s to %s ms", plainMS(least), plainMS(most))
}

func plainMS(d time.Duration) string {
	if d == pipeline.Unknown {
		return "-"
	}
	return budgets.Number(milliseconds(d), 1)
}

// writeClocks prints what each clock would have reported of a request.
func writeClocks(t *tabwriter.Writer, r *seen.Request) {
	if r.Record.FirstByte == pipeline.Unknown || r.Refused() {
		return
	}
	fmt.Fprintf(t, "\nwhat each clock says of request %d (ms from sending)\n", r.Record.ID)
	for _, c := range []struct {
		at         time.Duration
		name, what string
	}{
		{r.Record.FirstByte, "ttfb", "the first byte of the body, whatever it is: " + r.Events[0].Kind},
		{r.Events[0].At, "first event", "the first event is whole, be there output in it or not"},
		{r.Record.FirstOutput, "ttft", "the first output of any kind, reasoning too"},
		{r.Record.FirstText, "ttfo", "the first output that is not reasoning"},
		{r.Record.FirstSeen, "ttfv", "the first character that can be seen: what a user waits for"},
		{r.Record.LastOutput, "last output", "the end for latency and pace"},
		{r.Record.End, "e2e", ending(r)},
	} {
		if c.at != pipeline.Unknown {
			fmt.Fprintf(t, "%s\t%s\t%s\n", c.name, plainMS(r.Since(c.at)), c.what)
		}
	}
	t.Flush()
}

// ending says at what the clock of a whole answer stopped.
func ending(r *seen.Request) string {
	switch {
	case r.Record.Outcome == pipeline.Timeout, r.Record.Outcome == pipeline.Cancelled, r.TooLong():
		return "when the answer was given up, without an end"
	case r.Reply != nil && r.Reply.BodyBroken && !r.Reply.Done:
		return "when the connection broke, without an end"
	}
	return "the end event, or the end of the body"
}

func (d *diagnosis) writeRequests(t *tabwriter.Writer) {
	fmt.Fprint(t, "\nrequests (ms from sending)\n")
	fmt.Fprint(t, "#\tprompt\toutcome\tttfb\tttft\tttfv\te2e\ttpot\ttokens\tchunks\tprompt tokens\tcached\tthe server says\n")
	for i := range d.seen.Requests {
		r := &d.seen.Requests[i]
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n",
			r.Record.ID, r.Prompt+either(r.Gzip, ", gzip", ""), outcome(r), plainMS(r.Since(r.Record.FirstByte)), plainMS(r.Since(r.Record.FirstOutput)),
			plainMS(r.Since(r.Record.FirstSeen)), plainMS(r.Since(r.Record.End)), plainMS(tpot(r)),
			plainCount(r.Record.OutputTokens), r.Record.Chunks, plainCount(r.Record.PromptTokens), plainCount(r.Record.CachedTokens), serverWords(r.Record.Server))
	}
	t.Flush()
	switch d.seen.Stopped {
	case seen.Cap:
		fmt.Fprintf(t, "%d of %d were sent: one more might have exceeded the cap on tokens\n", len(d.seen.Requests), d.seen.Planned)
	case seen.Interrupted:
		fmt.Fprintf(t, "interrupted in request %d of %d\n", len(d.seen.Requests), d.seen.Planned)
	case seen.Overrun:
		fmt.Fprintf(t, "%d of %d were sent: one more would go on as long, and cost as much\n", len(d.seen.Requests), d.seen.Planned)
	case seen.TimedOut:
		fmt.Fprintf(t, "%d of %d were sent: one more might take as long\n", len(d.seen.Requests), d.seen.Planned)
	}
}

func outcome(r *seen.Request) string {
	text := r.Record.Outcome.String()
	if s := r.Record.Transport.Status; s != 0 && s != 200 {
		text += fmt.Sprintf(" %d", s)
	}
	return text
}

func plainCount(n int) string {
	if n == pipeline.UnknownCount {
		return "-"
	}
	return strconv.Itoa(n)
}

func serverWords(s pipeline.ServerTime) string {
	var said []string
	for _, t := range []struct {
		name string
		d    time.Duration
	}{{"queue", s.Queue}, {"load", s.Load}, {"prefill", s.Prefill}, {"decode", s.Decode}, {"total", s.Total}} {
		if t.d != pipeline.Unknown {
			said = append(said, t.name+" "+plainMS(t.d))
		}
	}
	if said == nil {
		return "-"
	}
	return strings.Join(said, ", ")
}

// writeConnection says how the connections were made.
func (d *diagnosis) writeConnection(t *tabwriter.Writer) {
	first, again, later := &d.seen.Requests[0].Record.Transport, 0, 0
	for i := range d.seen.Requests[1:] {
		r := &d.seen.Requests[i+1]
		if !r.Gzip && r.Record.Sent != pipeline.Unknown {
			later++
			if r.Record.Transport.Reused {
				again++
			}
		}
	}
	said := []string{"HTTP/" + first.HTTP}
	if first.HTTP == "" {
		said = []string{"no response"}
	}
	for _, p := range []struct {
		name string
		d    time.Duration
	}{{"DNS", first.DNS}, {"connect", first.Connect}, {"TLS", first.TLS}} {
		if p.d != pipeline.Unknown {
			said = append(said, p.name+" "+plainMS(p.d)+" ms")
		}
	}
	if later > 0 && !d.seen.Cold {
		said = append(said, fmt.Sprintf("used again by %d of %s", again, counted(later, "later request")))
	}
	fmt.Fprintf(t, "\nconnection\t%s\n", strings.Join(said, ", "))
	t.Flush()
}

// writeFindings prints what was found, what hurts most first.
func (d *diagnosis) writeFindings(t *tabwriter.Writer, width int) {
	otherwise := "nothing to fix"
	switch {
	case d.seen.Stopped == seen.Interrupted && d.first() != nil:
		otherwise = "interrupted: nothing to fix in what had come by then"
	case d.Verdict == verdictUnmeasured:
		otherwise = "nothing was measured"
	}
	writeFound(t, d.found, otherwise, width)
	if len(d.Untold) > 0 {
		fmt.Fprintln(t)
		writeWrapped(t, "not told: ", strings.Join(d.Untold, "; "), width)
	}
}

// writeFound prints findings, and in place of those that ask for a fix, where there are
// none, what else there is to say.
func writeFound(t *tabwriter.Writer, found []finding.Finding, otherwise string, width int) {
	number := 0
	for _, f := range found {
		if f.Severity != finding.Note {
			number++
			writeFinding(t, fmt.Sprintf("%d. %s: ", number, f.Severity), f, width)
		}
	}
	if number == 0 {
		fmt.Fprintf(t, "\n%s\n", otherwise)
	}
	for _, f := range found {
		if f.Severity == finding.Note {
			writeFinding(t, "note: ", f, width)
		}
	}
}

func writeFinding(w io.Writer, head string, f finding.Finding, width int) {
	fmt.Fprintln(w)
	writeWrapped(w, head, f.Title, width)
	for _, e := range f.Evidence {
		writeWrapped(w, "   seen: ", e, width)
	}
	writeWrapped(w, "   fix:  ", f.Fix, width)
}

// writeWrapped writes a text in lines of at most width columns, behind a head that the
// lines after the first are indented by. What is not printed is escaped, since a server
// may have said it.
func writeWrapped(w io.Writer, head, text string, width int) {
	indent := strings.Repeat(" ", min(len(head), 9))
	line := head
	for i, word := range strings.Fields(text) {
		word = pipeline.Printable(word)
		switch {
		case i > 0 && len(line)+1+len(word) > width:
			fmt.Fprintln(w, line)
			line = indent + word
		case i > 0:
			line += " " + word
		default:
			line += word
		}
	}
	fmt.Fprintln(w, line)
}
