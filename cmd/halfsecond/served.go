package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// served is a model as a server on some machine serves it, as typed.
type served struct {
	model, hardware, engine, weights, kv string
	gpus, kvTokens                       int
	maxSequences, tokenBudget            int
	catalog, profile                     string // files
}

// addFlags adds the flags that say what was measured.
func (s *served) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "`name` of a model of the catalogue")
	f.StringVar(&s.hardware, "hardware", "", "`name` of the hardware of the catalogue")
	f.StringVar(&s.engine, "engine", "", "`name` of the engine family of the catalogue (default vllm)")
	f.IntVar(&s.gpus, "gpus", 1, "`devices` that share the model")
	f.StringVar(&s.weights, "weights", "", "weight `format`, such as fp16, fp8 or int4 (default fp16)")
	f.StringVar(&s.catalog, "catalog", "", "`file` with rows of yours beside the built-in catalogue")
}

// addLimits adds the flags of how a recorded server was set up.
func (s *served) addLimits(f *pflag.FlagSet) {
	f.StringVar(&s.kv, "kv-cache", "fp16", "`format` of the server's KV cache")
	f.IntVar(&s.kvTokens, "kv-tokens", 0, "`tokens` that its cache held (default: what fits the memory)")
	f.IntVar(&s.maxSequences, "max-sequences", 0, "most `requests` that it ran at once (default: as the engine has it)")
	f.IntVar(&s.tokenBudget, "token-budget", 0, "most `tokens` of a step (default: as the engine has it)")
}

// deployment returns the model on the machine. It reports all that is wrong at once.
func (s *served) deployment() (roofline.Deployment, error) {
	d := roofline.Deployment{GPUs: s.gpus, KVTokens: s.kvTokens}
	rows, err := openCatalog(s.catalog)
	if err != nil {
		return d, err
	}
	var errs [5]error
	if s.model == "" {
		errs[0] = errors.New("--model is missing: 'halfsecond catalog models' lists them")
	} else {
		d.Model, errs[0] = rows.Model(s.model)
	}
	if s.hardware == "" {
		errs[1] = errors.New("--hardware is missing: 'halfsecond catalog hardware' lists it")
	} else {
		d.Hardware, errs[1] = rows.Hardware(s.hardware)
	}
	d.Engine, errs[2] = rows.Engine(unlessEmpty(s.engine, "vllm"))
	d.Weights, errs[3] = roofline.ParseFormat(unlessEmpty(s.weights, roofline.FP16.String()))
	d.KV, errs[4] = roofline.ParseKVFormat(s.kv)
	return d, errors.Join(errors.Join(errs[:]...), s.limits())
}

func unlessEmpty(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// limits reports numbers that are out of range.
func (s *served) limits() error {
	var errs []error
	within := func(flag string, v, least, most int) {
		if v < least || v > most {
			errs = append(errs, fmt.Errorf("--%s %d: want %d to %d", flag, v, least, most))
		}
	}
	within("gpus", s.gpus, 1, 1024)
	within("kv-tokens", s.kvTokens, 0, mostTokens)
	within("max-sequences", s.maxSequences, 0, mostSequences)
	within("token-budget", s.tokenBudget, 0, mostTokens)
	return errors.Join(errs...)
}

// replica returns the server, with the constants of the profile where there is one.
func (s *served) replica() (engine.Replica, error) {
	d, err := s.deployment()
	if err != nil {
		return engine.Replica{}, err
	}
	if s.profile != "" {
		p, err := readProfile(s.profile)
		if err == nil {
			err = p.Suits(d)
		}
		if err != nil {
			return engine.Replica{}, err
		}
		d.Constants = p.Constants(d)
	}
	plan, err := roofline.New(d)
	if err != nil {
		return engine.Replica{}, err
	}
	r := engine.Replica{Plan: plan, MaxSequences: s.maxSequences, TokenBudget: s.tokenBudget}
	return r, r.Validate()
}

func readProfile(file string) (fit.Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return fit.Profile{}, fmt.Errorf("--profile: %w", err)
	}
	return fit.ReadProfile(file, data)
}
