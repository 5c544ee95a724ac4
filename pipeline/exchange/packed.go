package exchange

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"unicode/utf8"
)

// mostUnpacked is how much of a packed body is looked through for a secret, or all that
// the client would read of it where that is more.
const mostUnpacked = 64 << 20

// tells reports whether a packed body says what is not to be said: hide takes it out of a text,
// and reports whether it was there. No asterisks of the same number fit into it, so such a body
// is in no file; what it was its SHA-256 still tells.
func (x *Exchange) tells(hide func([]byte) bool) bool {
	if coding := x.coding(); coding != "gzip" && coding != "x-gzip" || len(x.Body) == 0 {
		return false
	}
	z, err := gzip.NewReader(bytes.NewReader(x.Body))
	if err != nil {
		return false // nobody can read it
	}
	text, _ := io.ReadAll(io.LimitReader(z, max(mostUnpacked, x.MaxBytes))) // what comes before an error can be read
	return hide(text)
}

// coding returns the content coding of the body, "" for none.
func (x *Exchange) coding() string {
	coding := strings.ToLower(strings.TrimSpace(x.Header("Content-Encoding")))
	if coding == "identity" {
		return ""
	}
	return coding
}

// bodyKind returns the media type of the body as it came: while it is packed it is no text.
func (x *Exchange) bodyKind() string {
	if x.coding() != "" && !utf8.Valid(x.Body) {
		return noText
	}
	return x.kind()
}
