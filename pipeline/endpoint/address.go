package endpoint

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"halfsecond/pipeline/endpoint/dialect"
)

// address is where an endpoint is asked.
type address struct {
	complete string // where completions of the protocol are posted
	models   string // where the list of models is
	shown    string // the URL for messages, quoted
}

// parseAddress takes the URL of an API as people write it: with no path, with the base
// that the protocol's paths hang below, or with the full path. Its errors leave out the
// query and the user, which may hold secrets.
func parseAddress(text, model string, d *dialect.Dialect) (address, error) {
	u, err := parseURL(text)
	if err != nil {
		return address{}, err
	}
	base, err := base(u.Path, d)
	if err != nil {
		return address{}, fmt.Errorf("url %s: %w", show(u), err)
	}
	_, ours, _ := strings.Cut(d.Path, "?")
	u.RawQuery = without(u.RawQuery, ours)
	at := func(path string) string {
		v := *u
		path, query, _ := strings.Cut(path, "?")
		v.Path, v.RawPath = base+strings.ReplaceAll(path, "MODEL", model), ""
		v.RawQuery = joinQuery(v.RawQuery, query)
		return v.String()
	}
	return address{complete: at(d.Path), models: at(d.Models), shown: show(u)}, nil
}

// ProtocolAt returns the protocol whose full path a URL has, or that alone has such a base as
// the URL ends with, or else the one that is expected there.
func ProtocolAt(text string, expected dialect.Protocol) dialect.Protocol {
	u, failed := url.Parse(text)
	d, unknown := dialect.Of(expected)
	if failed != nil || unknown != nil {
		return expected
	}
	path := strings.TrimRight(u.Path, "/")
	if _, p, ok := d.AtPath(path); ok {
		return p
	}
	if p, ok := dialect.AtBase(path); ok {
		return p
	}
	return expected
}

// ModelAt returns the model that the full path of a URL names; "" for none.
func ModelAt(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return dialect.ModelAt(strings.TrimRight(u.Path, "/"))
}

// parseURL reads a URL, whatever its path.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the url cannot be read; want one like http://127.0.0.1:8080/v1")
	}
	if err := plain(u); err != nil {
		return nil, fmt.Errorf("url %s: %w", show(u), err)
	}
	return u, nil
}

// without returns a query without the parameter that is in ours, which has one at most: a
// full path that was copied has it, and it is put there again.
func without(query, ours string) string {
	name, _, _ := strings.Cut(ours, "=")
	if name == "" {
		return query
	}
	parts := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		n, _, _ := strings.Cut(p, "=")
		return n == name
	})
	return strings.Join(parts, "&")
}

// joinQuery joins two queries of which either may be empty.
func joinQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// show returns the part of a URL that names the server and the path.
func show(u *url.URL) string {
	return strconv.Quote((&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}).String())
}

// plain checks everything but the path.
func plain(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want it to begin with http:// or https://")
	case u.Host == "":
		return errors.New("it names no host")
	case CheckPort(u) != nil:
		return CheckPort(u)
	case u.User != nil:
		return errors.New("it holds a user or password; give the key apart from the URL")
	case u.Fragment != "":
		return errors.New("it has a fragment (#...), which no server would see")
	}
	return nil
}

// CheckPort reports that a URL names a port that there cannot be.
func CheckPort(u *url.URL) error {
	text := u.Port()
	if n, err := strconv.ParseUint(text, 10, 16); text == "" || err == nil && n > 0 {
		return nil
	}
	return fmt.Errorf("there is no port %s: want one of 1 to 65535", text)
}

// base returns the path of the API that path belongs to.
func base(path string, d *dialect.Dialect) (string, error) {
	path = strings.TrimRight(path, "/")
	base, found, ok := d.AtPath(path)
	switch {
	case ok && found != d.Protocol:
		return "", fmt.Errorf("its path is that of %s, but the protocol is %s", found, d.Protocol)
	case ok:
		return base, nil
	case d.Base == "":
		// Its paths hang below the root of the server. Most servers that speak it have
		// APIs of other protocols as well, below /v1, and that is what people write.
		return strings.TrimSuffix(path, "/v1"), nil
	}
	return cmp.Or(path, d.Base), nil
}
