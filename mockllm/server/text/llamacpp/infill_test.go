package llamacpp

import (
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire/llamacpp"
)

func TestInfill(t *testing.T) {
	m := &serve.Model{Context: 4096}
	text := func(s string) *string { return &s }
	words := func(n int) string { return strings.Repeat(" a", n) }
	for _, c := range []struct {
		name string
		q    llamacpp.InfillRequest
		want string
		last bool // the suffix comes first
	}{
		{
			"no extra", llamacpp.InfillRequest{Prefix: text("p"), Suffix: text("s"), Prompt: "t"},
			"<|repo_name|>myproject\n<|file_sep|>filename\n<|fim_prefix|>pt<|fim_suffix|>s<|fim_middle|>", false,
		},
		{
			"suffix first", llamacpp.InfillRequest{Prefix: text("p"), Suffix: text("s"), Prompt: "t"},
			"<|repo_name|>myproject\n<|file_sep|>filename\n<|fim_suffix|>s<|fim_prefix|>pt<|fim_middle|>", true,
		},
		{
			"extra", llamacpp.InfillRequest{Prefix: text("p"), Suffix: text("s"), Extra: []llamacpp.Extra{{Filename: "a.go", Text: text("x")}, {Text: text("y")}}},
			"<|repo_name|>myproject\n<|file_sep|>a.go\nx<|file_sep|>tmp\ny<|file_sep|>filename\n<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>", false,
		},
		{
			"long texts", llamacpp.InfillRequest{Prefix: text("z" + words(1536)), Suffix: text(words(600)), Prompt: " t t"},
			"<|repo_name|>myproject\n<|file_sep|>filename\n<|fim_prefix|>" + words(1536) + " t t<|fim_suffix|>" + words(512-2-2) + "<|fim_middle|>", false,
		},
		{
			"long extra", llamacpp.InfillRequest{Prefix: text("p"), Suffix: text("s"), Extra: []llamacpp.Extra{{Filename: "a", Text: text(words(3000))}}},
			words(4096-2048+2-4) + "<|file_sep|>filename\n<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>", false,
		},
	} {
		m.SuffixFirst = c.last
		if got := infillPrompt(m, &c.q); got.shown != c.want {
			t.Errorf("%s\n got %.200q\nwant %.200q", c.name, got.shown, c.want)
		}
	}
	m.Context = 100
	p := infillPrompt(m, &llamacpp.InfillRequest{Prefix: text("def f("), Suffix: text("):"), Prompt: "a"})
	if want := "<|fim_prefix|>def f(a<|fim_suffix|>):<|fim_middle|>"; p.shown != want || serve.CountAll(p.texts) != 3+3+1+2 {
		t.Errorf("in a small context the prompt is %q of %d tokens, want %q of 9", p.shown, serve.CountAll(p.texts), want)
	}
}
