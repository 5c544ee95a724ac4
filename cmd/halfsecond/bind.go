package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

// endpoint returns the language model's server: the scenario's, with the URL of
// --endpoint and the model of --model in their places if there are any. Where the
// scenario has none, the path of the URL may say which protocol it is.
func (o *runOptions) endpoint(s *scenario.Scenario) (endpoint.Config, error) {
	e := scenario.Endpoint{Protocol: string(dialect.OpenAIChat)}
	if s.IDE != nil {
		e.Protocol = string(dialect.OpenAICompletions)
	}
	if s.Endpoints.LLM != nil {
		e = *s.Endpoints.LLM
	}
	errs := []error{o.guard.resolve()}
	for _, binding := range o.endpoints {
		stage, url, ok := strings.Cut(binding, "=")
		if !ok || !slices.Contains(boundStages, stage) || url == "" {
			errs = append(errs, fmt.Errorf("--endpoint %s: want %s", binding, strings.Join(boundStages, "=URL, ")+"=URL"))
			continue
		}
		if stage != "llm" { // see speech
			continue
		}
		e.URL = url
		if s.Endpoints.LLM == nil {
			e.Protocol = string(endpoint.ProtocolAt(url, dialect.Protocol(e.Protocol)))
		}
	}
	e.Model = cmp.Or(o.model, e.Model, endpoint.ModelAt(e.URL))
	speech := o.hasSpeech(s)
	if e.URL == "" && speech {
		return endpoint.Config{}, errors.Join(errs...) // the modelled one answers
	}
	if e.URL == "" {
		errs = append(errs, errors.New("no endpoint for the language model: give the scenario endpoints: {llm: {url: ...}}, or --endpoint llm=URL"))
	}
	if d, err := dialect.Of(dialect.Protocol(e.Protocol)); s.IDE != nil && err == nil && !d.Fills {
		errs = append(errs, fmt.Errorf("endpoints.llm.protocol %s cannot carry the text behind the cursor: want one of %s", d.Protocol, strings.Join(dialect.Filling(), ", ")))
	}
	key, err := o.serviceKey("llm", e.KeyEnv)
	roots, unread := readRoots(o.caFile)
	errs = append(errs, unread)
	config := endpoint.Config{
		URL: e.URL, Protocol: dialect.Protocol(e.Protocol), Model: e.Model, Key: key, IgnoreEOS: e.IgnoreEOS || o.ignoreEOS,
		Cold: o.cold, Roots: roots,
	}
	o.guard.bind(&config)
	if s.Grid == nil {
		errs = append(errs, o.guard.needs(config.Model))
	}
	if err = errors.Join(append(errs, err)...); err == nil {
		err = config.Check()
	}
	return config, err
}

// oneModel refuses the models of a comparison where a scenario asks a single one.
func (o *runOptions) oneModel() error {
	if len(o.models) > 0 {
		return errors.New("--endpoint-model is for comparisons of models, such as 'halfsecond run bench': here --model names the one that is asked")
	}
	return nil
}

// mayOverlap refuses a plugin that leaves requests under way at the next key when
// only one a user may be: the queue that it would need is not the plugin's.
func (o *runOptions) mayOverlap(s *scenario.Scenario) error {
	switch {
	case o.perUser < 1:
		return fmt.Errorf("--per-user %d: want at least 1", o.perUser)
	case s.IDE != nil && s.IDE.Plugin.Cancel != plugin.CancelWire && s.IDE.Plugin.Overlaps() && o.perUser == 1:
		return fmt.Errorf("ide.plugin.cancel %s leaves requests under way at the next key, and --per-user allows one: allow more, such as --per-user 8, or cancel on the wire", s.IDE.Plugin.Cancel)
	case s.IDE != nil && s.IDE.Plugin.Overlaps() && o.perUser == 1:
		return errors.New("ide.plugin.requests leaves requests under way at the next key, and --per-user allows one: allow more, such as --per-user 8, or leave out keep_matching, speculation_lives and warm_up")
	}
	return nil
}

// variableName is how a variable may be called without being taken for a key.
var variableName = regexp.MustCompile(`^([A-Za-z_]{1,40}|[A-Z0-9]{0,20}_[A-Z0-9_]{0,40})$`)

// shownVariable returns the name of an environment variable for a message. A text that
// looks like a key in its place is not repeated.
func shownVariable(name string) string {
	if name != "" && !variableName.MatchString(name) {
		return "(not shown: it looks like a key; want the name of the variable that holds one)"
	}
	return name
}

// serviceKey returns the key of a service of the scenario. The error says where its variable
// is named.
func (o *runOptions) serviceKey(stage, variable string) (endpoint.Key, error) {
	key, err := keyFrom(variable)
	if err != nil {
		err = fmt.Errorf("%sendpoints.%s.%w", keyPlace(o.name, stage, variable), stage, err)
	}
	return key, err
}

// keyPlace returns the file and the line of a scenario in which a service names its variable, in
// front of a message; "" for none.
func keyPlace(name, stage, variable string) string {
	text, err := readFile(name, 1<<20)
	if err != nil {
		return "" // a built-in scenario
	}
	number, within := 0, false
	for line := range strings.Lines(string(text)) {
		number++
		within = within || strings.Contains(line, stage+":")
		if within && strings.Contains(line, "key_env") && strings.Contains(line, variable) {
			return fmt.Sprintf("%s:%d: ", name, number)
		}
	}
	return name + ": "
}

// keyFrom returns the key in an environment variable, none for no name.
func keyFrom(variable string) (endpoint.Key, error) {
	if variable == "" {
		return endpoint.Key{}, nil
	}
	key := os.Getenv(variable)
	if key == "" {
		return endpoint.Key{}, fmt.Errorf("key_env: the environment variable %s is not set", shownVariable(variable))
	}
	return endpoint.NewKey(key), nil
}
