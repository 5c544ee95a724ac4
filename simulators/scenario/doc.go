// Package scenario reads scenario files: experiments that say who asks what of
// which system, and what is good enough.
//
// Read scenario.go first: Parse returns a Scenario with every default filled in,
// or every Problem of the file at once. schema.go holds the tables of all keys;
// they are made of the forms of form.go (mappings and choices), values.go (single
// values) and delay.go (distributions), and they read a file, write the canonical
// text and list the keys for docs/scenario.md. schema_plugin.go holds those of a ghost-text
// plugin, in the parts of part.go; plugin_effect.go refuses what has no effect there, and preset.go reads and writes presets. grid.go holds those of a comparison of
// models, arrivals.go and requests.go those of the load;
// catalog.go, profile.go, cassette.go, text.go and session.go read the files that a
// scenario names.
// replica.go makes an engine of what a file says of one, service.go puts its API server, its
// replicas and their router around it. document.go is what is asked of a file before
// that, reader.go how problems are noted. builtin.go has the scenarios that come with
// the program.
//
// Strict means: an unknown key, a key given twice, a value of the wrong kind or
// beyond its bounds and a missing key are errors with line and column. Nothing
// outside the file, neither environment nor flag, changes the experiment.
package scenario
