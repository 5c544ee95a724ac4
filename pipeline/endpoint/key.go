package endpoint

import (
	"errors"
	"net/http"
	"strings"

	"halfsecond/pipeline/exchange"
)

// Key is the secret that an endpoint asks for. It never shows: printed or
// marshalled in any way it is Redacted. The zero Key is none.
type Key struct {
	// A pointer, because package fmt reaches the plain fields of a struct that is
	// nested where it cannot call String.
	secret *string
	asked  *exchange.Query // of the URL that the key is for; nil for none
}

// Redacted stands where a key would. In words of a server each of its letters is an
// asterisk, as in exchanges.
const Redacted = "********"

// NewKey returns the key with that text; an empty text is no key.
func NewKey(secret string) Key {
	if secret == "" {
		return Key{}
	}
	return Key{secret: &secret}
}

// For returns the key for an endpoint at a URL: what it hides, it hides with what the query of
// that says, which may be a secret as well. There may be no key.
func (k Key) For(url string) Key {
	if q := exchange.QueryOf(url); !q.Empty() {
		k.asked = &q
	}
	return k
}

// String returns Redacted, or nothing for no key.
func (k Key) String() string {
	if k.secret == nil {
		return ""
	}
	return Redacted
}

// GoString is String.
func (k Key) GoString() string { return k.String() }

// MarshalText is String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Sign sets a header of a request to the key behind a prefix such as "Bearer ". No key
// sets none.
func (k Key) Sign(h http.Header, name, prefix string) {
	if k.secret != nil {
		h.Set(name, prefix+*k.secret)
	}
}

// Hide takes the key out of what is kept of a request, and what the queries say of the URL and
// of the places that the response leads to.
func (k Key) Hide(x *exchange.Exchange) {
	x.Conceal(k.query())
	if k.secret != nil {
		x.Redact(*k.secret)
	}
}

func (k Key) query() exchange.Query {
	if k.asked == nil {
		return exchange.Query{}
	}
	return *k.asked
}

// Mask returns a text about a failure in which asterisks stand for the key, or for a long part of
// it: one for each of its letters; and for what the query of its URL says.
func (k Key) Mask(s string) string {
	s = k.query().Mask(s)
	if k.secret == nil {
		return s
	}
	return exchange.Mask(s, *k.secret)
}

// MaskText does what Mask does, to what an answer says and to names that a program gives: a short
// key is anybody's word there, see exchange.MaskText.
func (k Key) MaskText(s string) string {
	s = k.query().MaskText(s)
	if k.secret == nil {
		return s
	}
	return exchange.MaskText(s, *k.secret)
}

// MaskHeader does what Mask does, to the value of a header.
func (k Key) MaskHeader(name, value string) string {
	value = k.query().MaskHeader(name, value)
	if k.secret == nil {
		return value
	}
	return exchange.MaskHeader(name, value, *k.secret)
}

// Check says what is wrong with the key.
func (k Key) Check() error {
	if k.secret == nil {
		return nil
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(*k.secret, odd) {
		return errors.New("the key has white space or a character outside ASCII; want it as the provider shows it, without quotes or line ends")
	}
	return nil
}
