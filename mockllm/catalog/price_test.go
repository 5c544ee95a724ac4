package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/price"
)

// TestPrices checks figures of the table, in 10^-12 dollars a token.
func TestPrices(t *testing.T) {
	for name, want := range map[string]price.Price{
		"gpt-4o":                       {Input: 2_500_000, Cached: 1_250_000, Output: 10_000_000},
		"GPT 4o mini":                  {Input: 150_000, Cached: 75_000, Output: 600_000},
		"deepseek-v4-pro":              {Input: 435_000, Cached: 3_625, Output: 870_000},
		"llama-3.1-8b-instant on Groq": {Input: 50_000, Cached: price.Unpublished, Output: 80_000},
		"qwen-2.5-coder-32b-instruct via OpenRouter": {Input: 60_000, Cached: price.Unpublished, Output: 150_000},
	} {
		p, err := FindPrice(name)
		if err != nil {
			t.Error(err)
			continue
		}
		got := p.Price()
		if got.Input != want.Input || got.Cached != want.Cached || got.Output != want.Output {
			t.Errorf("%s costs %d, %d, %d; want %d, %d, %d", name, got.Input, got.Cached, got.Output, want.Input, want.Cached, want.Output)
		}
		if !got.Known() || got.Model != p.Name || got.Date != "2026-08-21" || !strings.HasPrefix(got.Source, "github:pydantic/genai-prices") {
			t.Errorf("%s: from %q, %q, %q", name, got.Model, got.Source, got.Date)
		}
	}
	if n := len(AllPrices()); n != 89 {
		t.Errorf("%d prices, want 89", n)
	}
}

// TestPriceOfNone: an open model costs something else at each host, so its bare name has
// no price.
func TestPriceOfNone(t *testing.T) {
	_, err := FindPrice("gpt-oss-120b")
	var none *NotFoundError
	if !errors.As(err, &none) || !slices.Contains(none.Nearest, "gpt-oss-120b on Groq") {
		t.Errorf("got %v, want the names with hosts", err)
	}
	if _, err := FindPrice("Llama-3.1-8B"); err == nil {
		t.Error("a model that anybody serves has a price")
	}
}

func TestBadPrices(t *testing.T) {
	const row = "m,h,%,s,d,,high"
	for cells, want := range map[string]string{
		"2.5,,10":      "",
		"2.5,3,10":     `prices.csv:2: cached_input_usd_per_m "3": want no more than input_usd_per_m`,
		"0.0000001,,1": `prices.csv:2: input_usd_per_m "0.0000001": want a price in US dollars for a million tokens, with at most 6 digits behind the point`,
		"1,,-2":        `prices.csv:2: output_usd_per_m "-2": want a sum in US dollars such as 5 or 0.075`,
	} {
		_, err := priceTable.read("prices.csv", strings.Join(priceColumns, ",")+"\n"+strings.Replace(row, "%", cells, 1)+"\n")
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", cells, got, want)
		}
	}
}
