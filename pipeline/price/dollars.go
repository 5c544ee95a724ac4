package price

import (
	"errors"
	"fmt"
	"strings"
)

// Dollars is a sum of money in 10^-12 US dollars. One token at the price of a millionth
// of a dollar for a million tokens costs 1, so sums of tokens at prices are exact, up to
// Largest.
type Dollars int64

// Dollar is one US dollar.
const Dollar Dollars = 1_000_000_000_000

// Largest is where sums stop: there it stands for as much or more.
const Largest = 9_000_000 * Dollar

// MostDollars is the largest sum that Parse reads.
const MostDollars = 1_000_000 * Dollar

// digits are those of a Dollars behind the point.
const digits = 12

var errMoney = errors.New("want a sum in US dollars such as 5 or 0.075")

// Parse reads a sum such as "5", "5.00" or "0.075": digits, with at most 12 behind the
// point. It is not negative and at most MostDollars.
func Parse(text string) (Dollars, error) {
	whole, part, _ := strings.Cut(text, ".")
	if whole == "" || !allDigits(whole) || !allDigits(part) || strings.HasSuffix(text, ".") {
		return 0, errMoney
	}
	if len(part) > digits {
		return 0, fmt.Errorf("%w, with at most %d digits behind the point", errMoney, digits)
	}
	d := Dollars(0)
	for _, c := range strings.TrimLeft(whole+part+strings.Repeat("0", digits-len(part)), "0") {
		digit := Dollars(c - '0')
		if d > (MostDollars-digit)/10 { // before it is multiplied, as ten times the most overflows
			return 0, fmt.Errorf("%w, at most %s", errMoney, MostDollars.decimal(0))
		}
		d = 10*d + digit
	}
	return d, nil
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// USD returns the sum as a number of US dollars.
func (d Dollars) USD() float64 { return float64(d) / float64(Dollar) }

// Add returns both together, neither negative.
func (d Dollars) Add(o Dollars) Dollars {
	if d >= Largest-min(o, Largest) {
		return Largest
	}
	return d + o
}

// times returns what so many cost at the sum each, neither negative.
func (d Dollars) times(n int) Dollars {
	if n > 0 && d > Largest/Dollars(n) {
		return Largest
	}
	return Dollars(n) * d
}

// String returns the sum with cents, or with as many more digits as it takes to show
// three of it, rounded: "1,234.50 USD", "0.00123 USD".
func (d Dollars) String() string {
	words := grouped(d.rounded().decimal(2)) + " USD"
	if d >= Largest {
		words += " or more"
	}
	return words
}

// Exact returns the sum as a decimal number with all its digits: "2.5".
func (d Dollars) Exact() string { return d.decimal(0) }

// rounded returns the sum to cents, or to three digits where it is less than a dollar,
// half away from zero.
func (d Dollars) rounded() Dollars {
	unit := Dollar / 100
	for unit > 1 && d < 100*unit && d > -100*unit {
		unit /= 10
	}
	if d < 0 {
		return -((-d + unit/2) / unit * unit)
	}
	return (d + unit/2) / unit * unit
}

// decimal writes the sum with as few digits behind the point as show all of it, and no
// fewer than the least.
func (d Dollars) decimal(least int) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	part := fmt.Sprintf("%0*d", digits, int64(d%Dollar))
	part = part[:least] + strings.TrimRight(part[least:], "0")
	if part != "" {
		part = "." + part
	}
	return fmt.Sprintf("%s%d%s", sign, int64(d/Dollar), part)
}

// grouped sets the thousands of a decimal number apart.
func grouped(number string) string {
	whole, part, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + part
}
