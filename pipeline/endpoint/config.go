package endpoint

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/price"
)

// Config says which endpoint a Client asks, and how.
type Config struct {
	// URL is the base of the API: with no path, with that of the API such as /v1, or
	// with the full path of the protocol.
	URL      string
	Protocol dialect.Protocol
	Model    string // what the server calls it
	Key      Key

	IgnoreEOS  bool // ask for answers as long as their limit; an extension of vLLM
	SendAnswer bool // tell our own mock what to say; never for a rented endpoint

	// Keep, when set, is handed what went over the wire for each request that was sent,
	// without the key, once it has ended. It is called from the request's own goroutine.
	Keep func(*exchange.Exchange)

	// Spent, when set, is handed the cap that was met once no request is under way any
	// more, on the loop, perhaps several times: nothing will be sent after it.
	Spent func(error)

	// Waits, when set, is told how long a server is left alone that asked for that in the
	// place of its list of models.
	Waits func(time.Duration)

	// Linger is how long the body is read on behind the end event, to see whether it ends; it
	// is kept as the Rest of an exchange. 0 is a moment, for the connection to be used again.
	Linger time.Duration

	// HashTexts has records say the SHA-256 of a server's words of what went wrong in place
	// of these, for they may repeat what it was asked.
	HashTexts bool

	// Codings are the content codings that are accepted, as Accept-Encoding has them; ""
	// means identity, so that an instant is that of the bytes themselves.
	Codings string
	// Cold opens a connection for each request, where otherwise one is kept and used
	// again.
	Cold bool

	Limits Limits
	// MaxRequests and MaxTokens cap what the client sends in its life. A call over
	// a cap is dropped. Tokens are those of prompt and answer; until the server
	// has counted them, a call stands for its PromptTokens and its MaxTokens, or for
	// more where the server counted more of those before.
	// 0 is no cap.
	MaxRequests int
	MaxTokens   int
	// Quota, when set, counts requests in place of MaxRequests and those of Before, together
	// with those of others who take from it.
	Quota *Quota
	// MaxCost caps what is spent at Price in the same way, which must be known then; 0 is
	// no cap.
	MaxCost price.Dollars
	// Before is what other clients used of the same caps.
	Before Spending
	Price  price.Price
	// MaxBytes limits one reply; 0 means DefaultMaxBytes.
	MaxBytes int64

	// Roots are the authorities that sign servers' certificates; nil means those of the
	// machine.
	Roots *x509.CertPool
	// DialContext opens connections; nil means TCP.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Limits are the longest times that a client waits. 0 means the default.
type Limits struct {
	Connect   time.Duration // for an open connection; 5 s
	FirstByte time.Duration // from the send to the first byte of the body; 30 s
	Gap       time.Duration // between two reads of the body; 30 s
	Whole     time.Duration // for all of it; 120 s
}

// WithDefaults returns the limits with the default for each that is 0.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Connect:   cmp.Or(l.Connect, 5*time.Second),
		FirstByte: cmp.Or(l.FirstByte, 30*time.Second),
		Gap:       cmp.Or(l.Gap, 30*time.Second),
		Whole:     cmp.Or(l.Whole, 120*time.Second),
	}
}

// ShownURL returns the URL without what may be secret: user, query and fragment. It
// is empty when the URL cannot be read.
func (c Config) ShownURL() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Check reports everything that is wrong, a missing Model aside.
func (c Config) Check() error {
	if c.Model == "" {
		c.Model = "unknown"
	}
	_, _, err := c.resolve()
	return err
}

// resolve returns what the config's protocol is and where it is asked. The error reports
// everything that is wrong.
func (c Config) resolve() (*dialect.Dialect, address, error) {
	err := c.validate()
	d, unknown := dialect.Of(c.Protocol)
	if unknown != nil {
		_, bad := parseURL(c.URL)
		return nil, address{}, errors.Join(unknown, err, bad)
	}
	at, bad := parseAddress(c.URL, c.Model, d)
	return d, at, errors.Join(err, bad)
}

// validate reports everything that is wrong.
func (c Config) validate() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	errs = append(errs, c.Key.Check())
	bad(c.Model == "", "the model has no name")
	bad(c.MaxRequests < 0, "cap of %d requests is negative", c.MaxRequests)
	bad(c.MaxTokens < 0, "cap of %d tokens is negative", c.MaxTokens)
	bad(c.MaxCost < 0, "cap of %s is negative", c.MaxCost)
	bad(c.MaxBytes < 0, "limit of %d bytes a reply is negative", c.MaxBytes)
	for _, l := range []struct {
		name string
		d    time.Duration
	}{
		{"connect", c.Limits.Connect}, {"first byte", c.Limits.FirstByte},
		{"gap", c.Limits.Gap}, {"whole", c.Limits.Whole},
	} {
		bad(l.d < 0, "time limit %q is negative: %s", l.name, l.d)
	}
	return errors.Join(errs...)
}
