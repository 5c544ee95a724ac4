package fim

import (
	"testing"

	"halfsecond/mockllm/token"
)

func TestFindHole(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		want         Hole
	}{
		{"Qwen", "<|fim_prefix|>def f(<|fim_suffix|>):\n  pass<|fim_middle|>", Hole{Before: "def f(", After: "):\n  pass"}},
		{"Qwen, no suffix", "<|fim_prefix|>a<|fim_suffix|><|fim_middle|>", Hole{Before: "a"}},
		{"Qwen, suffix first", "<|fim_suffix|> )<|fim_prefix|>f( <|fim_middle|>", Hole{Before: "f( ", After: " )"}},
		{"Qwen, typed after the middle", "<|fim_prefix|>a\n<|fim_suffix|>\nc<|fim_middle|>  b", Hole{Before: "a\n  b", After: "\nc"}},
		{
			"Qwen, repository", "<|repo_name|>r\n<|file_sep|>x.py\nimport y\n<|file_sep|>a/b.py\n<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>",
			Hole{Before: "p", After: "s", path: "a/b.py"},
		},
		{"Qwen, a name without an end", "<|file_sep|>x<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>", Hole{Before: "p", After: "s"}},
		{"StarCoder", "<fim_prefix> a <fim_suffix> b <fim_middle>", Hole{Before: " a ", After: " b "}},
		{"StarCoder2, several files", "<file_sep>x<file_sep>y<fim_prefix>a<fim_suffix>b<fim_middle>", Hole{Before: "a", After: "b"}},
		{"CodeLlama", "<PRE> def f( <SUF>):\n <MID>", Hole{Before: "def f(", After: "):\n"}},
		{"CodeLlama, spaces of the texts stay", "<PRE>   a  <SUF> b  <MID>", Hole{Before: "  a ", After: " b "}},
		{"CodeLlama, empty texts", "<PRE>  <SUF> <MID>", Hole{}},
		{"CodeLlama, suffix first", "<PRE> <SUF>b <MID> a", Hole{Before: "a", After: "b"}},
		{"DeepSeek", "<｜fim▁begin｜>a<｜fim▁hole｜>b<｜fim▁end｜>", Hole{Before: "a", After: "b"}},
		{"Codestral", "[SUFFIX]\n  b[PREFIX]a\n  ", Hole{Before: "a\n  ", After: "\n  b"}},
		{"Codestral, files", "[SUFFIX]b[PREFIX]+++++ x.go\nx\n+++++ y.go\na\n+ c", Hole{Before: "a\n+ c", After: "b", path: "y.go"}},
		{"Codestral, prefix first", "[PREFIX]a[SUFFIX]b", Hole{Before: "a", After: "b"}},
		{"Seed-Coder", "<[fim-prefix]>a<[fim-suffix]>b<[fim-middle]>", Hole{Before: "a", After: "b"}},
		{"GLM-4", "<|code_prefix|>a<|code_suffix|>b<|code_middle|>", Hole{Before: "a", After: "b"}},
		{"a token of the same name in the text", "<|fim_prefix|>a = '<|fim_middle|>'<|fim_suffix|>b<|fim_middle|>", Hole{Before: "a = '<|fim_middle|>'", After: "b"}},
	} {
		if got, ok := Find(c.prompt); !ok || got != c.want {
			t.Errorf("%s: %q gives %+v, %v; want %+v", c.name, c.prompt, got, ok, c.want)
		}
	}
	for _, prompt := range []string{"", "def f(", "<|fim_prefix|>a", "<|fim_prefix|>a<|fim_suffix|>b", "<|fim_middle|><|fim_prefix|>a<|fim_suffix|>b", "<PRE> a <SUF>b", "[PREFIX]a"} {
		if got, ok := Find(prompt); ok {
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
			got := Mark(name)
			if token.Count(got) != 1 || seen[got] != "" {
				t.Errorf("%q is replaced by %q, %d tokens, as is %q", name, got, token.Count(got), seen[got])
			}
			seen[got] = name
		}
	}
	if got, want := token.Count(Mark("<|fim_prefix|>def f(<|fim_suffix|>):<|fim_middle|>")), 3+3+2; got != want {
		t.Errorf("a prompt of 3 special tokens has %d tokens, want %d", got, want)
	}
}

func FuzzFindHole(f *testing.F) {
	for _, s := range []string{"<PRE> <SUF> <MID>", "[SUFFIX][PREFIX]+++++ ", "<|file_sep|>\n<|fim_suffix|><|fim_prefix|><|fim_middle|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		if h, ok := Find(prompt); ok && len(h.Before)+len(h.After) > len(prompt) {
			t.Errorf("%q gives more than it holds: %+v", prompt, h)
		}
	})
}

func TestTemplateNamed(t *testing.T) {
	for _, want := range Templates() {
		if got, err := TemplateNamed(want.Name); err != nil || got != want || got.Models == "" {
			t.Errorf("%q gives %+v, %v; want %+v", want.Name, got, err, want)
		}
	}
	want := `no family of models is called "gpt"; there are ["qwen" "starcoder" "codellama" "deepseek" "codestral" "seed" "glm"]`
	if _, err := TemplateNamed("gpt"); err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}
