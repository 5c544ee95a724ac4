package endpoint

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"halfsecond/pipeline/exchange"
)

// A server that shows the key in whatever it says must not get it into a record.
func TestClientKeepsTheKey(t *testing.T) {
	const secret = "sk-Secret-1234"
	echo := func(status int, contentType, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			auth := r.Header.Get("Authorization")
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "http://x.test/"+auth+"?"+auth)
			if contentType == "coded" {
				w.Header().Set("Content-Encoding", auth)
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, format, auth)
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"error body":      echo(401, "text/plain", "bad header %s"),
		"location":        echo(302, "text/plain", "see %s"),
		"error in stream": echo(200, "text/event-stream", `data: {"error":{"message":"m %[1]s","code":"c %[1]s"}}`+"\n\n"),
		"coding":          echo(500, "coded", "%s"),
		"finish reason":   echo(200, "text/event-stream", `data: {"choices":[{"finish_reason":"%s"}]}`+"\n\ndata: [DONE]\n\n"),
		"content type":    func(w http.ResponseWriter, r *http.Request) { echo(200, r.Header.Get("Authorization"), "%s")(w, r) },
		"no HTTP": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s\r\n\r\n", r.Header.Get("Authorization"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, h, func(c *Config) { c.Key = NewKey(secret) }, func(t *testing.T, b *bench) {
				a := b.ask()
				r := a.wait()
				shown := fmt.Sprintf("%+v %#v %v", *r, b.client.config, b.client)
				if strings.Contains(strings.ToLower(shown), strings.ToLower(secret)) {
					t.Errorf("the key shows in %s", shown)
				}
				if told := r.Reason + r.Finish + r.Transport.Encoding; !strings.Contains(told, Redacted) {
					t.Errorf("record tells %q, want a trace of the key", told)
				}
			})
		})
	}
}

// A server that repeats the query of the URL, in the page of a redirect or in words of its own,
// and the query of another place that it leads to, gets neither into a record or the raw log.
func TestClientKeepsTheQuery(t *testing.T) {
	const secret, fresh = "tok-SECRET123", "signed-ABC98765"
	for name, h := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			to := r.URL.Path + "/?" + r.URL.RawQuery + "&sig=" + fresh
			http.Redirect(w, r, to, http.StatusPermanentRedirect)
			fmt.Fprintf(w, `<a href="%s">Permanent Redirect</a>`, html.EscapeString(to)) // to a POST that writes none
		},
		"no page": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Refresh", "0; url=/login?sig="+fresh)
			w.Header().Set("Link", "</login?sig="+fresh+`>; rel="next"`)
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"error":{"message":"nothing at %s, try /login?sig=%s"}}`, r.URL, fresh)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var kept exchange.Exchange
			set := func(c *Config) {
				c.URL += "?token=" + secret + "&api-version=1"
				c.Keep = func(x *exchange.Exchange) { kept = *x }
			}
			bubble(t, h, set, func(t *testing.T, b *bench) {
				a := b.ask()
				r := *a.wait()
				b.client.flights.Wait()
				again := throughFile(t, &kept, false)
				shown := fmt.Sprintf("%+v %+v %s %s", r, again.Headers, again.Body, again.Cause)
				for _, s := range []string{secret, "SECRET", fresh, "98765", "api-version=1"} {
					if strings.Contains(shown, s) {
						t.Errorf("%q shows in %s", s, shown)
					}
				}
				if len(again.Body) == 0 || again.Status < 300 {
					t.Errorf("the page is not kept: %s", shown)
				}
			})
		})
	}
}

func TestKeyNeverShows(t *testing.T) {
	const secret = "sk-secret"
	type nested struct {
		hidden Config
		Shown  Key
	}
	v := nested{Config{Key: NewKey(secret)}, NewKey(secret)}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	shown := string(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown += fmt.Sprintf(verb, v) + fmt.Sprintf(verb, &v) + fmt.Sprintf(verb, v.Shown)
	}
	if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
		t.Errorf("the key shows in %s", shown)
	}
	if got := v.Shown.String(); got != Redacted {
		t.Errorf("String() = %q, want %q", got, Redacted)
	}
	if got := (Key{}).String(); got != "" {
		t.Errorf("String of no key = %q, want nothing", got)
	}
}
