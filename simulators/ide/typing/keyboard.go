package typing

import (
	"strings"
	"unicode"

	"halfsecond/pipeline/dist"
)

// rows are the letter and digit keys of a US keyboard. Each row is shifted to
// the right of the one above it by less than a key.
var rows = [...]string{"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"}

// neighbours returns the keys that touch the key of a lower-case letter or a
// digit, in the order of the rows; none for any other character.
func neighbours(key byte) string {
	var near strings.Builder
	for y, row := range rows {
		x := strings.IndexByte(row, key)
		if x < 0 {
			continue
		}
		if y > 0 {
			near.WriteString(cut(rows[y-1], x, x+2))
		}
		near.WriteString(cut(row, x-1, x))
		near.WriteString(cut(row, x+1, x+2))
		if y+1 < len(rows) {
			near.WriteString(cut(rows[y+1], x-1, x+1))
		}
	}
	return near.String()
}

// cut returns row[from:to], as far as there is one.
func cut(row string, from, to int) string {
	from, to = max(0, from), min(len(row), to)
	return row[min(from, to):to]
}

var nearby = func() (near [128]string) {
	for _, row := range rows {
		for i := range len(row) {
			near[row[i]] = neighbours(row[i])
			if upper := unicode.ToUpper(rune(row[i])); upper != rune(row[i]) {
				near[upper] = strings.ToUpper(near[row[i]])
			}
		}
	}
	return near
}()

// slipOf returns what is typed when the finger misses the key by one, or "" when
// that key has no neighbours here.
func slipOf(c rune, r *dist.Rand) string {
	if c >= 128 || nearby[c] == "" {
		return ""
	}
	i := r.IntN(len(nearby[c]))
	return nearby[c][i : i+1]
}
