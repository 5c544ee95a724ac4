package main

import (
	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/price"
)

var priceList = catalogList[catalog.Price]{
	name: "prices", about: "List prices of hosted language models, in US dollars for a million tokens", fixed: true,
	all:      func(*catalog.Catalog) []catalog.Price { return catalog.AllPrices() },
	find:     func(_ *catalog.Catalog, name string) (catalog.Price, error) { return catalog.FindPrice(name) },
	columns:  priceColumns,
	document: func(p catalog.Price) any { return newPriceJSON(p) },
}

var priceColumns = []column[catalog.Price]{
	{"name", true, func(p catalog.Price) string { return p.Name }},
	{"prompt", true, func(p catalog.Price) string { return perMillion(p.Input) }},
	{"cached", true, func(p catalog.Price) string { return perMillion(p.Cached) }},
	{"answer", true, func(p catalog.Price) string { return perMillion(p.Output) }},
	{"date", true, func(p catalog.Price) string { return p.Date }},
	{"confidence", true, func(p catalog.Price) string { return p.Confidence }},
	{"host", false, func(p catalog.Price) string { return p.Host }},
	{"note", false, func(p catalog.Price) string { return p.Note }},
	{"source", true, func(p catalog.Price) string { return p.Source }},
}

// perMillion prints the price of a million tokens, "-" when no list states it.
func perMillion(d price.Dollars) string {
	if d == price.Unpublished {
		return "-"
	}
	return (d * price.Million).Exact()
}

// priceJSON is a price as a JSON document; what is unknown is null.
type priceJSON struct {
	Name       string   `json:"name"`
	Host       string   `json:"host"`
	Input      float64  `json:"input_usd_per_m"`
	Cached     *float64 `json:"cached_input_usd_per_m"`
	Output     float64  `json:"output_usd_per_m"`
	Source     string   `json:"source"`
	Date       string   `json:"date"`
	Note       *string  `json:"note"`
	Confidence string   `json:"confidence"`
}

func newPriceJSON(p catalog.Price) priceJSON {
	usd := func(d price.Dollars) float64 { return (d * price.Million).USD() }
	return priceJSON{
		Name: p.Name, Host: p.Host, Input: usd(p.Input), Cached: known(usd(p.Cached), usd(price.Unpublished)), Output: usd(p.Output),
		Source: p.Source, Date: p.Date, Note: known(p.Note, ""), Confidence: p.Confidence,
	}
}
