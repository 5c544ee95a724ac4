package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfsecond/budgets/report"
	"halfsecond/simulators/study"
)

var update = flag.Bool("update", false, "write what docs show of commands anew")

// ghostExample is the page, and its picture, that the worked example is told in.
const ghostExample = "../../docs/ghost-example"

// What docs/ghost-example.md shows is what its commands print, and its picture what the first of
// them draws.
func TestGhostExample(t *testing.T) {
	page, err := os.ReadFile(ghostExample + ".md")
	if err != nil {
		t.Fatal(err)
	}
	text, seen := string(page), 0
	for rest := text; ; seen++ {
		_, after, found := strings.Cut(rest, "```\n$ halfsecond ")
		if !found {
			break
		}
		shown, following, found := strings.Cut(after, "```\n")
		if !found {
			t.Fatal("a block of the page has no end")
		}
		command, _, _ := strings.Cut(shown, "\n\n")
		out := t.TempDir()
		got := command + "\n\n" + printedBy(t, command, out)
		if got != shown {
			if !*update {
				t.Errorf("the page shows of %s\n%s\nand it prints\n%s", command, shown, got)
			}
			text = strings.Replace(text, shown, got, 1)
		}
		if seen == 0 {
			samePicture(t, filepath.Join(out, "frontier.svg"))
		}
		rest = following
	}
	if seen != 2 {
		t.Errorf("the page shows %d commands, want 2", seen)
	}
	if *update {
		if err := os.WriteFile(ghostExample+".md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printedBy returns what a command prints, up to its plots.
func printedBy(t *testing.T, command, out string) string {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(command, "\\\n", " "))
	for i := range args {
		args[i] = strings.Trim(args[i], "'")
	}
	args = joined(args)
	var printed bytes.Buffer
	p := newProgram()
	p.out, p.err, p.width, p.color, p.progress = &printed, &printed, 0, false, false
	if code := run(append(args, "--out", out), p); code != exitPassed {
		t.Fatalf("%s ended with %d: %s", command, code, printed.String())
	}
	table, _, _ := strings.Cut(printed.String(), "\nOpportunities inside")
	return table
}

// joined puts the two words of each --for together again.
func joined(words []string) (args []string) {
	for i := 0; i < len(words); i++ {
		if strings.HasSuffix(words[i], ":") && i+1 < len(words) {
			args = append(args, words[i]+" "+words[i+1])
			i++
			continue
		}
		args = append(args, words[i])
	}
	return args
}

func samePicture(t *testing.T, name string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(ghostExample+".svg", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(ghostExample + ".svg"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/ghost-example.svg is not what the command draws (%v)", err)
	}
}

// A page of a frontier of which nothing was run has no picture, and says so.
func TestFrontierOfNothing(t *testing.T) {
	p := &study.FrontierPlan{}
	r := report.NewFrontier(&p.Frontier)
	svg, err := frontierSVG(r)
	if err != nil || svg != nil {
		t.Errorf("a picture of nothing: %q, %v", svg, err)
	}
	var page bytes.Buffer
	if err := r.HTML(&page, svg); err != nil || !strings.Contains(page.String(), "nothing can be recommended") {
		t.Errorf("page: %v\n%s", err, page.String())
	}
}
