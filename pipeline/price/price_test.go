package price

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Dollars{
		"0": 0, "5": 5 * Dollar, "5.00": 5 * Dollar, "0.075": 75_000_000_000, "1000000": MostDollars, "007.5": 7_500_000_000_000,
		"0.000000000001": 1,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                 "want a sum in US dollars such as 5 or 0.075",
		".5":                               "want a sum in US dollars such as 5 or 0.075",
		"5.":                               "want a sum in US dollars such as 5 or 0.075",
		"-1":                               "want a sum in US dollars such as 5 or 0.075",
		"1e3":                              "want a sum in US dollars such as 5 or 0.075",
		"$5":                               "want a sum in US dollars such as 5 or 0.075",
		"1.2.3":                            "want a sum in US dollars such as 5 or 0.075",
		"0.0000000000001":                  "want a sum in US dollars such as 5 or 0.075, with at most 12 digits behind the point",
		"1000000.01":                       "want a sum in US dollars such as 5 or 0.075, at most 1000000",
		"9299129":                          "want a sum in US dollars such as 5 or 0.075, at most 1000000",
		"99999999999999999999999999999999": "want a sum in US dollars such as 5 or 0.075, at most 1000000",
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}

func TestDollarsInWords(t *testing.T) {
	for text, want := range map[string][2]string{
		"0":              {"0.00 USD", "0"},
		"5":              {"5.00 USD", "5"},
		"1234.567":       {"1,234.57 USD", "1234.567"},
		"0.5":            {"0.50 USD", "0.5"},
		"0.123456":       {"0.123 USD", "0.123456"},
		"0.00123456":     {"0.00123 USD", "0.00123456"},
		"0.000000000001": {"0.000000000001 USD", "0.000000000001"},
		"1000000":        {"1,000,000.00 USD", "1000000"},
		"0.9996":         {"1.00 USD", "0.9996"},
	} {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if d.String() != want[0] || d.Exact() != want[1] {
			t.Errorf("%s: %q and %q, want %q and %q", text, d.String(), d.Exact(), want[0], want[1])
		}
	}
}

// TestExactRoundTrip: what is written is read back, to the last digit.
func TestExactRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		want := Dollars(r.Int64N(int64(MostDollars)) >> r.IntN(60))
		if got, err := Parse(want.Exact()); err != nil || got != want {
			t.Fatalf("%d was written as %q and read as %d, %v", want, want.Exact(), got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"5", "0.075", "1e9", "..", "00000000000000000000000001"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		if d < 0 || d > MostDollars {
			t.Errorf("Parse(%q) = %d", text, d)
		}
		if again, err := Parse(d.Exact()); err != nil || again != d {
			t.Errorf("Parse(%q) = %d, written as %q and read as %d, %v", text, d, d.Exact(), again, err)
		}
	})
}

// TestCost: 2.5 USD a million tokens of prompts, 1.25 of those cached, 10 of answers.
func TestCost(t *testing.T) {
	p := Price{Input: 2_500_000, Cached: 1_250_000, Output: 10_000_000, Model: "gpt-4o", Source: "a list", Date: "2026-08-21"}
	used := Tokens{Prompt: 1000, Cached: 400, Output: 60}
	if got, want := p.Of(used), Dollars(600*2_500_000+400*1_250_000+60*10_000_000); got != want || got.Exact() != "0.0026" {
		t.Errorf("%v cost %s, want 0.0026", used, got.Exact())
	}
	unpublished := p
	unpublished.Cached = Unpublished
	if got := unpublished.Of(used).Exact(); got != "0.0031" {
		t.Errorf("with no price of cached tokens %s, want 0.0031: they cost what the others do", got)
	}
	if got, want := p.String(), "2.5 USD a million tokens of prompts (1.25 USD of those cached), 10 USD of answers; gpt-4o, a list, 2026-08-21"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	typed := Price{Input: 1, Cached: Unpublished, Output: 2, Source: "as typed"}
	if got, want := typed.String(), "0.000001 USD a million tokens of prompts, 0.000002 USD of answers; as typed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if (Price{}).Known() || !typed.Known() {
		t.Error("the zero price is known, or a typed one is not")
	}
}

func TestPerMillion(t *testing.T) {
	if d, err := PerMillion("0.003625"); err != nil || d != 3625 {
		t.Errorf("0.003625 a million is %d a token, %v; want 3625", d, err)
	}
	if _, err := PerMillion("0.0000001"); err == nil || !strings.Contains(err.Error(), "at most 6 digits") {
		t.Errorf("seven digits: %v", err)
	}
}

func TestTally(t *testing.T) {
	a := Tally{Requests: 2, Counted: Tokens{100, 10, 20}}
	b := Tally{Requests: 1, Uncounted: 1, Assumed: Tokens{50, 0, 60}}
	if got, want := a.Add(b), (Tally{3, Tokens{100, 10, 20}, 1, Tokens{50, 0, 60}}); got != want {
		t.Errorf("together %+v, want %+v", got, want)
	}
	if got := a.Add(b).Tokens(); got != (Tokens{150, 10, 80}) || got.All() != 230 {
		t.Errorf("all of it is %+v, %d", got, got.All())
	}
}

// TestSumsStop: what is too large stays at the largest, and never turns negative.
func TestSumsStop(t *testing.T) {
	most := Tokens{math.MaxInt, math.MaxInt, math.MaxInt}
	if got := most.Add(Tokens{1, 1, 1}); got != most || got.All() != math.MaxInt {
		t.Errorf("%+v, %d in all; want the largest", got, got.All())
	}
	p := Price{Input: 2_500_000, Cached: Unpublished, Output: 10_000_000}
	for _, used := range []Tokens{most, {Prompt: math.MaxInt}, {Output: math.MaxInt / 2}, {900_000_000_000, 0, 900_000_000_000}} {
		if got := p.Of(used); got != Largest {
			t.Errorf("%+v cost %d, want %d", used, got, Largest)
		}
	}
	if got := (Price{Input: 0, Output: 1}).Of(Tokens{math.MaxInt, 0, 5}); got != 5 {
		t.Errorf("free tokens cost %d, want 5", got)
	}
	if got := (Largest - 1).Add(1); got != Largest || (Largest-2).Add(1) != Largest-1 || Largest.Add(math.MaxInt64) != Largest {
		t.Errorf("%d, want %d", got, Largest)
	}
	if got, want := Largest.String(), "9,000,000.00 USD or more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHalf: what was not told is assumed, and only that.
func TestHalf(t *testing.T) {
	told, most := Tokens{10, 4, 5}, Tokens{20, 0, 30}
	for _, c := range []struct {
		prompt, output bool
		want           Tally
	}{
		{true, true, Tally{Requests: 1, Counted: told}},
		{true, false, Tally{1, Tokens{10, 4, 0}, 1, Tokens{0, 0, 30}}},
		{false, true, Tally{1, Tokens{0, 0, 5}, 1, Tokens{20, 0, 0}}},
		{false, false, Tally{1, Tokens{}, 1, most}},
	} {
		if got := Half(told, c.prompt, c.output, most); got != c.want {
			t.Errorf("prompt %t, output %t: %+v, want %+v", c.prompt, c.output, got, c.want)
		}
	}
}
