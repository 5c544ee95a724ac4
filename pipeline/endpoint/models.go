package endpoint

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

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
// returns then; no names are never there.
func Models(ctx context.Context, config Config, wanted []string) ([]string, error) {
	config.Model = "unknown"
	c, err := NewClient(config, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, c.config.Limits.Connect+c.config.Limits.FirstByte)
	defer cancel()
	names, err := c.names(ctx)
	missing := func(name string) bool { return !slices.Contains(names, name) }
	switch {
	case err != nil:
		return nil, fmt.Errorf("list the models of endpoint %s: %s", c.address.shown, c.tidy(err.Error()))
	case len(wanted) > 0 && !slices.ContainsFunc(wanted, missing):
		return wanted, nil
	case len(names) == 1:
		return names, nil
	case len(names) == 0:
		return nil, fmt.Errorf("endpoint %s lists no model; name one", c.address.shown)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("endpoint %s has several models; name one of %s", c.address.shown, c.tidy(strings.Join(names, ", ")))
}

// names returns the names in the list of models.
func (c *Client) names(ctx context.Context) ([]string, error) {
	if c.dialect.Models == "" {
		return nil, fmt.Errorf("%s has no list of models", c.dialect.Protocol)
	}
	resp, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, reply.DefaultMaxBytes))
	if err != nil {
		return nil, err
	}
	return c.dialect.ModelNames(body)
}
