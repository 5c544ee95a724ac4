package tokenid

import (
	"testing"

	"halfsecond/mockllm/token"
)

func TestNumerals(t *testing.T) {
	seen := map[string]int{}
	for _, n := range []int{0, 1, 63, 64, 4095, 4096, 151643, 1 << 20, 1<<31 - 1} {
		text, ok := Text(n)
		if old, twice := seen[text]; !ok || twice || token.Count(text) != 1 {
			t.Errorf("%d is %q, %d tokens, as is %d", n, text, token.Count(text), old)
		}
		seen[text] = n
	}
	if text, ok := Texts([]int{1, 2, 3}); !ok || token.Count(text) != 3 {
		t.Errorf("three numbers are %q, %d tokens", text, token.Count(text))
	}
	for _, n := range []int{-1, 1 << 31} {
		if text, ok := Texts([]int{n}); ok {
			t.Errorf("%d is %q, want none", n, text)
		}
	}
}

// TestNumber pins the numbers of tokens, which clients may keep.
func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"": 0x011c9dc5, "a": 0x640c292c, " two": 1495918727} { // FNV-1a of "" is 811c9dc5, of "a" e40c292c
		if got := Of(text); got != want {
			t.Errorf("number(%q) = %d, want %d", text, got, want)
		}
	}
}
