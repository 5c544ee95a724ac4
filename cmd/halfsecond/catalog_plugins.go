package main

import (
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

var pluginList = catalogList[plugin.Preset]{
	name: "plugins", about: "Rules of ghost-text plugins that are in use, as their public code had them", fixed: true,
	all:  func(*catalog.Catalog) []plugin.Preset { return plugin.Presets() },
	find: func(_ *catalog.Catalog, name string) (plugin.Preset, error) { return plugin.FindPreset(name) },
	columns: []column[plugin.Preset]{
		{"name", true, func(p plugin.Preset) string { return p.Name }},
		{"debounce", true, func(p plugin.Preset) string { return p.Rules.Wait.For.String() }},
		{"by", true, func(p plugin.Preset) string { return p.Rules.Wait.Debounce.String() }},
		{"cancel", true, func(p plugin.Preset) string { return p.Rules.Cancel.String() }},
		{"cache", true, func(p plugin.Preset) string { return count(p.Rules.Cache.Capacity) }},
		{"as in", true, func(p plugin.Preset) string { return p.Of }},
		{"source", true, func(p plugin.Preset) string { return p.Source }},
	},
	text:     pluginText,
	document: func(p plugin.Preset) any { return newPluginJSON(p) },
}

// pluginText prints a preset as a part of a scenario.
func pluginText(p plugin.Preset) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: as in %s.\n# Source: %s, read %s.\n", p.Name, p.Of, p.Source, plugin.ReadOn)
	b.WriteString("# Behaviour as it was read in public code, of that version; nothing was run, and nobody who makes the\n" +
		"# plugin has a part in this. A key with nothing behind it: no such rule was found. To change some:\n")
	fmt.Fprintf(&b, "#     plugin: {preset: %s, max_tokens: 32}\n", p.Name)
	b.WriteString(scenario.PresetText(p))
	b.WriteString("# Not so here, or not known:\n")
	for _, o := range p.Open {
		b.WriteString("# - " + o + "\n")
	}
	return b.String()
}

// pluginJSON is a preset as a JSON document.
type pluginJSON struct {
	Name   string          `json:"name"`
	Of     string          `json:"as_in"`
	Source string          `json:"source"`
	ReadOn string          `json:"read_on"`
	Keys   []pluginKeyJSON `json:"keys"`
	Open   []string        `json:"open"` // what has no key here, or was not found
}

// pluginKeyJSON is a key of a preset; null where no such rule was found.
type pluginKeyJSON struct {
	Key   string  `json:"key"`
	Value string  `json:"value"` // as scenario files have it
	Says  *string `json:"says"`
	From  *string `json:"from"`
}

func newPluginJSON(p plugin.Preset) pluginJSON {
	j := pluginJSON{Name: p.Name, Of: p.Of, Source: p.Source, ReadOn: plugin.ReadOn, Open: p.Open}
	for _, k := range scenario.PresetKeys(p) {
		f, _ := p.Fact(k[0])
		j.Keys = append(j.Keys, pluginKeyJSON{k[0], k[1], known(f.Says, ""), known(f.From, "")})
	}
	return j
}
