package endpoint

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/exchange"
)

// TestExchangesTellTheSame has the client ask a server that plays each stream case. What
// it keeps of that goes through a file, and read again it tells the same numbers.
func TestExchangesTellTheSame(t *testing.T) {
	for _, c := range streamcase.Load(t, "") {
		d, err := dialect.Of(dialect.Protocol(c.Protocol))
		if err != nil {
			continue // it is no language model's
		}
		for _, key := range keysToRead {
			t.Run(c.ID+"/"+key, func(t *testing.T) { tellsTheSame(t, c, d.Protocol, key) })
		}
	}
}

// keysToRead are a key, and some for want of one that are words of the protocols.
var keysToRead = []string{"opensesame", "0", "data", "stop", "error"}

func tellsTheSame(t *testing.T, c *streamcase.Case, protocol dialect.Protocol, key string) {
	var kept exchange.Exchange
	keep := func(config *Config) {
		config.Protocol, config.Key = protocol, NewKey(key)
		config.Keep = func(x *exchange.Exchange) { kept = *x }
	}
	bubble(t, c.Exchanges[0].ServeHTTP, keep, func(t *testing.T, b *bench) {
		asked := b.ask()
		got := *asked.wait()
		b.client.flights.Wait()
		for _, hashed := range []bool{false, true} {
			x := throughFile(t, &kept, hashed)
			if !x.Whole() && got.Transport.Encoding != "" {
				continue // what is packed cannot have other letters
			}
			again, err := dialect.Reread(x)
			if err != nil {
				t.Fatal(err)
			}
			want := pipeline.NewRequest(x.Request, x.Due)
			want.Sent = x.Sent
			again.Fill(&want)
			want.Transport.HTTP, want.Transport.Reused = got.Transport.HTTP, got.Transport.Reused
			want.Transport.Headers = got.Transport.Headers
			want.LimitTokens, want.PromptEstimate = got.LimitTokens, got.PromptEstimate // the asker knows these
			if hashed || len(key) < 8 {
				want.Reason = got.Reason // of other letters, as is how long escaped ones are
				want.Opening = got.Opening
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("hashed %t: record\n%+v, read again\n%+v", hashed, got, want)
			}
		}
	})
}

// throughFile writes an exchange and reads it back.
func throughFile(t *testing.T, x *exchange.Exchange, hashed bool) *exchange.Exchange {
	t.Helper()
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, exchange.Header{Hashed: hashed})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(x); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := exchange.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the only exchange comes %v", err)
	}
	return again
}

// TestExchangesKeepNoKey asks a server that says the key back wherever it can.
func TestExchangesKeepNoKey(t *testing.T) {
	const key = "opensesame"
	var kept exchange.Exchange
	bubble(t, stream(delta(`"content":"`+key+`"`)+stop+done), func(c *Config) {
		c.Key = NewKey(key)
		c.URL = "http://llm.test/" + key + "/v1"
		c.Keep = func(x *exchange.Exchange) { kept = *x }
	}, func(_ *testing.T, b *bench) {
		b.ask().wait()
		b.client.flights.Wait()
	})
	if text := kept.Path + string(kept.Ask) + string(kept.Body); strings.Contains(text, key) || !strings.Contains(text, "**********") {
		t.Errorf("kept %s", text)
	}
}

// TestExchangesTellWhoLeft: a client that gives up says so, and why.
func TestExchangesTellWhoLeft(t *testing.T) {
	hang := stream(delta(`"content":"a"`), time.Hour)
	for name, c := range map[string]struct {
		limit  time.Duration
		cancel bool
		stop   string
		want   pipeline.Outcome
	}{
		"the asker cancels":   {0, true, exchange.Cancelled, pipeline.Cancelled},
		"a time limit passes": {time.Second, false, exchange.TimedOut, pipeline.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			var kept exchange.Exchange
			bubble(t, hang, func(config *Config) {
				config.Limits.Gap = c.limit
				config.Keep = func(x *exchange.Exchange) { kept = *x }
			}, func(t *testing.T, b *bench) {
				a := b.ask()
				if time.Sleep(100 * time.Millisecond); c.cancel {
					b.cancel(a)
				}
				got := a.wait()
				b.client.flights.Wait()
				if kept.Stop != c.stop || kept.How != exchange.Open || got.Outcome != c.want {
					t.Errorf("stop %q, end %q, outcome %s; want %q, open, %s", kept.Stop, kept.How, got.Outcome, c.stop, c.want)
				}
			})
		})
	}
}

// TestHashTexts: what a server repeats of the question is in no record.
func TestHashTexts(t *testing.T) {
	echo := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"message":"cannot answer: sesame","code":"bad_prompt"}}`))
	}
	bubble(t, echo, func(c *Config) { c.HashTexts = true }, func(t *testing.T, b *bench) {
		const want = "HTTP 400: [sha256 4a0491137d9ab87989357909e2b19496]"
		if got := b.ask().wait().Reason; got != want {
			t.Errorf("reason %q, want %q", got, want)
		}
	})
}

func TestHideWords(t *testing.T) {
	r := reply.None(0, errors.New(`malformed HTTP response "my \"words", and "mine`))
	r.HideWords(func(string) string { return "X" })
	if got, want := r.Failure.String(), "malformed HTTP response X, and X"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for code, want := range map[string]string{"oom.1": "the server reports error oom.1: X", "you said: sesame": "the server reports error X: X"} {
		r := &reply.Reply{Failure: &reply.Failure{Kind: reply.InBand, Code: code, Message: "sesame"}}
		r.HideWords(func(string) string { return "X" })
		if got := r.Failure.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
