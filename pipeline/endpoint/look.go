package endpoint

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// Look is what a request that asks for no completion brought.
type Look struct {
	Method  string
	URL     string        // without what may be secret
	Status  int           // 0 without a response
	Type    string        // media type of the body, lower case
	To      string        // where a redirect leads, without what may be secret; empty for none
	Wait    time.Duration // how long the server asks to wait; pipeline.Unknown when it does not
	Headers [][2]string   // of the response, without those that may hold secrets
	Body    []byte        // its beginning, without the key; of an empty object that is not refused nothing
	Failed  string        // why there was no response, or not all of its body; empty otherwise
}

// maxLook is how much of a body a Look keeps: long lists of models have some 300 kB.
const maxLook = 4 << 20

// LookAtModels asks for the list of models of the endpoint that config describes. It
// returns an error, and asks for nothing, when the config is wrong or its protocol has no
// such list.
func LookAtModels(ctx context.Context, config Config) (Look, error) {
	if _, err := ModelsURL(config); err != nil {
		return Look{}, err
	}
	return look(ctx, config, func(c *Client) (string, string, string) { return http.MethodGet, c.address.models, "" })
}

// LookAtCompletions posts an empty object to where completions are asked for: a server
// that has the place refuses it, and computes nothing. One that does not refuse it is left
// at once.
func LookAtCompletions(ctx context.Context, config Config) (Look, error) {
	return look(ctx, config, func(c *Client) (string, string, string) { return http.MethodPost, c.address.complete, "{}" })
}

func look(ctx context.Context, config Config, what func(*Client) (method, address, body string)) (Look, error) {
	if config.Model == "" {
		config.Model = "unknown"
	}
	config.MaxCost = 0 // which needs the price of a model; looking costs nothing
	c, err := NewClient(config, nil)
	if err != nil {
		return Look{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, c.config.Limits.Connect+c.config.Limits.FirstByte)
	defer cancel()
	method, at, body := what(c)
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(body))
	if err != nil {
		return Look{}, err
	}
	c.sign(req, "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.take(req), nil
}

// take sends the request of a Look.
func (c *Client) take(req *http.Request) Look {
	l := Look{Method: req.Method, URL: shownPlain(req.URL), Wait: pipeline.Unknown}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		l.Failed = c.tidy(err.Error())
		return l
	}
	defer resp.Body.Close()
	reply.Dated(resp.Header, time.Now())
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	l.Status, l.Type = resp.StatusCode, strings.ToLower(strings.TrimSpace(c.config.Key.TidyName(mediaType)))
	l.Wait, l.Headers = reply.RetryAfter(resp.Header), c.hidden(resp, nil).Headers
	if to, err := resp.Location(); err == nil {
		l.To = c.tidy(shownPlain(to))
	}
	if req.Method == http.MethodPost && l.Status >= 200 && l.Status < 300 {
		return l // the place is there, and may be answering at length: that is ended
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxLook+1))
	switch {
	case err != nil:
		l.Failed = c.tidy(err.Error())
	case len(text) > maxLook:
		l.Failed, text = fmt.Sprintf("its body is longer than %d MiB, and was given up", maxLook>>20), text[:maxLook]
	}
	l.Body = c.hidden(resp, text).Body
	return l
}

// hidden returns what may be kept of a response.
func (c *Client) hidden(resp *http.Response, body []byte) *exchange.Exchange {
	x := &exchange.Exchange{Status: resp.StatusCode, Body: body}
	x.SetHeaders(resp.Header)
	c.config.Key.Hide(x)
	return x
}

// shownPlain returns a URL without user, query and fragment.
func shownPlain(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
