package exchange

import (
	"strings"
	"testing"
)

// FuzzMask checks that a masked text keeps its size and does not hold a secret of eight
// letters or more, however it was written; and that masking it again changes nothing.
func FuzzMask(f *testing.F) {
	f.Add("the key sk-proj-12345678 is wrong", "sk-proj-12345678")
	f.Add("c2stcHJvai0xMjM0NTY3OA==", "sk-proj-12345678")
	f.Add(`sk\/a+b=c\u003c`, "sk/a+b=c<")
	f.Add("aaaaaaaaaaaaaaaaa", "aaaaaaaa")
	f.Add("ÄÖ", "ä")
	f.Fuzz(func(t *testing.T, text, secret string) {
		if strings.Trim(secret, "*") != secret { // which no masking can take out
			return
		}
		got := Mask(text, secret)
		if len(got) != len(text) {
			t.Errorf("Mask(%q, %q) = %q of another size", text, secret, got)
		}
		for _, form := range forms(secret) {
			if len(form) >= leastPart && !strings.Contains(form, "*") && strings.Contains(got, form) {
				t.Errorf("Mask(%q, %q) = %q holds %q", text, secret, got, form)
			}
		}
		if again := Mask(got, secret); !strings.Contains(secret, "*") && again != got {
			t.Errorf("Mask(%q, %q) = %q, again %q", text, secret, got, again)
		}
	})
}
