package fault

import (
	_ "embed" // for the file
	"fmt"
	"slices"
	"sync"
)

//go:embed builtin.yaml
var builtinFile []byte

// builtins returns the rules that are built in; each says in About what it is.
var builtins = sync.OnceValue(func() []Rule {
	rules, err := Parse("builtin.yaml", builtinFile)
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err))
	}
	return rules
})

// builtin returns the built-in rule of that name.
func builtin(name string) (Rule, bool) {
	i := slices.IndexFunc(builtins(), func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return builtins()[i], true
}

// builtinNames returns the names of the built-in rules.
func builtinNames() []string {
	all := make([]string, len(builtins()))
	for i, r := range builtins() {
		all[i] = r.Name
	}
	return all
}

// BuiltinFile returns the file of the built-in rules, which is also an example of each
// effect.
func BuiltinFile() []byte { return slices.Clone(builtinFile) }
