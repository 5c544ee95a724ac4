package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"halfsecond/pipeline/endpoint"
	"halfsecond/simulators/scenario"
)

// endpoint returns the language model's server: the scenario's, with the URL of
// --endpoint in its place if there is one.
func (o *runOptions) endpoint(s *scenario.Scenario) (endpoint.Config, error) {
	e := scenario.Endpoint{Protocol: string(endpoint.OpenAIChat)}
	if s.Kind == "ide" {
		e.Protocol = string(endpoint.OpenAICompletions)
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
	if s.Kind == "ide" && e.Protocol == string(endpoint.OpenAIChat) {
		errs = append(errs, errors.New("endpoints.llm.protocol openai-chat cannot carry the text behind the cursor: want openai-completions"))
	}
	key, err := keyFrom(e.KeyEnv)
	return endpoint.Config{
		URL: e.URL, Protocol: endpoint.Protocol(e.Protocol), Model: e.Model, Key: key, IgnoreEOS: e.IgnoreEOS,
		MaxRequests: o.caps.requests, MaxTokens: o.caps.tokens,
	}, errors.Join(append(errs, err)...)
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
