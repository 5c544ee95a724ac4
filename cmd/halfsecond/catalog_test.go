package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

func TestWriteCut(t *testing.T) {
	text := "name   source\nä long  somewhere  \n"
	for width, want := range map[int]string{
		0:  "name   source\nä long  somewhere\n",
		17: "name   source\nä long  somewhere\n",
		10: "name   so…\nä long  s…\n",
	} {
		var out bytes.Buffer
		if err := writeCut(&out, text, width); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("width %d: %q, want %q", width, out.String(), want)
		}
	}
}

// A preset of a plugin is a part of a scenario, and each of its keys says what it rests on.
func TestCatalogPlugins(t *testing.T) {
	for _, preset := range plugin.Presets() {
		var out bytes.Buffer
		p := &program{out: &out, err: &out}
		if code := run([]string{"catalog", "plugins", preset.Name}, p); code != exitPassed {
			t.Fatalf("catalog plugins %s: exit code %d: %s", preset.Name, code, out.String())
		}
		text := "halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  " + strings.ReplaceAll(out.String(), "\n", "\n  ")
		s, err := scenario.Parse(preset.Name, []byte(text), nil)
		if err != nil || s.IDE.Plugin != preset.Rules {
			t.Errorf("%s reads as other rules: %v", preset.Name, err)
		}
		for _, want := range append([]string{preset.Of, preset.Source, plugin.ReadOn, "nobody who makes the"}, preset.Open...) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not say %q", preset.Name, want)
			}
		}
	}
	var out bytes.Buffer
	run([]string{"catalog", "plugins", "--format", "json"}, &program{out: &out, err: &out})
	var rows []pluginJSON
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) != len(plugin.Presets()) {
		t.Fatalf("%d presets in JSON: %v", len(rows), err)
	}
	if k := rows[0].Keys[0]; k.Key != "debounce" || k.Value != "0s" || k.From == nil || *k.From != "autoload/llama.vim" || rows[0].ReadOn != "2026-11-30" {
		t.Errorf("the first key is %+v", k)
	}
}

// The lists are whole JSON documents with one object a row.
func TestCatalogDocuments(t *testing.T) {
	for name, want := range map[string]int{"hardware": 87, "models": 61, "engines": 20, "components": 207} {
		var out bytes.Buffer
		p := &program{out: &out, err: &out}
		if code := run([]string{"catalog", name, "--format", "json"}, p); code != exitPassed {
			t.Fatalf("catalog %s: exit code %d: %s", name, code, out.String())
		}
		var rows []map[string]any
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != want {
			t.Errorf("catalog %s has %d rows, want %d", name, len(rows), want)
		}
		for _, row := range rows {
			if row["source"] == "" || row["read_on"] != "2026-11-29" {
				t.Errorf("catalog %s: row without source or date: %v", name, row)
			}
		}
	}
}
