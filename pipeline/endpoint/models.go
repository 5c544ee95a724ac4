package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/reply"
)

// OnlyModel asks the endpoint that config describes, its Model aside, for its
// list of models and returns the name of the only one. The error lists them when
// there are several.
func OnlyModel(ctx context.Context, config Config) (string, error) {
	names, err := Models(ctx, config, nil)
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// Models is OnlyModel for an endpoint that may have all of the wanted names, which it
// returns then; no names are never there. Where the server has no list at the place, the
// error says what may have been meant. A server that is busy and asks to wait is waited
// for, see the Waits of a Config: at most three times, and 10 s in all.
func Models(ctx context.Context, config Config, wanted []string) ([]string, error) {
	config.Model = "unknown"
	d, at, err := config.resolve()
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	l, err := listOf(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("endpoint %s: %w; name %s", at.shown, err, naming(wanted))
	}
	names, err := d.ModelNames(l.Body)
	if l.Status != http.StatusOK || err != nil {
		return nil, fmt.Errorf("endpoint %s %s", at.shown, noList(ctx, config, l, err))
	}
	missing := func(name string) bool { return !slices.Contains(names, name) }
	switch {
	case len(wanted) > 0 && !slices.ContainsFunc(wanted, missing):
		return wanted, nil
	case len(names) == 1:
		return names, nil
	case len(names) == 0:
		return nil, fmt.Errorf("endpoint %s lists no model; name %s", at.shown, naming(wanted))
	}
	slices.Sort(names)
	return nil, fmt.Errorf("endpoint %s has several models; name %s: %s", at.shown, naming(wanted), config.Key.TidyName(strings.Join(names, ", ")))
}

// How often a server that asks to wait is asked again for its list of models, and how long
// is waited for that in all: by convention, so that somebody at a terminal sees it through.
const (
	mostRepeats = 3
	mostWaiting = 10 * time.Second
)

// listOf looks at the list of models, and again after each wait that the server asks for.
// It gives up with the last Look, also when ctx ends meanwhile.
func listOf(ctx context.Context, config Config) (Look, error) {
	left := mostWaiting
	for repeats := 0; ; repeats++ {
		l, err := LookAtModels(ctx, config)
		if err != nil || !l.busy() || l.Wait > left || repeats == mostRepeats {
			return l, err
		}
		left -= l.Wait
		if config.Waits != nil {
			config.Waits(l.Wait)
		}
		select {
		case <-ctx.Done():
			return l, nil
		case <-time.After(l.Wait):
		}
	}
}

// busy reports whether the server is there, and asks to be asked later.
func (l Look) busy() bool {
	later := l.Status == http.StatusTooManyRequests || l.Status == http.StatusServiceUnavailable
	return later && l.Wait != pipeline.Unknown
}

// naming says how to name the models that are asked: those of a comparison wants some.
func naming(wanted []string) string {
	if len(wanted) > 0 {
		return "those to compare with --endpoint-model"
	}
	return "one with --model"
}

// noList says why a Look brought no list of models.
func noList(ctx context.Context, config Config, l Look, unread error) string {
	switch {
	case l.Status == 0:
		return "does not answer: " + l.Failed
	case l.Status != http.StatusOK:
		return fmt.Sprintf("gives no list of models: GET %s: HTTP %d%s", l.URL, l.Status, l.more(ctx, config))
	case l.Failed != "":
		return fmt.Sprintf("gives no list of models: GET %s: %s", l.URL, l.Failed)
	}
	return fmt.Sprintf("gives no list of models: GET %s: %s%s", l.URL, unread, l.more(ctx, config))
}

// What the error of a list that was refused ends with.
const (
	WithoutKey = "; no key was given"
	WithKey    = "; that is with the key that was given"
)

// more says what else there is to say of a Look that brought no list: the server's words,
// how long it asks to wait, what may have been meant.
func (l Look) more(ctx context.Context, config Config) string {
	said := ""
	if words := config.Key.Tidy(reply.StatusMessage(l.Status, l.Body)); l.Status != http.StatusOK && l.Type != "text/html" && words != "" {
		said = ": " + words
	}
	switch refused := l.Status == http.StatusUnauthorized || l.Status == http.StatusForbidden; {
	case refused && config.Key.String() == "":
		said += WithoutKey
	case refused:
		said += WithKey
	}
	if l.Wait != pipeline.Unknown {
		said += fmt.Sprintf("; it asks to wait %s", l.Wait)
	}
	if !l.Misplaced() {
		return said
	}
	found, _ := Elsewhere(ctx, config, l)
	if meant := dialect.Meant(found, config.Protocol); meant != "" {
		return said + "; " + meant
	}
	return said
}

// Misplaced reports whether the answer is that of a server that has nothing at the place,
// or has another API or a web page there.
func (l Look) Misplaced() bool {
	return l.Status == http.StatusNotFound || l.Status == http.StatusMethodNotAllowed || l.Status == http.StatusOK
}
