package catalog

import (
	_ "embed"
	"slices"
	"sync"

	"halfsecond/pipeline/price"
)

// Price is what somebody asked for the tokens of a hosted language model on a day, in US
// dollars: the list price of the base tier, without discounts for batches and without
// surcharges for regions and for writing a cache.
type Price struct {
	// Name is unique: the model's, as its maker's API has it, or with the host where
	// others serve it, such as "gpt-oss-120b on Groq".
	Name string
	Host string // whose list it is

	Input  price.Dollars // of a token of a prompt
	Cached price.Dollars // of one from the cache; price.Unpublished where no list states it
	Output price.Dollars // of a token of an answer

	Source     string
	Date       string // of the list
	Note       string // tiers, and what other lists say
	Confidence string // "high": two lists agree, or the vendor's own; "medium": one list
}

// Price returns the price as reports carry it.
func (p Price) Price() price.Price {
	return price.Price{Input: p.Input, Cached: p.Cached, Output: p.Output, Model: p.Name, Source: p.Source, Date: p.Date}
}

var priceColumns = []string{
	"name", "host", "input_usd_per_m", "cached_input_usd_per_m", "output_usd_per_m", "source", "date", "note", "confidence",
}

//go:embed prices.csv
var pricesCSV string

func parsePrice(r *record) Price {
	p := Price{
		Name: r.required("name"), Host: r.required("host"),
		Input: r.perMillion("input_usd_per_m"), Cached: price.Unpublished, Output: r.perMillion("output_usd_per_m"),
		Source: r.required("source"), Date: r.required("date"), Note: r.text("note"),
		Confidence: r.oneOf("confidence", "high", "medium", "low"),
	}
	if r.text("cached_input_usd_per_m") != "" {
		if p.Cached = r.perMillion("cached_input_usd_per_m"); p.Cached > p.Input {
			r.bad("cached_input_usd_per_m", r.text("cached_input_usd_per_m"), "want no more than input_usd_per_m")
		}
	}
	return p
}

// perMillion returns the price of a token from a cell that has that of a million.
func (r *record) perMillion(column string) price.Dollars {
	d, err := price.PerMillion(r.required(column))
	if err != nil {
		r.bad(column, r.text(column), err.Error())
	}
	return d
}

var priceTable = table[Price]{"a price", priceColumns, parsePrice}

var prices = sync.OnceValue(func() *index[Price] {
	rows := priceTable.mustRead("prices.csv", pricesCSV)
	return newIndex("price", rows, func(p Price) []string { return []string{p.Name} })
})

// AllPrices returns every price in the order of the table.
func AllPrices() []Price { return slices.Clone(prices().rows) }

// FindPrice returns the price of the model with that name. Case and punctuation do not
// matter as long as only one has it. The error is a *NotFoundError.
func FindPrice(name string) (Price, error) { return prices().find(name) }
