package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/scenario"
)

// endpoint returns the language model's server: the scenario's, with the URL of
// --endpoint in its place if there is one.
func (o *runOptions) endpoint(s *scenario.Scenario) (endpoint.Config, error) {
	e := scenario.Endpoint{Protocol: string(dialect.OpenAIChat)}
	if s.IDE != nil {
		e.Protocol = string(dialect.OpenAICompletions)
	}
	if s.Endpoints.LLM != nil {
		e = *s.Endpoints.LLM
	}
	errs := []error{o.caps.validate()}
	for _, binding := range o.endpoints {
		stage, url, ok := strings.Cut(binding, "=")
		if !ok || stage != "llm" || url == "" {
			errs = append(errs, fmt.Errorf("--endpoint %s: want llm=URL", binding))
			continue
		}
		e.URL = url
	}
	if e.URL == "" {
		errs = append(errs, errors.New("no endpoint for the language model: give the scenario endpoints: {llm: {url: ...}}, or --endpoint llm=URL"))
	}
	if d, err := dialect.Of(dialect.Protocol(e.Protocol)); s.IDE != nil && err == nil && !d.Fills {
		errs = append(errs, fmt.Errorf("endpoints.llm.protocol %s cannot carry the text behind the cursor: want one of %s", d.Protocol, strings.Join(dialect.Filling(), ", ")))
	}
	key, err := keyFrom(e.KeyEnv)
	roots, unread := readRoots(o.caFile)
	errs = append(errs, unread)
	config := endpoint.Config{
		URL: e.URL, Protocol: dialect.Protocol(e.Protocol), Model: e.Model, Key: key, IgnoreEOS: e.IgnoreEOS || o.ignoreEOS,
		MaxRequests: o.caps.requests, MaxTokens: o.caps.tokens, Cold: o.cold, Roots: roots,
	}
	if err = errors.Join(append(errs, err)...); err == nil {
		err = config.Check()
	}
	return config, err
}

// mayOverlap refuses a plugin that leaves requests under way at the next key when
// only one a user may be: the queue that it would need is not the plugin's.
func (o *runOptions) mayOverlap(s *scenario.Scenario) error {
	switch {
	case o.perUser < 1:
		return fmt.Errorf("--per-user %d: want at least 1", o.perUser)
	case s.IDE != nil && s.IDE.Plugin.Cancel != ide.CancelWire && o.perUser == 1:
		return fmt.Errorf("ide.plugin.cancel %s leaves requests under way at the next key, and --per-user allows one: allow more, such as --per-user 8, or cancel on the wire", s.IDE.Plugin.Cancel)
	}
	return nil
}

// keyFrom returns the key in an environment variable, none for no name.
func keyFrom(variable string) (endpoint.Key, error) {
	if variable == "" {
		return endpoint.Key{}, nil
	}
	key := os.Getenv(variable)
	if key == "" {
		return endpoint.Key{}, fmt.Errorf("key_env: the environment variable %s is not set", variable)
	}
	return endpoint.NewKey(key), nil
}
