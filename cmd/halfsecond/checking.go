package main

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/simulators/ide/syntax"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/runner/checker"
	"halfsecond/simulators/scenario"
)

// checking returns what --checker asks for, nil for nothing. A command stands in a flag and in no
// scenario, for who runs somebody's file does not mean to run somebody's program.
func (o *runOptions) checking(s *scenario.Scenario) (*runner.Checking, error) {
	if !o.given("checker") {
		return nil, nil
	}
	if strings.TrimSpace(o.checker) == "" {
		return nil, errors.New("--checker is empty: want go, json, or LANGUAGE=COMMAND, such as 'python=python3 check.py'")
	}
	if s.IDE == nil {
		return nil, fmt.Errorf("--checker parses completions in an editor: it is for kind ide, not for kind %s", s.Kind)
	}
	name, line, given := strings.Cut(o.checker, "=")
	if !given {
		language := syntax.Language(strings.TrimSpace(name))
		if _, ok := syntax.With(nil)[language]; !ok {
			return nil, fmt.Errorf("--checker %s: built in are go and json; want %s=COMMAND, a program that reads the text on its standard input", o.checker, o.checker)
		}
		return &runner.Checking{Language: language}, nil
	}
	if strings.TrimSpace(line) == "" {
		return nil, errors.New("--checker " + o.checker + ": want LANGUAGE=COMMAND, such as 'python=python3 check.py'")
	}
	language, command, err := checker.Named(o.checker, checker.Limits{})
	if err != nil {
		return nil, fmt.Errorf("--checker: %w", err)
	}
	return &runner.Checking{Language: language, Command: command}, nil
}
