package scenario

import (
	"fmt"
	"strings"
)

// Keys returns every key of a scenario file, in the order in which canonical texts
// have them.
func Keys() []Key { return schema.keys }

// Reference returns all keys as a table in Markdown.
func Reference() string {
	var b strings.Builder
	fmt.Fprintf(&b, "DURATION is %s.\nTOKENS is %s.\nOne with a p50 alone is a constant whose spread nobody knows.\n\n", durations, counts)
	b.WriteString("| key | value | default | goes with | meaning |\n| --- | --- | --- | --- | --- |\n")
	short := strings.NewReplacer(durations, "DURATION", counts, "TOKENS", "|", `\|`)
	for _, k := range Keys() {
		fallback := k.Default
		if k.Required {
			fallback = "required"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Path, short.Replace(k.Want), fallback, k.When, k.Doc)
	}
	return b.String()
}
