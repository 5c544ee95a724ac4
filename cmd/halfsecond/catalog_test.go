package main

import (
	"bytes"
	"encoding/json"
	"testing"
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
