package price

import (
	"errors"
	"fmt"
)

// Million is how many tokens prices are stated for.
const Million = 1_000_000

// Price is what the tokens of a model cost, each. The zero Price is none that is known.
type Price struct {
	Input  Dollars // of a token of a prompt
	Cached Dollars // of one that the server had in its cache; Unpublished is as much as Input
	Output Dollars // of a token of an answer, reasoning included

	Model  string // whose price it is in the list; empty when it was typed
	Source string // the list, or "as typed"
	Date   string // of the list; empty for none
}

// Unpublished is the price of cached tokens that no list states.
const Unpublished Dollars = -1

// Known reports whether there is a price.
func (p Price) Known() bool { return p.Source != "" }

// PerMillion reads the price of a million tokens, such as "2.5", and returns that of one.
// It has at most 6 digits behind the point.
func PerMillion(text string) (Dollars, error) {
	d, err := Parse(text)
	switch {
	case err != nil:
		return 0, err
	case d%Million != 0:
		return 0, errors.New("want a price in US dollars for a million tokens, with at most 6 digits behind the point")
	}
	return d / Million, nil
}

// Of returns what so many tokens cost. Cached ones are part of those of the prompt.
func (p Price) Of(t Tokens) Dollars {
	cached := p.Cached
	if cached == Unpublished {
		cached = p.Input
	}
	return p.Input.times(t.Prompt - t.Cached).Add(cached.times(t.Cached)).Add(p.Output.times(t.Output))
}

// String says the price in words, with where it is from.
func (p Price) String() string {
	text := perMillion(p.Input) + " a million tokens of prompts"
	if p.Cached != Unpublished {
		text += fmt.Sprintf(" (%s of those cached)", perMillion(p.Cached))
	}
	text += fmt.Sprintf(", %s of answers; %s", perMillion(p.Output), p.Origin())
	return text
}

// Origin says where the price is from.
func (p Price) Origin() string {
	if p.Model == "" {
		return p.Source
	}
	return fmt.Sprintf("%s, %s, %s", p.Model, p.Source, p.Date)
}

func perMillion(d Dollars) string { return (d * Million).Exact() + " USD" }
