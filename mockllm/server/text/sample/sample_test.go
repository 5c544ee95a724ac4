package sample

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
)

// TestSample: what is written fits the schema.
func TestSample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{ // want is a regular expression
		{`{"type":"object"}`, `\{\}`},
		{`true`, `"[^"]+"`},
		{`{"const":{"a": 1}}`, `\{"a": 1\}`},
		{`{"enum":["a",2,null]}`, `"a"|2|null`},
		{`{"type":"boolean"}`, `true|false`},
		{`{"type":"null"}`, `null`},
		{`{"type":["string","null"]}`, `"[^"]+"|null`},
		{`{"type":"integer"}`, `\d\d?|100`},
		{`{"type":"integer","minimum":3,"maximum":5}`, `[345]`},
		{`{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":5}`, `4`},
		{`{"type":"integer","maximum":-1000,"multipleOf":50}`, `-1[01][05]0`},
		{`{"type":"number","minimum":0.1,"maximum":0.3,"multipleOf":0.1}`, `0\.[123]`},
		{`{"type":"number","minimum":0,"maximum":1}`, `0|1|0\.\d\d?`},
		{`{"minimum":0.5,"maximum":0.5}`, `0\.5`},
		{`{"type":"string","minLength":40}`, `"[^"]{40,}"`},
		{`{"type":"string","maxLength":3}`, `"[^"]{1,3}"`},
		{`{"type":"string","maxLength":0}`, `""`},
		{`{"type":"string","format":"date"}`, `"2026-11-29"`},
		{`{"type":"string","pattern":"^[A-F0-9]{4}-(ab|cd)+x?$"}`, `"[A-F0-9]{4}-(ab|cd)+x?"`},
		{`{"type":"string","pattern":"^(?=x)"}`, `"[^"]+"`},
		{`{"type":"array","items":{"const":1}}`, `\[1(,1)?\]`},
		{`{"type":"array","items":{"const":1},"minItems":4}`, `\[1,1,1,1\]`},
		{`{"type":"array","items":{"const":1},"maxItems":0}`, `\[\]`},
		{`{"prefixItems":[{"const":1},{"const":2}]}`, `\[1,2\]`},
		{`{"type":"array"}`, `\[\]`},
		{`{"type":"array","minItems":1}`, `\["[^"]+"\]`},
		{`{"properties":{"b":{"const":1},"a":{"const":2}},"required":["a","b"]}`, `\{"b":1,"a":2\}`},
		{`{"properties":{"a":{"const":2}}}`, `\{("a":2)?\}`},
		{`{"type":"object","required":["a"]}`, `\{"a":"[^"]+"\}`},
		{`{"anyOf":[{"const":1},{"const":2}]}`, `1|2`},
		{`{"type":"object","properties":{"a":{"const":1}},"oneOf":[{"required":["a"]},{"required":["a"]}]}`, `\{"a":1\}`},
		{`{"allOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"const":2}},"required":["b"]}]}`, `\{"a":1,"b":2\}`},
		{`{"$ref":"#/$defs/A~1B","$defs":{"A/B":{"const":"x"}}}`, `"x"`},
		{`{"properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["next"]}`, `(\{"next":)+null\}+`},
		{`{"properties":{"sub":{"type":"array","items":{"$ref":"#"}}},"required":["sub"]}`, `[\{\}\[\]":sub,]+`},
		{`{"type":5,"minimum":"x","properties":[],"required":"a","items":null}`, `\{"a":"[^"]+"\}`},
	} {
		want := regexp.MustCompile(`^(?:` + c.want + `)$`)
		for i := range 50 {
			got, err := Value(json.RawMessage(c.schema), dist.Stream(1, "test", i))
			if err != nil || !want.MatchString(got) || !json.Valid([]byte(got)) {
				t.Errorf("sample of %s = %s, error %v; want %s", c.schema, got, err, c.want)
				break
			}
			again, err := Value(json.RawMessage(c.schema), dist.Stream(1, "test", i))
			if err != nil || again != got {
				t.Errorf("sample of %s = %s and then %s (%v)", c.schema, got, again, err)
			}
		}
	}
}

func TestSampleArguments(t *testing.T) {
	for schema, want := range map[string]string{
		``: `{}`, `null`: `{}`, `true`: `{}`, `{}`: `{}`, `{"type":"object"}`: `{}`, `{"type":["object","null"]}`: `{}`,
		`{"properties":{"a":{"const":1}},"required":["a"]}`:                                                        `{"a":1}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","required":["x"],"properties":{"x":{"type":"null"}}}}}`: `{"x":null}`,
	} {
		if got, err := Arguments(json.RawMessage(schema), dist.Stream(1, "test")); err != nil || got != want {
			t.Errorf("arguments of %s = %s, error %v; want %s", schema, got, err, want)
		}
	}
	for schema, want := range map[string]string{
		`{"type":"string"}`: `type is "string", where arguments need "object"`,
		`5`:                 `5 is no schema that a value fits`,
		`{"required":["a"],"properties":{"a":false}}`: `a: false is no schema that a value fits`,
	} {
		if got, err := Arguments(json.RawMessage(schema), dist.Stream(1, "test")); err == nil || err.Error() != want {
			t.Errorf("arguments of %s = %s, error %v; want %s", schema, got, err, want)
		}
	}
}

