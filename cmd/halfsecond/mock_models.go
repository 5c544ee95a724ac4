package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/given"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// mockModels says which language models the mock serves, as typed.
type mockModels struct {
	scenario     string // its name, or ""
	variant      string // of a comparison, or ""
	server       string // a file with a stated server, or ""
	named        namedDeployment
	maxSequences int
	tokenBudget  int
	slots        int
	hosted       []string // NAME=COMPONENT@TOKENS_PER_SECOND
	anyModel     bool
	detect       string

	stated *given.Server // what server names; nil for none
	others []string      // variants of the comparison that are not served
}

func (o *mockModels) addFlags(f *pflag.FlagSet) {
	o.named.addFlags(f)
	f.IntVar(&o.maxSequences, "max-sequences", 0, "`requests` computed at once; the others wait (default: as the engine has it)")
	f.IntVar(&o.tokenBudget, "token-budget", 0, "most `tokens` of one step (default: as the engine has it)")
	f.IntVar(&o.slots, "slots", 0, "`slots` of an engine that has some, such as llama.cpp (default: as the engine has it)")
	f.StringVar(&o.variant, "variant", "", "which `variant` of a comparison's models is served (default: its first)")
	f.StringVar(&o.server, "server", "", "a server of stated times from a JSON `file`, or FILE#ID for one of several in it; 'halfsecond init server' prints an example")
	f.StringArrayVar(&o.hosted, "hosted", nil, "a rented model: `NAME=COMPONENT@RATE`, with a row of 'halfsecond catalog components' and tokens a second; may be repeated")
	f.BoolVar(&o.anyModel, "any-model", false, "answer requests for a model that is not there by the first one, and not by 404")
	f.StringVar(&o.detect, "detect", engine.AtOnce.String(), "`when` it notices that a client has hung up, and stops computing: immediate, next_token, prefill_end or never")
}

// usualScenario is the one whose language model is served when nothing was said.
const usualScenario = "voice"

// offers returns what is served. The seed becomes that of the scenario, or 1, unless it
// was typed.
func (o *mockModels) offers(given func(flag string) bool, seed *uint64) (out []offer, err error) {
	detect, err := engine.ParseDetection(o.detect)
	if err != nil {
		return nil, fmt.Errorf("--detect: %w", err)
	}
	if o.scenario == "" && !given("server") && len(o.hosted) == 0 && len(typed(given, engineFlags...)) == 0 {
		o.scenario = usualScenario
	}
	switch {
	case given("server"):
		out, err = o.fromFile(given, seed)
	case o.scenario == "" && len(o.hosted) > 0 && !given("model") && !given("hardware"):
		o.seedOr(given, seed, 1)
	default:
		out, err = o.modelled(given, seed)
	}
	for _, text := range o.hosted {
		h, wrong := hosted(text, *seed)
		out, err = append(out, h), errors.Join(err, wrong)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		if build := out[i].service.Build; given("detect") {
			out[i].service.Build = func(loop pipeline.Scheduler) engine.Engine {
				return engine.NewDetector(engine.DetectorConfig{Detection: detect}, build(loop))
			}
		}
	}
	return out, nil
}

func (o *mockModels) seedOr(given func(flag string) bool, seed *uint64, otherwise uint64) {
	if !given("seed") {
		*seed = otherwise
	}
}

// fromFile returns the stated server, which takes any model's name.
func (o *mockModels) fromFile(given func(flag string) bool, seed *uint64) ([]offer, error) {
	others := typed(given, append(slices.Clone(engineFlags), "detect", "variant")...)
	if o.scenario != "" {
		others = append(others, "scenario "+o.scenario)
	}
	if len(others) > 0 {
		return nil, fmt.Errorf("%s cannot be used with --server, whose file says what is served: change it there", strings.Join(others, ", "))
	}
	o.seedOr(given, seed, 1)
	s, err := readServer(o.server)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	o.stated, o.anyModel = s, true
	name, _, _ := strings.Cut(filepath.Base(o.server), "#")
	return []offer{{stated: s, service: scenario.Service{
		Name: strings.TrimSuffix(name, filepath.Ext(name)), Context: 1 << 20, Shares: s.PromptCache == "prefix", Build: s.Build,
	}}}, nil
}

// readServer reads FILE or FILE#ID.
func readServer(text string) (*given.Server, error) {
	name, id, _ := strings.Cut(text, "#")
	data, err := readFile(name, mostTextFile)
	if err != nil {
		return nil, err
	}
	return given.Read(name, data, id)
}

// hosted returns a rented model of the form NAME=COMPONENT@RATE.
func hosted(text string, seed uint64) (offer, error) {
	name, rest, _ := strings.Cut(text, "=")
	component, rate, _ := strings.Cut(rest, "@")
	r, err := strconv.ParseFloat(rate, 64)
	if name == "" || !utf8.ValidString(name) || component == "" || err != nil || !(r > 0 && r <= 1e6) {
		return offer{}, fmt.Errorf("--hosted %s: want NAME=COMPONENT@RATE, such as gpt-4o=llm-gpt-4o-aiewf-eval@90; the rate is tokens a second", text)
	}
	m, err := scenario.Hosted(component, r)
	if err != nil {
		return offer{}, fmt.Errorf("--hosted %s: %w", text, err)
	}
	f := offer{model: m}
	if f.service, err = m.Service(seed); err != nil {
		return offer{}, fmt.Errorf("--hosted %s: %w", text, err)
	}
	f.service.Name = name
	return f, nil
}

