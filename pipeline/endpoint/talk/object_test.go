package talk

import "testing"

// TestObject: a message that does not fit is told in its own words, or by what does not fit.
func TestObject(t *testing.T) {
	for data, want := range map[string]string{
		`{"audio":"AA==","error":null}`:                          "",
		`{"message":"no","error":{"message":"model not found"}}`: "the server reports an error: model not found",
		`{"error":{"message":"no such model","code":"c"}}`:       "the server reports error c: no such model",
		`{"error":"no"}`:    "",
		`{"isFinal":"yes"}`: `a message that cannot be read: its member "isFinal" is of kind string`,
		`[1]`:               "a message that cannot be read: it is of kind array, and no object of JSON",
		`}{`:                "a message that cannot be read: invalid character '}' looking for beginning of value",
	} {
		var into struct {
			Audio   []byte `json:"audio"`
			IsFinal bool   `json:"isFinal"`
			Error   string `json:"error"`
		}
		got := ""
		if f := Object([]byte(data), &into); f != nil {
			got = f.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
