package counters

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
)

// AtRoot is where vLLM, SGLang, TGI and llama.cpp's server have their metrics: this path at
// the root of the host.
const AtRoot = "/metrics"

// Limits of one look: a page that takes longer or is larger is none that a run should wait
// for. vLLM's has some 100 kB.
const (
	longest = 2 * time.Second
	largest = 16 << 20
)

// Source is where a server shows its metrics. Its methods may be called from any goroutine.
type Source struct {
	url       *url.URL
	config    endpoint.Config
	dialect   *dialect.Dialect
	ours      bool // the server is the endpoint itself, which may see the key
	transport *http.Transport
}

// Check says what is wrong with a place of metrics.
func Check(at string) error {
	_, err := parse(at)
	return err
}

// parse reads a place of metrics: a URL, or a path on the endpoint's host. What is wrong is
// said without its query and user, which may hold secrets.
func parse(at string) (*url.URL, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, errors.New("the place of the metrics cannot be read; want a URL like http://127.0.0.1:8000/metrics, or a path like /metrics")
	}
	path := strings.HasPrefix(at, "/") && !strings.HasPrefix(at, "//")
	switch {
	case !path && (u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
		return nil, fmt.Errorf("the place of the metrics is %q; want a URL like http://127.0.0.1:8000/metrics, or a path like /metrics on the endpoint's host", shown(u))
	case u.User != nil:
		return nil, fmt.Errorf("the URL of the metrics, %s, holds a user or password; the key is sent to the endpoint's own host by itself", shown(u))
	case u.Fragment != "":
		return nil, fmt.Errorf("the URL of the metrics, %s, has a fragment (#...), which no server would see", shown(u))
	}
	return u, nil
}

// shown returns a URL without user, query and fragment.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}).String()
}

// New returns the place of an endpoint's metrics: a URL, or a path on its host, which then
// is asked for the model, as llama.cpp's router wants it. The key goes to the endpoint's own
// scheme, host and port, and nowhere else.
func New(config endpoint.Config, at string) (*Source, error) {
	u, err := parse(at)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(config.URL)
	if err != nil {
		return nil, errors.New("the url of the endpoint cannot be read")
	}
	d, err := dialect.Of(config.Protocol)
	if err != nil {
		return nil, err
	}
	if u.Host == "" {
		u.Scheme, u.Host = base.Scheme, base.Host
		if u.RawQuery == "" && config.Model != "" {
			u.RawQuery = url.Values{"model": {config.Model}}.Encode()
		}
	}
	return &Source{url: u, config: config, dialect: d, ours: u.Scheme == base.Scheme && u.Host == base.Host, transport: transport(config)}, nil
}

// transport opens a connection for each look, so that none of the run's is used up.
func transport(config endpoint.Config) *http.Transport {
	return &http.Transport{
		DialContext:       config.DialContext,
		TLSClientConfig:   &tls.Config{RootCAs: config.Roots},
		ForceAttemptHTTP2: true, DisableCompression: true, DisableKeepAlives: true,
		MaxResponseHeaderBytes: 1 << 20,
	}
}

// URL returns where the metrics are, without what may be secret.
func (s *Source) URL() string { return shown(s.url) }

// Look asks for the page. The error says in a few words why there is none, such as "HTTP
// 404"; no redirect is followed, and nothing is asked twice.
func (s *Source) Look(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	page, err := s.ask(ctx)
	switch {
	case err == nil:
		return page, nil
	case ctx.Err() == context.DeadlineExceeded:
		return nil, fmt.Errorf("no whole page within %s", longest)
	}
	return nil, errors.New(s.config.Key.Tidy(err.Error()))
}

func (s *Source) ask(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), nil)
	if err != nil {
		return nil, errors.New("no such request can be made")
	}
	req.Header.Set("Accept", "text/plain; version=0.0.4")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "halfsecond")
	if s.ours {
		s.config.Key.Sign(req.Header, s.dialect.KeyHeader, s.dialect.KeyPrefix)
	}
	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	page, err := io.ReadAll(io.LimitReader(resp.Body, largest+1))
	if len(page) > largest {
		return nil, fmt.Errorf("the page has more than %d MiB", largest>>20)
	}
	return page, err
}
