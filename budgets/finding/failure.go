package finding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// failures finds answers that began well and did not end so, one finding a kind.
func failures(v *view) []Finding {
	var found []Finding
	var alike []int // how many requests each is about
	at := map[string]int{}
	for i := range v.Requests {
		r := &v.Requests[i]
		if r.Refused() || r.Record.Transport.Status == 0 {
			continue
		}
		f, ok := v.failure(r)
		if !ok {
			continue
		}
		if n, known := at[f.ID]; known {
			alike[n]++
			continue
		}
		at[f.ID] = len(found)
		f.Severity, f.Cost = cmp.Or(f.Severity, Broken), pipeline.Unknown
		found, alike = append(found, f), append(alike, 1)
	}
	for i := range found {
		if alike[i] > 1 {
			found[i].Evidence = append(found[i].Evidence, fmt.Sprintf("%d of %d requests went so", alike[i], len(v.Requests)))
		}
	}
	return found
}

// failure explains what became of one request.
func (v *view) failure(r *seen.Request) (Finding, bool) {
	failure := r.Reply.Failure
	switch {
	case v.longer(r):
		return v.ignoresLimit(r), true
	case r.Record.Outcome == pipeline.Cancelled:
		return Finding{}, false
	case r.TooLong():
		return v.tooLong(r), true
	case r.Record.Outcome == pipeline.Timeout:
		return v.timedOut(r), true
	case failure != nil && failure.Kind == reply.InBand:
		return v.errorIn200(r), true
	case failure != nil && errors.Is(failure.Cause, reply.ErrNothingRead),
		r.Record.Outcome == pipeline.Truncated && r.Record.Chunks == 0 && r.Reply.BodyEnded && r.Reply.Unread > 0:
		return Finding{}, false // the event that is no JSON is why
	case r.Record.Outcome == pipeline.Truncated && r.Reply.BodyEnded && !v.understood(r):
		return v.notUnderstood(r), true
	case r.Record.Outcome == pipeline.Truncated:
		return v.cut(r), true
	case r.Record.Outcome == pipeline.Error:
		return v.unreadable(r), true
	case r.Record.Outcome == pipeline.OK && v.empty(r):
		return v.nothing(r), true
	}
	return Finding{}, false
}

// understood reports whether a response has a message of the protocol, if only one that says who
// speaks: an answer that breaks off before its first text is cut, and in no other protocol.
func (v *view) understood(r *seen.Request) bool {
	return r.Record.Chunks > 0 || slices.ContainsFunc(r.Events, func(e seen.Event) bool {
		switch e.Kind {
		case seen.KindFinish, seen.KindUsage, seen.KindEnd:
			return true
		case seen.KindRole, seen.KindFilter: // which the chunks of OpenAI have, whatever is asked for
			return v.Protocol == dialect.OpenAIChat || v.Protocol == dialect.MistralFIM
		case seen.KindStart: // whose events alone have types
			return v.Protocol == dialect.Anthropic || v.Protocol == dialect.OpenAIResponses
		}
		return false
	})
}

// far says how far an answer came.
func (v *view) far(r *seen.Request) string {
	if r.Record.Chunks == 0 {
		return fmt.Sprintf("%s: no output, until %s after sending", v.which(r), ms(r.Since(r.Record.End)))
	}
	return fmt.Sprintf("%s: %s, the last %s after sending; the end after %s", v.which(r), counted(pipeline.UnknownCount, r.Record.Chunks), ms(r.Since(r.Record.LastOutput)), ms(r.Since(r.Record.End)))
}

func (v *view) errorIn200(r *seen.Request) Finding {
	return Finding{
		ID: "error_in_200", Title: "the server reports an error inside a response of status 200",
		Evidence: []string{v.far(r), line(r.Reply.Failure.String())},
		Fix:      "do what the server's words ask for; a client that looks at the status alone takes this for a short answer",
	}
}

func (v *view) notUnderstood(r *seen.Request) Finding {
	return Finding{
		ID: "not_understood", Title: fmt.Sprintf("the response holds nothing that %s has", v.Protocol),
		Evidence: []string{fmt.Sprintf("%s: HTTP %d, %s, %d messages", v.which(r), r.Record.Transport.Status, nonEmpty(r.Header("Content-Type"), "no content type"), len(r.Events))},
		Fix:      "name the protocol that the server speaks with --protocol",
	}
}

