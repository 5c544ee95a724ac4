package catalog

import (
	"strings"
	"testing"
)

func TestReadTableReportsEverything(t *testing.T) {
	text := "name,size,share\n,x,6/5\nb,-1,\n"
	_, err := readTable("t.csv", text, []string{"name", "size", "share"}, func(r *record) int {
		r.required("name")
		r.share("share")
		return r.count("size")
	})
	if err == nil {
		t.Fatal("no error")
	}
	want := strings.Join([]string{
		`read t.csv: row 1: name "": must not be empty`,
		`read t.csv: row 1: share "6/5": want a fraction such as 5/6`,
		`read t.csv: row 1: size "x": want a whole number above 0`,
		`read t.csv: row 2: size "-1": want a whole number above 0`,
	}, "\n")
	if err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%v", err, want)
	}
}

func TestReadTableRefusesAnotherHeader(t *testing.T) {
	_, err := readTable("t.csv", "name,sizes\na,1\n", []string{"name", "size"}, func(*record) int { return 0 })
	if err == nil || err.Error() != "read t.csv: the header is not name,size" {
		t.Errorf("error = %v", err)
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
		{"components.csv", len(AllComponents()), 207},
	} {
		if table.got != table.want {
			t.Errorf("%s has %d rows, want %d", table.name, table.got, table.want)
		}
	}
}
