package probe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

// event says what a message of a response is.
func event(m reply.Message) seen.Event {
	e := seen.Event{At: m.At, Bytes: len(m.Data)}
	e.Kind, e.Text = kind(m)
	if e.Kind == seen.KindUnread {
		e.Text, e.Wrong = begins(string(m.Data), mostExcerpt), wrong(m.Data)
		return e
	}
	if m.Step != nil && m.Step.Mangled {
		e.Wrong = mangled(m.Data)
	}
	e.Text = excerpt(cmp.Or(e.Text, string(m.Data)), mostExcerpt)
	return e
}

// How many characters of a message are kept, and of a server's words of what is wrong.
const (
	mostExcerpt = 60
	mostWords   = 200
)

// wrong says why a text is no valid JSON.
func wrong(data []byte) string {
	var v json.RawMessage
	if err := json.Unmarshal(data, &v); err != nil {
		return err.Error()
	}
	return ""
}

// mangled says where a text is no UTF-8.
func mangled(data []byte) string {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n < 2 {
			return fmt.Sprintf("its byte %d is %#02x, which is no UTF-8 there", i+1, data[i])
		}
		i += n
	}
	return ""
}

// excerpt returns the beginning of a text, in one printable line. White space at the ends
// stays, since it is part of an output.
func excerpt(s string, most int) string {
	return begins(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), 8*most)], "")), most)
}

// begins returns the beginning of a text.
func begins(s string, most int) string {
	runes := []rune(strings.ToValidUTF8(s[:min(len(s), 8*most)], ""))
	if len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(runes)
}

// kind returns the kind of a message, and what it says where that is not the data as they
// stand.
func kind(m reply.Message) (kind, text string) {
	switch {
	case m.Comment:
		return seen.KindComment, ": " + string(m.Data)
	case string(m.Data) == wire.Done:
		return seen.KindEnd, ""
	case m.Step == nil:
		return seen.KindError, ""
	case m.Step.Failure != nil:
		return seen.KindError, m.Step.Failure.String()
	case m.Step.Unread:
		return seen.KindUnread, ""
	}
	if kind, text := output(m.Step); kind != "" {
		return kind, text
	}
	return metadata(m)
}

// output returns what a message brought of the answer, its first kind where there are
// several.
func output(s *reply.Step) (kind, text string) {
	for i := range s.Pieces {
		p := &s.Pieces[i]
		switch {
		case p.Snapshot:
		case p.Reasoning != "":
			return seen.KindReasoning, p.Reasoning
		case strings.TrimSpace(p.Text) != "":
			return seen.KindText, p.Text
		case p.Text != "":
			return seen.KindSpace, p.Text
		}
		for _, t := range p.Tools {
			if t.Name+t.Arguments != "" && !p.Snapshot {
				return seen.KindTool, t.Name + t.Arguments
			}
		}
	}
	return "", ""
}

// metadata returns the kind of a message that brought nothing of the answer.
func metadata(m reply.Message) (kind, text string) {
	finish := ""
	for i := range m.Step.Pieces {
		finish = cmp.Or(finish, m.Step.Pieces[i].Finish)
	}
	switch {
	case m.Step.End:
		return seen.KindEnd, ""
	case finish != "":
		return seen.KindFinish, finish
	}
	return silent(m)
}

// silentMessage has the members that tell what a message is good for which brings neither
// output nor an end.
type silentMessage struct {
	Type         string          `json:"type"`
	PromptFilter json.RawMessage `json:"prompt_filter_results"` // Azure OpenAI, in an event without choices
	Choices      []struct {
		Filter json.RawMessage `json:"content_filter_results"`
		Delta  struct {
			Role string `json:"role"`
		} `json:"delta"`
	} `json:"choices"`
}

func silent(m reply.Message) (kind, text string) {
	var v silentMessage
	_ = json.Unmarshal(m.Data, &v) // what does not fit stays empty
	switch {
	case v.Type == "ping" || m.Name == "ping":
		return seen.KindPing, ""
	case v.PromptFilter != nil:
		return seen.KindFilter, ""
	case len(v.Choices) > 0 && v.Choices[0].Delta.Role != "":
		return seen.KindRole, v.Choices[0].Delta.Role
	case len(v.Choices) > 0 && len(v.Choices[0].Filter) > 2:
		return seen.KindFilter, ""
	case m.Step.Usage != nil && v.Type == "":
		return seen.KindUsage, ""
	case strings.HasSuffix(v.Type, "start") || strings.HasSuffix(v.Type, "created") || strings.HasSuffix(v.Type, "in_progress") || strings.HasSuffix(v.Type, "added"):
		return seen.KindStart, v.Type
	}
	return seen.KindOther, v.Type
}