func (v *view) cut(r *seen.Request) Finding {
	f := Finding{ID: "cut", Title: "the answer breaks off: the connection is lost in the middle", Evidence: []string{v.far(r)}, Fix: "look for a time limit or a restart of a proxy or of the server"}
	if r.Reply.BodyEnded {
		f.Title = "the answer ends with neither an end event nor a finish reason, so nobody can tell whether it is whole"
	}
	if n := len(r.Events); r.Reply.BodyEnded && n > 0 && r.Events[n-1].Kind == seen.KindUnread && r.Reply.Unread == 0 {
		e := r.Events[n-1]
		f.Title = "the answer breaks off: the response ends in the middle of an event"
		f.Evidence = append(f.Evidence, fmt.Sprintf("event %d, the last, has %s, which begin with %q: %s", n, byteCount(e.Bytes), e.Text, e.Wrong))
	}
	if r.Record.Reason != "" {
		f.Evidence = append(f.Evidence, line(r.Record.Reason))
	}
	return f
}

func (v *view) unreadable(r *seen.Request) Finding {
	return Finding{
		ID: "unreadable", Title: "the response cannot be read", Evidence: []string{v.far(r), line(r.Record.Reason)},
		Fix: "see what stands between that changes the bytes, such as a content coding that nobody asked for",
	}
}

// empty reports whether an answer that ended well holds nothing that can be seen. One that
// all went into reasoning, hidden or not, is another matter.
func (v *view) empty(r *seen.Request) bool {
	a := r.Reply.Answer()
	return strings.TrimSpace(a.Text) == "" && a.Reasoning == "" && len(a.ToolCalls) == 0 && hidden(r) <= 0
}

func (v *view) nothing(r *seen.Request) Finding {
	f := Finding{ID: "empty", Title: "the answer is empty", Evidence: []string{v.far(r)}, Fix: "try another text with --prompt: the model had nothing to say to this one"}
	if text := r.Reply.Answer().Text; text != "" {
		f.Title = "the answer has no character that can be seen: it is white space"
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d characters, which begin with %q", utf8.RuneCountInString(text), begins(text)))
		f.Fix = "see that the model fits the protocol and has its chat template, and that no grammar makes it pad; or try another text with --prompt"
	}
	if n := r.Record.OutputTokens; n > 0 {
		f.Evidence = append(f.Evidence, "tokens that the server counts: "+strconv.Itoa(n))
	}
	return f
}

// begins returns the first few characters of a text.
func begins(text string) string {
	const few = 16
	if runes := []rune(text); len(runes) > few {
		return string(runes[:few]) + "..."
	}
	return text
}

// streams finds what streams lack.
func streams(v *view) []Finding {
	var found []Finding
	for _, c := range []struct {
		flag     string
		severity Severity
		title    string
		fix      string
	}{
		{reply.FlagNonStreaming, Slow, "the answer comes whole, though a stream was asked for", "have the server, or the gateway before it, pass \"stream\": true on and answer with a stream"},
		{reply.FlagNoUsage, Misleading, "the server counts no tokens, so that tokens a second can only be estimated", noUsage[v.Protocol]},
		{reply.FlagNoDone, Misleading, "the stream has no end event", "have the server end its streams with " + endEvents[v.Protocol] + ": some clients wait for it until the connection closes, others call the answer cut"},
		{reply.FlagNoFinishReason, Misleading, "the stream gives no finish reason, so a limit that cut the answer off does not show", "have the server, or the gateway before it, pass the finish reason on"},
	} {
		if v.Protocol == dialect.Tabby {
			break // it answers whole, and counts nothing
		}
		if f, ok := v.flagged(c.flag); ok {
			f.Severity, f.Title, f.Fix = c.severity, c.title, nonEmpty(c.fix, "have the server count tokens")
			if c.flag == reply.FlagNonStreaming && v.soon() {
				f.Severity = Misleading // nobody waits for so little; when its first token was there cannot be told
			}
			found = append(found, f)
		}
	}
	return append(append(found, v.choices()...), v.stalls()...)
}

// choices finds answers of several choices, though no request of ours asks for more than one.
func (v *view) choices() []Finding {
	f, ok := v.flagged(reply.FlagMultipleChoices)
	if !ok {
		return nil
	}
	f.Severity, f.Title = Misleading, "the server sends several choices, though one was asked for, and counts their tokens together"
	f.Evidence = append(f.Evidence, "so there is no tpot and no tokens a second: the tokens are of all choices, and the instants of the first")
	f.Fix = "have the server, or the gateway before it, send one choice (\"n\": 1, \"best_of\" too); all of them are paid for"
	return []Finding{f}
}

