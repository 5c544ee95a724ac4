package dialect

import "testing"

func TestMeant(t *testing.T) {
	here, there := Place{"http://h/v1beta", Gemini}, Place{"http://h/v1", OpenAIChat}
	for _, c := range []struct {
		places []Place
		want   string
	}{
		{nil, ""},
		{[]Place{here}, "did you mean http://h/v1beta?"},
		{[]Place{here, there}, "did you mean http://h/v1beta, or http://h/v1 with the protocol openai-chat?"},
	} {
		if got := Meant(c.places, Gemini); got != c.want {
			t.Errorf("Meant(%v) = %q, want %q", c.places, got, c.want)
		}
	}
}
