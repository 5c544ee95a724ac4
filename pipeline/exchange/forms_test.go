package exchange

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// However a server writes a key, it is hidden, and the text keeps its size.
func TestMaskKnowsOtherForms(t *testing.T) {
	const key = `sk-Ab/cd+ef=gh<ij>&"kl'4711zz`
	marshalled, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{
		"as it is": key, "in a query": url.QueryEscape(key), "in a path": url.PathEscape(key), "in JSON": string(marshalled[1 : len(marshalled)-1]),
		"in JSON of others": strings.NewReplacer(`"`, `\"`, "/", `\/`).Replace(key),
	}
	for _, before := range []string{"", "Bearer ", "user:", "api:k:"} {
		written["base64 after "+before] = base64.StdEncoding.EncodeToString([]byte(before + key + " "))
		written["base64 for URLs after "+before] = base64.URLEncoding.EncodeToString([]byte(before + key))
	}
	for name, form := range written {
		text := "the key (" + form + ") is wrong"
		got := Mask(text, key)
		if len(got) != len(text) || !strings.HasPrefix(got, "the key (") || !strings.HasSuffix(got, ") is wrong") {
			t.Errorf("%s: %q", name, got)
		}
		// Of base64 up to two letters on either side are of other bytes as well.
		if least := min(len(form), len(key)*8/6-2); strings.Count(got, "*") < least {
			t.Errorf("%s: %q hides less than %d letters", name, got, least)
		}
	}
	if text := "Abcdefg c2stQQ=="; Mask(text, "sk-A") != text {
		t.Errorf("%q: the base64 of a short key may be anybody's word", Mask(text, "sk-A"))
	}
}
