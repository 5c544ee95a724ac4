package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"halfsecond/pipeline/endpoint/dialect"
)

// mostLooks is how many places Elsewhere looks at.
const mostLooks = 8

// Elsewhere looks for what may have been meant where the endpoint that config describes has
// nothing: its protocol at another path of the server, else one of those that most servers
// speak. Here is what came where its own list of models should be. Of each other place the
// list is asked for, once; a server that does not answer, or that limits how much may be
// asked, is asked no more. It returns what it found, and what it asked for.
func Elsewhere(ctx context.Context, config Config, here Look) (found []dialect.Place, asked []Look) {
	u, err := url.Parse(config.URL)
	d, unknown := dialect.Of(config.Protocol)
	if err != nil || unknown != nil {
		return nil, nil
	}
	came := map[string]Look{here.URL: here} // by where it was asked for
	known := map[string]bool{}              // what was found, since one place has several URLs
	for _, p := range places(u, d) {
		config.URL, config.Protocol = p.URL, p.Protocol
		at, err := ModelsURL(config)
		if err != nil {
			continue
		}
		l, was := came[at]
		if !was {
			if len(asked) == mostLooks {
				continue
			}
			if l, err = LookAtModels(ctx, config); err != nil {
				continue
			}
			came[at], asked = l, append(asked, l)
		}
		if l.Status == 0 || l.Status == http.StatusTooManyRequests {
			break
		}
		if listed(l, p.Protocol) && !known[at+" "+string(p.Protocol)] {
			known[at+" "+string(p.Protocol)] = true
			found = append(found, p)
		}
	}
	return found, asked
}

// ModelsURL returns where the list of models of an endpoint is, without what may be secret.
// The error says what is wrong with the config, or that its protocol has no such list.
func ModelsURL(config Config) (string, error) {
	if config.Model == "" {
		config.Model = "unknown"
	}
	d, at, err := config.resolve()
	if err != nil {
		return "", err
	}
	if d.Models == "" {
		return "", fmt.Errorf("%s has no list of models", d.Protocol)
	}
	u, err := url.Parse(at.models)
	if err != nil {
		return "", err
	}
	return shownPlain(u), nil
}

// listed reports whether a Look brought a list of models of a protocol.
func listed(l Look, p dialect.Protocol) bool {
	d, err := dialect.Of(p)
	if err != nil || l.Status != http.StatusOK {
		return false
	}
	_, err = d.ModelNames(l.Body)
	return err == nil
}

// bases are where the APIs of language models usually are on their servers.
var bases = []string{"/v1", "/api/v1", "/openai/v1"}

// places returns where a server may have what was meant, the likeliest first.
func places(u *url.URL, d *dialect.Dialect) []dialect.Place {
	own := strings.TrimRight(u.Path, "/")
	var all []dialect.Place
	add := func(path string, p dialect.Protocol) {
		at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
		all = append(all, dialect.Place{URL: at.String(), Protocol: p})
	}
	if p, ok := dialect.AtBase(own); ok && p != d.Protocol {
		add(own, p)
	}
	if d.Models != "" {
		for _, path := range append([]string{d.Base, strings.TrimSuffix(own, "/v1"), own + "/v1"}, bases...) {
			add(path, d.Protocol)
		}
	}
	for _, path := range bases {
		add(path, dialect.OpenAIChat)
	}
	add("", dialect.OllamaChat)
	return all
}
