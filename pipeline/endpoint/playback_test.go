package endpoint

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/streamcase"
)

// TestClientPlaysStreamCases has the client ask a server that plays each case. Its
// record must agree with what the reader alone makes of the case.
func TestClientPlaysStreamCases(t *testing.T) {
	const start = time.Second
	for _, c := range streamcase.Load(t, "") {
		d, err := dialect.Of(dialect.Protocol(c.Protocol))
		if err != nil {
			continue // it is no language model's
		}
		t.Run(c.ID, func(t *testing.T) {
			bubble(t, c.Exchanges[0].ServeHTTP, func(config *Config) { config.Protocol = d.Protocol }, func(t *testing.T, b *bench) {
				time.Sleep(start)
				a := b.ask()
				got := *a.wait()
				r := c.Exchanges[0].Read(d.NewDecoder(), d.Endless)
				streamcase.Accept(r, c.Expect)
				want := wantRecord(r, start)
				want.Opening = openings[c.ID]
				if r.Status == http.StatusTooManyRequests {
					want.Outcome = pipeline.Refused // a trace tells refusals from errors
				}
				got.Reason = ""
				if !reflect.DeepEqual(got, want) {
					t.Errorf("record\n%+v, want\n%+v", got, want)
				}
				if notes := wantNotes(r, start); !slices.Equal(a.notes, notes) {
					t.Errorf("notes %q, want %q", a.notes, notes)
				}
			})
		})
	}
}

// openings are what came with the first outputs of the cases where that may be several tokens.
var openings = map[string]pipeline.Opening{
	"s09-anthropic-ping-usage":     {Chunks: 1, Bytes: 4, Of: 13},
	"s11-reasoning-then-answer":    {Chunks: 1, Bytes: 4, Of: 30},
	"s12-tool-call-only":           {Chunks: 1}, // 21 tokens in 24 bytes: the form of a call is not sent
	"s13-several-tokens-per-chunk": {Chunks: 1, Bytes: 9, Of: 50},
	"s14-usage-in-every-chunk":     {Chunks: 1, Tokens: 4, Bytes: 12, Of: 28},
	"s19-ollama-split-lines":       {Chunks: 2, Bytes: 5, Of: 10},
	"s21-line-over-64k":            {Chunks: 1, Bytes: 6, Of: 85123},
}

func wantRecord(r *reply.Reply, start time.Duration) pipeline.Request {
	shift := func(d time.Duration) time.Duration {
		if d == pipeline.Unknown {
			return d
		}
		return start + d
	}
	a := r.Answer()
	want := pipeline.NewRequest(1, start)
	want.Sent = start
	want.FirstByte = shift(r.FirstByte)
	want.FirstOutput, want.FirstText, want.FirstSeen = shift(a.FirstOutput()), shift(a.FirstText()), shift(a.FirstSeen())
	want.LastOutput, want.End = shift(a.LastOutput()), shift(r.End)
	want.Outcome, want.Finish = r.Outcome, a.Finish
	want.PromptTokens, want.CachedTokens, want.OutputTokens = r.PromptTokens(), r.CachedTokens(), r.OutputTokens()
	want.LimitTokens, want.TokenSource = 8, r.TokenSource // of what b.ask asks
	want.Chunks = len(a.Outputs)
	want.Gaps, want.LongestGap = pipeline.CountGaps(a.ICL())
	want.Transport = pipeline.Transport{
		Status: r.Status, HTTP: "1.1", Encoding: r.Header.Get("Content-Encoding"),
		DNS: pipeline.Unknown, Connect: pipeline.Unknown, TLS: pipeline.Unknown,
		RetryAfter: r.RetryAfter, Burst: a.Burst(),
	}
	want.Server = r.Server
	want.Estimate(10) // of what b.ask asks
	return want
}

func wantNotes(r *reply.Reply, start time.Duration) (notes []string) {
	for i, o := range r.Answer().Outputs {
		text := ""
		if o.Kind == reply.Text {
			text = o.Text
		}
		notes = append(notes, fmt.Sprintf("%d %q at %s", i+1, text, start+o.At))
	}
	return notes
}
