package fit

import "fmt"

// counted returns a number of things, such as "1 request" and "2 requests".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
