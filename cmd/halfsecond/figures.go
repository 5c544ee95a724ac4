package main

import (
	"fmt"
	"strings"
)

// counted returns a number of things, such as "1 request" and "2 requests".
func counted(n int, thing string) string {
	return fmt.Sprintf("%d %s%s", n, thing, either(n == 1, "", "s"))
}

// percent writes a share in per cent by the format of a number, such as "%+.1f". No
// sign tells a zero from another.
func percent(format string, share float64) string {
	text := fmt.Sprintf(format, 100*share)
	if !strings.ContainsAny(text, "123456789NI") {
		text = strings.TrimLeft(text, "+-")
	}
	return text + " %"
}

// inTime writes a time in ms, from 10 s on in s, from 2 minutes on in minutes, from 2
// hours on in hours and from 2 days on in days, with the digits that a function gives a
// number.
func inTime(ms float64, digits func(float64) string) string {
	const hour = 3_600_000
	switch {
	case ms >= 48*hour:
		return digits(ms/(24*hour)) + " days"
	case ms >= 2*hour:
		return digits(ms/hour) + " h"
	case ms >= 120_000:
		return digits(ms/60_000) + " min"
	case ms >= 10_000:
		return digits(ms/1000) + " s"
	default:
		return digits(ms) + " ms"
	}
}
