package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Keys returns all keys of a scenario file, in the order of the reference.
func Keys() []Key { return slices.Clone(schema.keys) }

// Reference returns all keys as tables in Markdown. Those of a language model, and of
// the engine of one, stand in several places and are listed once.
func Reference() string {
	var b strings.Builder
	fmt.Fprintf(&b, "DURATION is %s.\nTOKENS is %s.\nOne with a p50 alone is a constant whose spread nobody knows.\n\n", durations, counts)
	writeKeys(&b, slices.DeleteFunc(slices.Clone(schema.keys), ofModel))
	b.WriteString("\n## A language model\n\nThe keys below `voice.llm`, `ide.llm` and `bench.llm`. Those of an engine, from `hardware` on, stand in `grid` as well.\n\n")
	writeKeys(&b, llm.keys)
	writeTransports(&b)
	return b.String()
}

// ofModel reports whether a key is one of a language model, or of the engine that a
// grid has.
func ofModel(k Key) bool {
	if _, below, found := strings.Cut(k.Path, ".llm."); found {
		return !strings.HasPrefix(k.Path, "endpoints.") && below != ""
	}
	name, found := strings.CutPrefix(k.Path, "grid.")
	name, _, _ = strings.Cut(name, ".")
	return found && slices.ContainsFunc(deployed, func(f field[Engine]) bool { return f.Path == name })
}

func writeKeys(b *strings.Builder, keys []Key) {
	b.WriteString("| key | value | default | goes with | meaning |\n| --- | --- | --- | --- | --- |\n")
	short := strings.NewReplacer(durations, "DURATION", counts, "TOKENS", "|", `\|`)
	for _, k := range keys {
		fallback := k.Default
		if k.Required {
			fallback = "required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", k.Path, short.Replace(k.Want), fallback, k.When, k.Doc)
	}
}
