package observe

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"halfsecond/pipeline/document"
)

// String says in one line how much was seen so far.
func (c Counts) String() string {
	text := fmt.Sprintf("observed %s, %d given up", counted(c.Requests, "completion"), c.GivenUp)
	if c.Others > 0 {
		text += fmt.Sprintf("; %s", counted(c.Others, "other request"))
	}
	return text
}

// counted puts a number before a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Write writes the report for people, in lines of at most so many characters.
func (r *Report) Write(w io.Writer, width int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, text string) { fmt.Fprintf(t, "%s\t%s\n", name, text) }
	row("observed", r.seen())
	if len(r.Documents) == 0 {
		row("", "nothing that completes a document came: point the plugin here")
		return t.Flush()
	}
	row("typing", r.typing())
	row("answers", fmt.Sprintf("when their text came: %s", told(r.Answers.OnArrival)))
	row("", fmt.Sprintf("beside the next request: %s", told(r.Answers.Afterwards)))
	row("", fmt.Sprintf("%s out to clients, %d of them in the text later", counted(r.Answers.Tokens, "token"), r.Answers.Kept))
	if err := t.Flush(); err != nil {
		return err
	}
	return r.writeFindings(w, width)
}

// seen says how much was seen.
func (r *Report) seen() string {
	text := fmt.Sprintf("%s of %s, %d given up by the client", counted(r.Requests, "completion"), counted(len(r.Documents), "document"), r.GivenUp)
	if r.Connections > 0 {
		text += fmt.Sprintf(", over %s", counted(r.Connections, "connection"))
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; the oldest %d are no longer here", r.Dropped)
	}
	if n := r.Others + r.Refused; n > 0 {
		text += fmt.Sprintf("; %s beside them", counted(n, "request"))
	}
	return text
}

// typing says what was done in the editor.
func (r *Report) typing() string {
	var sum Document
	for _, d := range r.Documents {
		sum.Requests += d.Requests
		sum.Typed += d.Typed
		sum.Erased += d.Erased
		sum.Accepted += d.Accepted
		sum.Inserted += d.Inserted
		sum.Moved += d.Moved
		sum.Edited += d.Edited
	}
	text := fmt.Sprintf("%s typed, %d taken back, %s accepted, %d inserted at once, %s, %s elsewhere",
		counted(sum.Typed, "key"), sum.Erased, counted(sum.Accepted, "suggestion"), sum.Inserted, counted(sum.Moved, "cursor move"), counted(sum.Edited, "edit"))
	if keys := sum.Typed + sum.Erased; keys > 0 {
		text += fmt.Sprintf("; %.2f requests a key", share(sum.Requests, keys))
	}
	return text
}

// told says how often each verdict was reached.
func told(counts map[document.Verdict]int) string {
	var words []string
	for _, v := range byVerdict(counts) {
		words = append(words, fmt.Sprintf("%s %d", v, counts[v]))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// writeFindings writes what was found.
func (r *Report) writeFindings(w io.Writer, width int) error {
	var b strings.Builder
	if len(r.Findings) == 0 {
		b.WriteString("\nno habit was found that costs anything\n")
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&b, "\n%d. %s: %s\n", i+1, f.ID, f.Title)
		for _, e := range f.Evidence {
			wrap(&b, "   - ", e, width)
		}
		wrap(&b, "   fix: ", f.Fix, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrap writes a text behind a mark, and its further lines below its beginning.
func wrap(b *strings.Builder, mark, text string, width int) {
	b.WriteString(mark)
	at, indent := len(mark), strings.Repeat(" ", len(mark))
	for i, word := range strings.Fields(text) {
		if i > 0 && at+1+len(word) > width {
			b.WriteString("\n" + indent)
			at = len(indent)
		} else if i > 0 {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
}
