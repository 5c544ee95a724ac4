package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline/endpoint/probe/seen"
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
