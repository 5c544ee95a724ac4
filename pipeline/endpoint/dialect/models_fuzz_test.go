package dialect

import "testing"

// FuzzModelNames checks that no list of models breaks a protocol: it has names, or an error.
func FuzzModelNames(f *testing.F) {
	for _, list := range []string{
		`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`, `{"models":[{"name":"a:latest"}]}`, `{"models":[{"name":"models/gemini"}]}`,
		`{"data":null}`, `[{"id":"a"}]`, `{"data":[null,{}]}`, `{"model":{"chat":"a"}}`, "[", "",
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		for _, d := range all {
			names, err := d.ModelNames(list)
			if err != nil && len(names) > 0 {
				t.Errorf("%s: names %q and error %v", d.Protocol, names, err)
			}
		}
	})
}
