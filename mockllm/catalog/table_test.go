package catalog

import (
	"strings"
	"testing"
)

func numbers(parse func(*record) int) table[int] {
	return table[int]{"a number", []string{"name", "size", "share"}, parse}
}

func TestReadReportsEverything(t *testing.T) {
	_, err := numbers(func(r *record) int {
		r.required("name")
		r.share("share")
		return r.count("size")
	}).read("t.csv", "name,size,share\n,x,6/5\nb,-1,\n")
	if err == nil {
		t.Fatal("no error")
	}
	want := strings.Join([]string{
		`t.csv:2: name "": must not be empty`,
		`t.csv:2: share "6/5": want a fraction below 1, such as 5/6`,
		`t.csv:2: size "x": want a whole number above 0 and at most 100000000`,
		`t.csv:3: size "-1": want a whole number above 0 and at most 100000000`,
	}, "\n")
	if err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%v", err, want)
	}
}

func TestReadRefusesAnotherHeader(t *testing.T) {
	for _, text := range []string{"", "name,sizes,share\na,1,\n", "name,size\na,1\n"} {
		_, err := numbers(func(*record) int { return 0 }).read("t.csv", text)
		if err == nil || err.Error() != "read t.csv: the header is not name,size,share" {
			t.Errorf("%q: error = %v", text, err)
		}
	}
}

// Every embedded row parses; a malformed one panics here rather than in a
// user's hands.
func TestEmbeddedTablesParse(t *testing.T) {
	for _, table := range []struct {
		name      string
		got, want int
	}{
		{"hardware.csv", len(AllHardware()), 87},
		{"models.csv", len(AllModels()), 61},
		{"engines.csv", len(AllEngines()), 20},
		{"components.csv", len(AllComponents()), 207},
	} {
		if table.got != table.want {
			t.Errorf("%s has %d rows, want %d", table.name, table.got, table.want)
		}
	}
}
