package fault

import (
	_ "embed" // for the file
	"fmt"
	"slices"
	"sync"
)

//go:embed builtin.yaml
var builtinFile []byte

// builtins returns the rules that are built in.
var builtins = sync.OnceValue(func() []Rule {
	rules, err := Parse("builtin.yaml", builtinFile)
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err))
	}
	return rules
})

// Builtin returns the built-in rule of that name, or an error with the nearest names.
func Builtin(name string) (Rule, error) {
	rule, found := builtin(name)
	if !found {
		return Rule{}, fmt.Errorf("no built-in fault %q; %s", name, suggest(name, BuiltinNames()))
	}
	return rule, nil
}

// builtin returns the built-in rule of that name.
func builtin(name string) (Rule, bool) {
	i := slices.IndexFunc(builtins(), func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return builtins()[i], true
}

// Builtins returns the built-in rules; each says in About what it is.
func Builtins() []Rule { return slices.Clone(builtins()) }

// BuiltinNames returns the names of the built-in rules.
func BuiltinNames() []string {
	all := make([]string, len(builtins()))
	for i, r := range builtins() {
		all[i] = r.Name
	}
	return all
}

// BuiltinFile returns the file of the built-in rules, which is also an example of each
// effect.
func BuiltinFile() []byte { return slices.Clone(builtinFile) }
