package main

import (
	"os"
	"strings"
	"testing"
)

// What docs/voice-report.md shows is what its command prints.
func TestVoiceReportPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/voice-report.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := indented(string(data))
	command := strings.Fields(strings.Join(shown[0], " "))
	_, out, errs := halfsecond(t, command[1:]...)
	if errs != "" {
		t.Errorf("%v: %s", command, errs)
	}
	printed := "\n" + trimmed(out) + "\n"
	for _, b := range shown[1:] {
		if text := strings.Join(b, "\n"); !strings.Contains(printed, "\n"+text+"\n") {
			t.Errorf("the page shows what %v does not print:\n%s", command, text)
		}
	}
	if len(shown) != 10 {
		t.Errorf("the page shows %d blocks, want the command and 9 parts of what it prints", len(shown))
	}
}

// What the README shows of two runs is what they print.
func TestReadmeSamples(t *testing.T) {
	for _, command := range []string{"run classic-chain-real", "run preset-local"} {
		_, out, _ := halfsecond(t, strings.Fields(command)...)
		printed := "\n" + trimmed(out) + "\n"
		for _, line := range sampleOf(t, command) {
			if line != "..." && !strings.Contains(printed, "\n"+line+"\n") {
				t.Errorf("the README shows what %s does not print: %s", command, line)
			}
		}
	}
}

// sampleOf returns what the README shows of a command's output, of which parts are left out.
func sampleOf(t *testing.T, command string) []string {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range indented(string(data)) {
		if b[0] == "$ bin/halfsecond "+command && len(b) > 10 {
			return b[1:]
		}
	}
	t.Fatalf("the README has no %s with its output", command)
	return nil
}

// indented returns the indented blocks of a page, without their indent.
func indented(page string) (all [][]string) {
	in := false
	for _, line := range strings.Split(page, "\n") {
		text, is := strings.CutPrefix(line, "    ")
		switch {
		case is && !in:
			all = append(all, []string{text})
		case is:
			all[len(all)-1] = append(all[len(all)-1], text)
		}
		in = is
	}
	return all
}

// trimmed returns a text whose lines end with no space.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
