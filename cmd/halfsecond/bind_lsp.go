package main

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/pipeline/endpoint/langserver"
	"halfsecond/simulators/scenario"
)

// overNetwork are flags that a program which was started here has no use for.
var overNetwork = append([]string{"endpoint", "model", "ignore-eos", "cold", "ca-file", "metrics", "per-user", "max-tokens"}, moneyFlags...)

// languageServer returns what --lsp starts.
func (o *runOptions) languageServer(s *scenario.Scenario) (*langserver.Config, error) {
	command, err := words(o.lsp)
	errs := []error{o.guard.resolve()}
	switch {
	case err != nil:
		errs = append(errs, fmt.Errorf("--lsp: %w", err))
	case len(command) == 0:
		errs = append(errs, errors.New("--lsp is empty: want a command, such as 'node server.js --stdio'"))
	}
	if s.IDE == nil {
		errs = append(errs, fmt.Errorf("--lsp completes in an editor: it is for kind ide, not for kind %s", s.Kind))
	}
	for _, flag := range overNetwork {
		if o.given(flag) {
			errs = append(errs, fmt.Errorf("--%s is for an endpoint that is asked over a network, and --lsp starts a program: want one or the other", flag))
		}
	}
	config := &langserver.Config{Command: command, MaxRequests: o.guard.caps.requests, Limits: langserver.Limits{Answer: o.guard.limits.Whole}}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return config, config.Check()
}

// words splits a command into words as a shell does, without anything else that a shell does:
// blanks end a word unless they are in quotes or behind a backslash.
func words(command string) (all []string, err error) {
	var b strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, c := range command {
		switch {
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(c)
		case c == '"' || c == '\'':
			begun, quote = true, c
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				all = append(all, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteRune(c)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%s: a quotation or a backslash ends nowhere", command)
	}
	if begun {
		all = append(all, b.String())
	}
	return all, nil
}
