package text

import (
	"testing"

	"halfsecond/mockllm/token"
)

func TestFindHole(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		want         hole
	}{
		{"Qwen", "<|fim_prefix|>def f(<|fim_suffix|>):\n  pass<|fim_middle|>", hole{before: "def f(", after: "):\n  pass"}},
		{"Qwen, no suffix", "<|fim_prefix|>a<|fim_suffix|><|fim_middle|>", hole{before: "a"}},
		{"Qwen, suffix first", "<|fim_suffix|> )<|fim_prefix|>f( <|fim_middle|>", hole{before: "f( ", after: " )"}},
		{"Qwen, typed after the middle", "<|fim_prefix|>a\n<|fim_suffix|>\nc<|fim_middle|>  b", hole{before: "a\n  b", after: "\nc"}},
		{
			"Qwen, repository", "<|repo_name|>r\n<|file_sep|>x.py\nimport y\n<|file_sep|>a/b.py\n<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>",
			hole{before: "p", after: "s", path: "a/b.py"},
		},
		{"Qwen, a name without an end", "<|file_sep|>x<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>", hole{before: "p", after: "s"}},
		{"StarCoder", "<fim_prefix> a <fim_suffix> b <fim_middle>", hole{before: " a ", after: " b "}},
		{"StarCoder2, several files", "<file_sep>x<file_sep>y<fim_prefix>a<fim_suffix>b<fim_middle>", hole{before: "a", after: "b"}},
		{"CodeLlama", "<PRE> def f( <SUF>):\n <MID>", hole{before: "def f(", after: "):\n"}},
		{"CodeLlama, spaces of the texts stay", "<PRE>   a  <SUF> b  <MID>", hole{before: "  a ", after: " b "}},
		{"CodeLlama, empty texts", "<PRE>  <SUF> <MID>", hole{}},
		{"CodeLlama, suffix first", "<PRE> <SUF>b <MID> a", hole{before: "a", after: "b"}},
		{"DeepSeek", "<｜fim▁begin｜>a<｜fim▁hole｜>b<｜fim▁end｜>", hole{before: "a", after: "b"}},
		{"Codestral", "[SUFFIX]\n  b[PREFIX]a\n  ", hole{before: "a\n  ", after: "\n  b"}},
		{"Codestral, files", "[SUFFIX]b[PREFIX]+++++ x.go\nx\n+++++ y.go\na\n+ c", hole{before: "a\n+ c", after: "b", path: "y.go"}},
		{"Codestral, prefix first", "[PREFIX]a[SUFFIX]b", hole{before: "a", after: "b"}},
		{"Seed-Coder", "<[fim-prefix]>a<[fim-suffix]>b<[fim-middle]>", hole{before: "a", after: "b"}},
		{"GLM-4", "<|code_prefix|>a<|code_suffix|>b<|code_middle|>", hole{before: "a", after: "b"}},
		{"a token of the same name in the text", "<|fim_prefix|>a = '<|fim_middle|>'<|fim_suffix|>b<|fim_middle|>", hole{before: "a = '<|fim_middle|>'", after: "b"}},
	} {
		if got, ok := findHole(c.prompt); !ok || got != c.want {
			t.Errorf("%s: %q gives %+v, %v; want %+v", c.name, c.prompt, got, ok, c.want)
		}
	}
	for _, prompt := range []string{"", "def f(", "<|fim_prefix|>a", "<|fim_prefix|>a<|fim_suffix|>b", "<|fim_middle|><|fim_prefix|>a<|fim_suffix|>b", "<PRE> a <SUF>b", "[PREFIX]a"} {
		if got, ok := findHole(prompt); ok {
			t.Errorf("%q gives %+v, want no hole", prompt, got)
		}
	}
}

// TestSpecialsAreTokens: a special token is one token, and no two are the same.
func TestSpecialsAreTokens(t *testing.T) {
	seen := map[string]string{}
	for _, f := range families {
		for _, name := range append([]string{f.prefix, f.suffix, f.middle, f.token()}, f.others...) {
			if name == "" {
				continue
			}
			got := specials.Replace(name)
			if token.Count(got) != 1 || seen[got] != "" {
				t.Errorf("%q is replaced by %q, %d tokens, as is %q", name, got, token.Count(got), seen[got])
			}
			seen[got] = name
		}
	}
	if got, want := token.Count(specials.Replace("<|fim_prefix|>def f(<|fim_suffix|>):<|fim_middle|>")), 3+3+2; got != want {
		t.Errorf("a prompt of 3 special tokens has %d tokens, want %d", got, want)
	}
}

func FuzzFindHole(f *testing.F) {
	for _, s := range []string{"<PRE> <SUF> <MID>", "[SUFFIX][PREFIX]+++++ ", "<|file_sep|>\n<|fim_suffix|><|fim_prefix|><|fim_middle|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		if h, ok := findHole(prompt); ok && len(h.before)+len(h.after) > len(prompt) {
			t.Errorf("%q gives more than it holds: %+v", prompt, h)
		}
	})
}
