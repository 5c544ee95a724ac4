package recount

import (
	"fmt"
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
)

// figure is one thing that the bytes of an exchange, or their instants, tell of a request.
type figure struct {
	name string // as trace files have it
	of   func(r *pipeline.Request) string
	// letters is of one that a log with other letters in place of texts does not tell: what
	// stands for a letter that was escaped is as long as its escape.
	letters bool
}

// figures are all of them. Bytes do not tell which connection was used, nor what opening
// it took, and the words of a failure are no figure.
var figures = []figure{
	instant("due_ns", func(r *pipeline.Request) time.Duration { return r.Due }),
	instant("sent_ns", func(r *pipeline.Request) time.Duration { return r.Sent }),
	instant("first_byte_ns", func(r *pipeline.Request) time.Duration { return r.FirstByte }),
	instant("first_output_ns", func(r *pipeline.Request) time.Duration { return r.FirstOutput }),
	instant("first_text_ns", func(r *pipeline.Request) time.Duration { return r.FirstText }),
	instant("first_seen_ns", func(r *pipeline.Request) time.Duration { return r.FirstSeen }),
	instant("last_output_ns", func(r *pipeline.Request) time.Duration { return r.LastOutput }),
	instant("end_ns", func(r *pipeline.Request) time.Duration { return r.End }),
	{name: "outcome", of: func(r *pipeline.Request) string { return r.Outcome.String() }},
	words("finish", func(r *pipeline.Request) string { return r.Finish }),
	count("prompt_tokens", func(r *pipeline.Request) int { return r.PromptTokens }),
	count("cached_tokens", func(r *pipeline.Request) int { return r.CachedTokens }),
	count("output_tokens", func(r *pipeline.Request) int { return r.OutputTokens }),
	{name: "token_source", of: func(r *pipeline.Request) string { return r.TokenSource }},
	words("impossible", func(r *pipeline.Request) string { return r.Impossible }),
	{name: "empty", of: func(r *pipeline.Request) string { return strconv.FormatBool(r.Empty) }},
	count("unread", func(r *pipeline.Request) int { return r.Unread }),
	count("choices", func(r *pipeline.Request) int { return r.Choices }),
	count("together", func(r *pipeline.Request) int { return r.Together }),
	count("chunks", func(r *pipeline.Request) int { return r.Chunks }),
	lengths("opening.chunks", func(r *pipeline.Request) int { return r.Opening.Chunks }),
	lengths("opening.tokens", func(r *pipeline.Request) int { return r.Opening.Tokens }),
	lengths("opening.bytes", func(r *pipeline.Request) int { return r.Opening.Bytes }),
	lengths("opening.of", func(r *pipeline.Request) int { return r.Opening.Of }),
	lengths("opening.unsent", func(r *pipeline.Request) int { return r.Opening.Unsent }),
	lengths("opening.sure", func(r *pipeline.Request) int { return r.Opening.Sure }),
	{name: "gaps", of: func(r *pipeline.Request) string { return fmt.Sprint(r.Gaps) }},
	instant("longest_gap_ns", func(r *pipeline.Request) time.Duration { return r.LongestGap }),
	instant("server.queue_ns", func(r *pipeline.Request) time.Duration { return r.Server.Queue }),
	instant("server.load_ns", func(r *pipeline.Request) time.Duration { return r.Server.Load }),
	instant("server.prefill_ns", func(r *pipeline.Request) time.Duration { return r.Server.Prefill }),
	instant("server.decode_ns", func(r *pipeline.Request) time.Duration { return r.Server.Decode }),
	instant("server.total_ns", func(r *pipeline.Request) time.Duration { return r.Server.Total }),
	count("transport.status", func(r *pipeline.Request) int { return r.Transport.Status }),
	words("transport.http", func(r *pipeline.Request) string { return r.Transport.HTTP }),
	words("transport.encoding", func(r *pipeline.Request) string { return r.Transport.Encoding }),
	instant("transport.retry_after_ns", func(r *pipeline.Request) time.Duration { return r.Transport.RetryAfter }),
	{name: "transport.burst", of: func(r *pipeline.Request) string { return strconv.FormatBool(r.Transport.Burst) }},
}

const unknown = "unknown"

func instant(name string, of func(*pipeline.Request) time.Duration) figure {
	return figure{name: name, of: func(r *pipeline.Request) string {
		if d := of(r); d != pipeline.Unknown {
			return strconv.FormatInt(int64(d), 10)
		}
		return unknown
	}}
}

func count(name string, of func(*pipeline.Request) int) figure {
	return figure{name: name, of: func(r *pipeline.Request) string {
		if n := of(r); n != pipeline.UnknownCount {
			return strconv.Itoa(n)
		}
		return unknown
	}}
}

// lengths is a count of bytes of texts, or one that rests on such a count.
func lengths(name string, of func(*pipeline.Request) int) figure {
	f := count(name, of)
	f.letters = true
	return f
}

// words is a figure that is the server's own word: it is compared as traces have it.
func words(name string, of func(*pipeline.Request) string) figure {
	return figure{name: name, of: func(r *pipeline.Request) string { return strconv.Quote(endpoint.Key{}.Tidy(of(r))) }}
}