// soon reports whether every answer was there so soon that nobody waited for it.
func (v *view) soon() bool {
	return !slices.ContainsFunc(v.ok, func(r *seen.Request) bool { return r.Since(r.Record.End) >= shortestWait })
}

// noUsage says what makes servers count, for the protocols where something does.
var noUsage = map[dialect.Protocol]string{
	dialect.OpenAIChat:        "the request has \"stream_options\": {\"include_usage\": true}: have the server, or the gateway before it, heed it",
	dialect.OpenAICompletions: "the request has \"stream_options\": {\"include_usage\": true}: have the server, or the gateway before it, heed it",
}

// endEvents are what ends a stream.
var endEvents = map[dialect.Protocol]string{
	dialect.OpenAIChat: "data: [DONE]", dialect.OpenAICompletions: "data: [DONE]", dialect.MistralFIM: "data: [DONE]",
	dialect.OpenAIResponses: "response.completed", dialect.Anthropic: "message_stop",
	dialect.OllamaChat: `"done": true`, dialect.OllamaGenerate: `"done": true`,
	dialect.LlamaCompletion: `"stop": true`, dialect.LlamaInfill: `"stop": true`,
}

// flagged returns a finding when the first of the good answers has a flag.
func (v *view) flagged(flag string) (Finding, bool) {
	for _, r := range v.ok {
		for _, f := range r.Reply.Flags() {
			if f == flag && !(flag == reply.FlagNoUsage && len(r.Reply.Impossible)+len(r.Reply.Unreadable) > 0) {
				return Finding{ID: flag, Cost: pipeline.Unknown, Evidence: []string{v.flagEvidence(flag, r)}}, true
			}
		}
	}
	return Finding{}, false
}

func (v *view) flagEvidence(flag string, r *seen.Request) string {
	switch flag {
	case reply.FlagNonStreaming:
		return fmt.Sprintf("%s: %s, all of it %s after sending", v.which(r), r.Header("Content-Type"), ms(r.Since(r.Record.End)))
	case reply.FlagNoUsage:
		return fmt.Sprintf("%s: %d output chunks and no count of tokens", v.which(r), r.Record.Chunks)
	case reply.FlagMultipleChoices:
		return fmt.Sprintf("%s: %d choices, %s in the first of them", v.which(r), len(r.Reply.Choices), counted(r.Record.OutputTokens, r.Record.Chunks))
	case reply.FlagNoDone:
		return fmt.Sprintf("%s: after the last output came %s", v.which(r), v.after(r))
	}
	return fmt.Sprintf("%s: %d output chunks, then %s", v.which(r), r.Record.Chunks, v.after(r))
}

// after says what came behind the last output.
func (v *view) after(r *seen.Request) string {
	said := ""
	for i := len(r.Events) - 1; i >= 0 && !r.Events[i].Output(); i-- {
		said = r.Events[i].Kind + ", " + said
	}
	return said + "the end of the body"
}

// stalls finds pauses in answers that otherwise come evenly.
func (v *view) stalls() []Finding {
	const least, much = time.Second, 10 // much times the usual gap
	for _, r := range v.begun {
		gaps := r.Reply.Answer().ICL()
		usual := median(slices.DeleteFunc(slices.Clone(gaps), func(g time.Duration) bool { return g == 0 }))
		for i, g := range gaps {
			if len(gaps) < fewest || g < least || g < much*usual || v.shape.held() && (v.shape.form != partly || v.shape.heap.first) {
				continue
			}
			f := Finding{
				ID: "stall", Severity: Slow, Cost: g, Title: "the answer pauses in the middle",
				Evidence: []string{fmt.Sprintf("%s: %s between chunk %d and the next; the usual gap is %s", v.which(r), ms(g), i+1, ms(usual))},
				Fix:      "see what the server did then: another request's long prompt, a preempted request, or a collector of garbage; cap the prompts that it takes in one step",
			}
			if s := shapeOf(r); s.form == partly {
				f.Evidence = append(f.Evidence, fmt.Sprintf("%d of %d chunks came together behind it: they were made meanwhile, and held back", s.heap.chunks, s.chunks))
			}
			return []Finding{f}
		}
	}
	return nil
}