// modelled returns the scenario's models, or the one that flags name.
func (o *mockModels) modelled(given func(flag string) bool, seed *uint64) ([]offer, error) {
	models, err := o.models(given, seed)
	if err != nil {
		return nil, err
	}
	out := make([]offer, len(models))
	for i, m := range models {
		out[i].model = m
		if out[i].service, err = m.Service(*seed); err != nil {
			return nil, o.explain(err)
		}
	}
	return out, nil
}

// engineFlags are the names of those that say what is served.
var engineFlags = slices.Concat(deploymentFlags, []string{"max-sequences", "token-budget", "slots"})

func (o *mockModels) models(given func(flag string) bool, seed *uint64) ([]scenario.LLM, error) {
	if o.scenario == "" {
		o.seedOr(given, seed, 1)
		if o.variant != "" {
			return nil, errors.New("--variant is for a scenario that compares models, such as speculation")
		}
		e, err := o.engine()
		return []scenario.LLM{{Engine: e}}, err
	}
	if flags := typed(given, engineFlags...); len(flags) > 0 {
		return nil, fmt.Errorf("%s cannot be used with a scenario, which says what is served: change it there", strings.Join(flags, ", "))
	}
	s, err := scenario.Load(o.scenario)
	if err != nil {
		return nil, err
	}
	o.seedOr(given, seed, s.Run.Seed)
	if s.Grid != nil {
		return o.compared(s.Grid)
	}
	if o.variant != "" {
		return nil, fmt.Errorf("--variant: the scenario %s compares no models", s.Name)
	}
	m, _ := s.LLM()
	return []scenario.LLM{m}, nil
}

// compared returns the models of a grid in the variant that was named, else in its first.
func (o *mockModels) compared(g *scenario.Grid) ([]scenario.LLM, error) {
	var names []string
	for _, v := range g.Variants {
		names = append(names, v.Name)
	}
	at := max(0, slices.Index(names, o.variant))
	if o.variant != "" && names[at] != o.variant {
		return nil, fmt.Errorf("--variant %s: want one of %s%s", o.variant, strings.Join(names, ", "), orMeant(o.variant, names))
	}
	if o.variant = names[at]; len(names) > 1 {
		o.others = slices.Delete(names, at, at+1)
	}
	out := make([]scenario.LLM, len(g.Models))
	for i, m := range g.Models {
		out[i].Engine = g.Serving(m, g.Variants[at])
	}
	return out, nil
}

// engine returns the engine that the flags describe.
func (o *mockModels) engine() (*scenario.Engine, error) {
	d, err := o.named.find()
	if err = errors.Join(err, o.validate(d.Engine)); err != nil {
		return nil, err
	}
	e := &scenario.Engine{
		Model: d.Model.Name, Hardware: d.Hardware.Name, Software: d.Engine.Name, GPUs: d.GPUs, Split: d.Split, Stages: d.Stages,
		Weights: d.Weights.String(), KVCache: d.KV.String(), KVTokens: d.KVTokens,
		MaxSequences: o.maxSequences, TokenBudget: o.tokenBudget, Slots: o.slots, Replicas: 1,
	}
	if e.Rows, err = openCatalog(o.named.catalog); err != nil {
		return nil, err
	}
	e.Profile, err = o.named.openProfile()
	return e, err
}

// validate reports limits that an engine cannot have.
func (o *mockModels) validate(e catalog.Engine) error {
	errs := []error{
		within("max-sequences", o.maxSequences, 0, mostSequences),
		within("token-budget", o.tokenBudget, 0, mostTokens),
		within("slots", o.slots, 0, mostSequences),
	}
	switch {
	case e.Name == "": // which is told already
	case e.Slots > 0 && o.maxSequences > 0:
		errs = append(errs, fmt.Errorf("--max-sequences %d: %s serves in slots; give --slots", o.maxSequences, e.Name))
	case e.Slots == 0 && o.slots > 0:
		errs = append(errs, fmt.Errorf("--slots %d: %s serves in batches, give --max-sequences; engines with slots are %s", o.slots, e.Name, strings.Join(o.slotted(), ", ")))
	}
	return errors.Join(errs...)
}

// slotted names the engines that serve in slots.
func (o *mockModels) slotted() (names []string) {
	c, err := openCatalog(o.named.catalog)
	if err != nil {
		return nil // which is told already
	}
	for _, e := range c.Engines() {
		if e.Slots > 0 {
			names = append(names, e.Name)
		}
	}
	return names
}

// explain adds to a model that does not fit what would make it.
func (o *mockModels) explain(err error) error {
	if fit := (*roofline.FitError)(nil); o.scenario == "" && errors.As(err, &fit) {
		if d, found := o.named.find(); found == nil {
			return fmt.Errorf("%w%s", err, alternatives(d))
		}
	}
	return err
}
