package pipeline

import "testing"

func TestPrintable(t *testing.T) {
	for words, want := range map[string]string{
		"": "", "größer 模型 \\ \"m\"": "größer 模型 \\ \"m\"",
		"evil\x1b[31mRED\x1b]0;t\a": `evil\x1b[31mRED\x1b]0;t\a`, "a\r\nPASS\tb": `a\r\nPASS\tb`,
		"\u202eabc\u200b": `\u202eabc\u200b`, "\xff\u009b": `\xff\u009b`,
	} {
		if got := Printable(words); got != want {
			t.Errorf("Printable(%q) = %s, want %s", words, got, want)
		}
	}
}
