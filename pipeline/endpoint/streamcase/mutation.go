package streamcase

import (
	"fmt"
	"strings"
)

// Mutations changes every value that a case expects, one at a time, calls check with where
// it is, and changes it back: a comparison that does not object then is worth nothing.
func Mutations(expect map[string]any, check func(path string)) { mutate(expect, "", check) }

func mutate(v any, path string, check func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			if k == "at_ms_min" {
				continue // it widens what is right
			}
			v[k] = wrong(path+"."+k, old)
			check(path + "." + k)
			v[k] = old
			mutate(old, path+"."+k, check)
		}
	case []any:
		for i, old := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			v[i] = wrong(at, old)
			check(at)
			v[i] = old
			mutate(old, at, check)
		}
	}
}

// wrong returns a value of the same kind that is not v.
func wrong(path string, v any) any {
	switch v := v.(type) {
	case float64:
		if strings.Contains(path, "tpot") {
			return v + 0.0011
		}
		return v + 0.001
	case string:
		return v + "x"
	case []any:
		return append(append([]any{}, v...), "x")
	case nil:
		return 1.0
	}
	return "x"
}
