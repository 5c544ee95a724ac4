package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"
)

func TestFinish(t *testing.T) {
	cmd := &cobra.Command{Use: "halfsecond"}
	for _, test := range []struct {
		name    string
		err     error
		started bool
		code    int
		printed string
	}{
		{"nothing wrong", nil, true, 0, ""},
		{"a failed budget, already reported", &exitError{code: exitFailed}, true, 1, ""},
		{"a bad file", usageError(errors.New("a.yaml:3: no")), true, 2, "halfsecond: a.yaml:3: no\n"},
		{"two bad values", usageError(errors.Join(errors.New("a"), errors.New("b"))), true, 2, "halfsecond: a\nhalfsecond: b\n"},
		{"wrapped", fmt.Errorf("run: %w", usageError(errors.New("no"))), true, 2, "halfsecond: no\n"},
		{"unmeasured", &exitError{exitUnmeasured, errors.New("too few")}, true, 3, "halfsecond: too few\n"},
		{"words of a server", &exitError{exitUnmeasured, errors.New("it said \x1b[2J\u202eno\n\ttab")}, true, 3, "halfsecond: it said \\x1b[2J\\u202eno\nhalfsecond:   tab\n"},
		{"any other error of a command", errors.New("disk full"), true, 3, "halfsecond: disk full\n"},
		{"a command line that makes no sense", errors.New("unknown flag"), false, 2,
			"halfsecond: unknown flag\nhalfsecond: see 'halfsecond --help'\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &program{err: &out, started: test.started}
			if code := p.finish(cmd, test.err); code != test.code || out.String() != test.printed {
				t.Errorf("exit code %d and %q, want %d and %q", code, out.String(), test.code, test.printed)
			}
		})
	}
}

func TestUsageErrorOfNil(t *testing.T) {
	if err := usageError(nil); err != nil {
		t.Errorf("usageError(nil) = %v", err)
	}
}

func TestRunReturnsTheExitCode(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
	}{
		{nil, 0},
		{[]string{"predict", "--params", "7B", "--bandwidth", "1000"}, 0},
		{[]string{"predict"}, 2},
		{[]string{"predict", "--model", "Llama-3.1-70B", "--hardware", "L4"}, 2},
		{[]string{"predict", "--no-such-flag"}, 2},
		{[]string{"catalog", "models", "no such model"}, 2},
		{[]string{"no-such-command"}, 2},
		{[]string{"catalog", "models", "--format", "html"}, 2},
	} {
		var out, errs bytes.Buffer
		if code := run(test.args, &program{out: &out, err: &errs}); code != test.code {
			t.Errorf("halfsecond %v: exit code %d, want %d", test.args, code, test.code)
		}
		if (errs.Len() > 0) != (test.code != 0) || (out.Len() > 0) != (test.code == 0) {
			t.Errorf("halfsecond %v: stdout %q, stderr %q", test.args, out.String(), errs.String())
		}
	}
}

// TestNearest: a name is suggested where it is near, and only there.
func TestNearest(t *testing.T) {
	names := []string{"openai-chat", "openai-completions", "tabby", "gemini"}
	for typed, want := range map[string]string{
		"openai-cat": "did you mean openai-chat?", "openai": "did you mean openai-chat?", "gemni": "did you mean gemini?", "taby": "did you mean tabby?",
		"nope": "want one of openai-chat, openai-completions, tabby, gemini", "x": "want one of openai-chat, openai-completions, tabby, gemini",
	} {
		if got := meant(typed, names); got != want {
			t.Errorf("meant(%q) = %q, want %q", typed, got, want)
		}
	}
	if got := orMeant("nope", names); got != "" {
		t.Errorf("orMeant(nope) = %q, want none", got)
	}
}
