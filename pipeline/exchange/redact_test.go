package exchange

import "testing"

func TestMask(t *testing.T) {
	const key = "sk-proj-Abcdefgh12345678"
	for _, c := range []struct{ name, text, secret, want string }{
		{"no secret", "text", "", "text"},
		{"a short text", "sk", key, "sk"},
		{"nothing of it", "Incorrect API key provided.", key, "Incorrect API key provided."},
		{"whole", "bad " + key + "!", key, "bad ************************!"},
		{"in small letters", "bad sk-proj-abcdefgh12345678", key, "bad ************************"},
		{"twice, without a gap", key + key, key, "************************************************"},
		{"a short one", "bad s3cret, s3cre", "s3cret", "bad ******, s3cre"},
		{"a short one in a word", `{"completion_tokens":1,"token":"TOKEN-token2"}`, "token", `{"completion_tokens":1,"*****":"*****-token2"}`},
		{"a short one after a letter of another alphabet", "äEMPTY", "EMPTY", "ä*****"},
		{"two letters", "bad ab, abc", "ab", "bad **, abc"},
		{"digits alone", "HTTP 401: bad 401", "401", "HTTP 401: bad 401"},
		{"eight digits", "bad 12345678", "12345678", "bad ********"},
		{"a word of JSON", `{"error":null}`, "null", `{"error":null}`},
		{"eight at the beginning", "sk-proj-...", key, "********..."},
		{"seven at the beginning", "sk-proj...", key, "sk-proj..."},
		{"more at the beginning", "sk-proj-Abcdx", key, "************x"},
		{"eight at the end", "...12345678.", key, "...********."},
		{"seven at the end", "...2345678.", key, "...2345678."},
		{"the vendors' four", "sk-...5678", key, "sk-...5678"},
		{"ten at the end", "*****gh12345678", key, "***************"},
		{"both ends", "sk-proj-****12345678", key, "********************"},
		{"at the very beginning of the text", "12345678", key, "********"},
		{"other letters stay", "ä sk-proj-Abcdefgh12345678 Ä", key, "ä ************************ Ä"},
	} {
		if got := Mask(c.text, c.secret); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMaskText: in a text where nobody expects a secret a short one is hidden where it is letters
// and digits.
func TestMaskText(t *testing.T) {
	for _, c := range []struct{ text, secret, want string }{
		{"it is EMPTY", "EMPTY", "it is EMPTY"}, {"stop", "stop", "stop"}, {"1 or 12345", "12345", "1 or 12345"}, {"it is a1", "a1", "it is a1"},
		{"it is hunter2", "hunter2", "it is *******"}, {"it is hunter22", "hunter22", "it is ********"},
	} {
		if got := MaskText(c.text, c.secret); got != c.want {
			t.Errorf("%s: %q, want %q", c.secret, got, c.want)
		}
	}
}
