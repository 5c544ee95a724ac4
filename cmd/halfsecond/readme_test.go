package main

import (
	"os"
	"strings"
	"testing"

	"halfsecond/simulators/scenario"
)

// The README names every scenario that comes with the program and every command.
func TestReadmeIsComplete(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the README does not name the scenario %s", name)
		}
	}
	for _, cmd := range newRootCmd(newProgram()).Commands() {
		if name := cmd.Name(); cmd.IsAvailableCommand() && name != "help" && name != "completion" && !strings.Contains(text, name+" ") {
			t.Errorf("the README does not show the command %s", name)
		}
	}
}
