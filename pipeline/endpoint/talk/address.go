package talk

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"halfsecond/pipeline/endpoint"
)

// Address returns where a path of a protocol is, over HTTP or as a WebSocket, with the
// query that the URL has and another one. The path is as a URL has it: what stands for no
// slash in it is escaped. The URL's own path may be a base, such as /v1, or already hold the
// protocol's.
func (c Config) Address(path string, query url.Values, socket bool) (string, error) {
	u, err := parse(c.URL)
	if err != nil {
		return "", err
	}
	escaped := join(u.EscapedPath(), path)
	if u.Path, err = url.PathUnescape(escaped); err != nil {
		return "", fmt.Errorf("path %s of the protocol: %w", path, err)
	}
	u.RawPath = escaped
	all := u.Query()
	for name, values := range query {
		all[name] = values
	}
	u.RawQuery = all.Encode()
	secure := u.Scheme == "https" || u.Scheme == "wss"
	u.Scheme = map[[2]bool]string{{false, false}: "http", {false, true}: "https", {true, false}: "ws", {true, true}: "wss"}[[2]bool{socket, secure}]
	return u.String(), nil
}

// parse reads a URL. Its errors leave out the query and the user, which may hold secrets.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the url cannot be read; want one like http://127.0.0.1:8080")
	}
	problem := ""
	switch {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "ws" && u.Scheme != "wss":
		problem = "want it to begin with http://, https://, ws:// or wss://"
	case u.Host == "":
		problem = "it names no host"
	case endpoint.CheckPort(u) != nil:
		problem = endpoint.CheckPort(u).Error()
	case u.User != nil:
		problem = "it holds a user or password; give the key apart from the URL"
	case u.Fragment != "":
		problem = "it has a fragment (#...), which no server would see"
	}
	if problem != "" {
		shown := (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}).String()
		return nil, fmt.Errorf("url %s: %s", strconv.Quote(shown), problem)
	}
	return u, nil
}

// join puts a protocol's path behind a base of which it may repeat the end: /v1 and
// /v1/listen are /v1/listen, and so are /v1/listen and /v1/listen.
func join(base, path string) string {
	base = strings.TrimRight(base, "/")
	for i := range base {
		if base[i] == '/' && (path == base[i:] || strings.HasPrefix(path, base[i:]+"/")) {
			return base[:i] + path
		}
	}
	return base + path
}
