package ollama

import (
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
)

func TestDrop(t *testing.T) {
	for _, c := range []struct {
		texts   []string
		keep, n int
		want    string
	}{
		{[]string{"a b c d"}, 1, 2, "a d"},
		{[]string{"a b", "c d", "e"}, 1, 3, "ae"},
		{[]string{"a b", "c d"}, 4, 1, "a bc d"},
		{[]string{"a b", "c d"}, 0, 1, " bc d"},
	} {
		texts := drop(c.texts, c.keep, c.n)
		if got := strings.Join(texts, ""); got != c.want || c.keep < 4 && serve.CountAll(texts) != serve.CountAll(c.texts)-c.n {
			t.Errorf("%q without %d tokens after %d is %q of %d tokens, want %q", c.texts, c.n, c.keep, got, serve.CountAll(texts), c.want)
		}
	}
}
