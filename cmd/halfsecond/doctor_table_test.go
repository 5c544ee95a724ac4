package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// TestServerWordsStayWords: nothing that a server says moves the cursor of a terminal.
func TestServerWordsStayWords(t *testing.T) {
	const evil = "a\x1b[31m\x1b]0;t\a\u202eb\r\nPASS\tc"
	d := diagnosis{
		seen:  &seen.Endpoint{URL: "http://h", Model: evil, Looks: []seen.Look{{Method: "GET", URL: "http://h", Failed: evil}, {Method: "GET", Status: 200, Type: evil}}},
		found: []finding.Finding{{Severity: finding.Broken, Title: evil, Evidence: []string{evil}, Fix: evil}},
	}
	var page bytes.Buffer
	if err := d.writeTable(&page, 80); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("a control character in %q", text)
	}
	if strings.Contains(text, "\nPASS") || !strings.Contains(text, `a\x1b[31m`) {
		t.Errorf("forged, or hidden: %s", text)
	}
}

// TestEnding: an answer that had no end is not said to have had one, be there output in it or
// not.
func TestEnding(t *testing.T) {
	const given, broke, end = "when the answer was given up, without an end", "when the connection broke, without an end", "the end event, or the end of the body"
	tooLong := &reply.Failure{Kind: reply.TooLong, Cause: reply.ErrTooManyParts}
	for _, c := range []struct {
		outcome pipeline.Outcome
		reply   reply.Reply
		want    string
	}{
		{pipeline.OK, reply.Reply{Done: true, BodyEnded: true}, end},
		{pipeline.OK, reply.Reply{Done: true, BodyBroken: true}, end},
		{pipeline.Truncated, reply.Reply{BodyEnded: true}, end},
		{pipeline.Truncated, reply.Reply{BodyBroken: true}, broke},
		{pipeline.Timeout, reply.Reply{BodyBroken: true}, given},
		{pipeline.Cancelled, reply.Reply{BodyBroken: true}, given},
		{pipeline.Error, reply.Reply{Failure: tooLong}, given},
	} {
		if got := ending(&seen.Request{Record: pipeline.Request{Outcome: c.outcome}, Reply: &c.reply}); got != c.want {
			t.Errorf("%s, %+v: %q, want %q", c.outcome, c.reply, got, c.want)
		}
	}
}
