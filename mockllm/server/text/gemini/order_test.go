package gemini

import "testing"

func TestSmallTypes(t *testing.T) {
	in := `{"type":"OBJECT","properties":{"type":{"type":"STRING","enum":["TYPE"]},"n":{"type":"ARRAY","items":{"type":"INTEGER","maximum":12345678901234567890}}}}`
	want := `{"properties":{"n":{"items":{"maximum":12345678901234567890,"type":"integer"},"type":"array"},"type":{"enum":["TYPE"],"type":"string"}},"type":"object"}`
	if got := string(smallTypes([]byte(in))); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	for _, in := range []string{"", "{", "5"} {
		if got := string(smallTypes([]byte(in))); got != in {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