func TestSampleVaries(t *testing.T) {
	seen := map[string]bool{}
	for i := range 200 {
		got, err := Value(json.RawMessage(`{"properties":{"a":{"enum":[1,2,3]},"b":{"type":"boolean"}},"required":["a"]}`), dist.Stream(1, "test", i))
		if err != nil {
			t.Fatal(err)
		}
		seen[got] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d different values, want all of 3 times absent, false and true: %v", len(seen), seen)
	}
}

func TestSampleRefuses(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"thing"}`:         `type "thing" is not one of object, array, string, integer, number, boolean, null`,
		`false`:                    `false is no schema that a value fits`,
		`"string"`:                 `"string" is no schema that a value fits`,
		`{"$ref":"http://x/y"}`:    `reference "http://x/y" leads out of the schema`,
		`{"$ref":"#/nowhere"}`:     `reference "#/nowhere" leads nowhere`,
		`{"$ref":"#"}`:             `a value that fits it is nested deeper than 32 levels or made of more than 10000 parts`,
		`{"allOf":[{"$ref":"#"}]}`: `a value that fits it is nested deeper than 32 levels or made of more than 10000 parts`,
		`{"properties":{"a":{"$ref":"#"}},"required":["a"]}`:               `a value that fits it is nested deeper than 32 levels`,
		`{"type":"array","items":{"const":"0123456789"},"minItems":99999}`: `a value that fits it is larger than 65536 bytes`,
		`{"minLength":99999999}`:                                           `a value that fits it is larger than 65536 bytes`,
		`{"type":"integer","minimum":3.2,"maximum":3.8}`:                   `no number from 3.2 to 3.8 fits it`,
	} {
		if got, err := Value(json.RawMessage(schema), dist.Stream(1, "test")); err == nil || !strings.HasSuffix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("sample of %s = %.80s, error %v; want %s", schema, got, err, want)
		}
	}
}

// TestWideSchema: a schema that doubles at each of its levels comes to an end.
func TestWideSchema(t *testing.T) {
	defs := `"A30":{"const":1}`
	for i := range 30 {
		defs += fmt.Sprintf(`,"A%d":{"allOf":[{"$ref":"#/$defs/A%d"},{"$ref":"#/$defs/A%d"}]}`, i, i+1, i+1)
	}
	if got, err := Value(json.RawMessage(`{"$ref":"#/$defs/A16","$defs":{`+defs+`}}`), dist.Stream(1, "test")); err == nil {
		t.Errorf("2^14 parts give %s, want an error", got)
	}
}

func TestMatching(t *testing.T) {
	for _, pattern := range []string{
		`^\d{3}-\d{4}$`, `^[a-z]+@[a-z]+\.(com|org)$`, `a.c*`, `^\s*$`, `[^a]`, `^(?i)ab$`, `^$`, `x{2,9}y?`, `\bword\b`, `[é-ü]`,
	} {
		for i := range 20 {
			dice := dist.Stream(1, "test", i)
			if got, ok := matching(pattern, &dice); !ok || !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: %q (%v) does not match", pattern, got, ok)
				break
			}
		}
	}
	dice := dist.Stream(1, "test")
	if got, ok := matching(`(?<!a)b`, &dice); ok {
		t.Errorf("a pattern that looks behind gives %q", got)
	}
}

// FuzzSample: no schema brings the sampler down, and what it writes is JSON.
func FuzzSample(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string","pattern":"[a-z]{3}"}},"required":["a"]}`,
		`{"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"type":["integer","null"],"minimum":1e300}}}`,
		`{"AllOf":[{"$ref":"#$defs/x"}],"$defs":{"x":{"minimum":1e307}}}`, `{"minimum":-1e307,"multipleOf":1e-300}`,
		`{"enum":[]}`, `[]`, `{"items":{},"minItems":-1,"maxItems":-1}`, `{"multipleOf":-1,"type":"integer"}`, `{"multipleOf":1e-300,"type":"number"}`,
		`{"required":["a","a"],"properties":{"a":1}}`, `{"anyOf":[null]}`, `{"pattern":"(((x*)*)*)*"}`, `{"maxLength":-5}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) || strings.TrimSpace(schema) != schema {
			return // a decoder hands on neither
		}
		if got, err := Value(json.RawMessage(schema), dist.Stream(1, "test")); err == nil && !json.Valid([]byte(got)) {
			t.Errorf("sample of %s = %s, which is no JSON", schema, got)
		}
	})
}
