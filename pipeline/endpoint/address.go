package endpoint

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"halfsecond/pipeline/wire"
)

// address is where an endpoint is asked.
type address struct {
	complete string // where completions of the protocol are posted
	models   string // where the list of models is
	shown    string // the URL for messages, quoted
}

// parseAddress takes the URL of an OpenAI API as people write it: with no path,
// which means /v1, with the base that the protocol's paths hang below, or with the
// full path. Its errors
// leave out the query and the user, which may hold secrets.
func parseAddress(text string, p Protocol) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, errors.New("the url cannot be read; want one like http://127.0.0.1:8080/v1")
	}
	base, err := base(u.Path, p)
	if err = cmp.Or(plain(u), err); err != nil {
		return address{}, fmt.Errorf("url %s: %w", show(u), err)
	}
	at := func(path string) string {
		v := *u
		v.Path, v.RawPath = base+path, ""
		return v.String()
	}
	return address{complete: at(p.path()), models: at(wire.ModelsPath), shown: show(u)}, nil
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
	case u.User != nil:
		return errors.New("it holds a user or password; give the key apart from the URL")
	case u.Fragment != "":
		return errors.New("it has a fragment (#...), which no server would see")
	}
	return nil
}

// base returns the path of the API that path belongs to.
func base(path string, p Protocol) (string, error) {
	path = strings.TrimRight(path, "/")
	for _, full := range []Protocol{OpenAIChat, OpenAICompletions} {
		base, ok := strings.CutSuffix(path, full.path())
		if ok && full != p {
			return "", fmt.Errorf("its path is that of %s, but the protocol is %s", full, p)
		}
		if ok {
			return base, nil
		}
	}
	return cmp.Or(path, "/v1"), nil
}
