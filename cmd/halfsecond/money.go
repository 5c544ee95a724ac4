package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
)

// money is what may be spent at an endpoint, and at which price, as typed.
type money struct {
	most                  string
	of                    string // whose price
	input, cached, output string

	max   price.Dollars // 0 for no cap
	fixed price.Price   // of whichever model; the zero Price for that of each
}

// moneyFlags are the names of the flags of money.
var moneyFlags = []string{"max-cost", "price-of", "price-input", "price-cached", "price-output"}

func (m *money) addFlags(f *pflag.FlagSet) {
	f.StringVar(&m.most, moneyFlags[0], "", "most US `dollars` to spend at an endpoint, such as 0.50, where the price is known (default: no cap)")
	f.StringVar(&m.of, moneyFlags[1], "", "`name` in 'halfsecond catalog prices' whose price counts (default: the model's own)")
	f.StringVar(&m.input, moneyFlags[2], "", "US `dollars` for a million tokens of prompts, in place of the catalogue's")
	f.StringVar(&m.cached, moneyFlags[3], "", "US `dollars` for a million of them that the server had in its cache (default: as much as others)")
	f.StringVar(&m.output, moneyFlags[4], "", "US `dollars` for a million tokens of answers")
}

// resolve reads what was typed. It reports all that is wrong at once.
func (m *money) resolve() error {
	var errs []error
	if m.most != "" {
		d, err := price.Parse(m.most)
		if err == nil && d == 0 {
			err = errors.New("want more than 0")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--max-cost %s: %w", m.most, err))
		}
		m.max = d
	}
	return errors.Join(append(errs, m.fix())...)
}

// fix finds the price that counts whatever the model is called, if one was named.
func (m *money) fix() error {
	typed := m.input != "" || m.cached != "" || m.output != ""
	switch {
	case typed && m.of != "":
		return errors.New("--price-of and typed prices: want one or the other")
	case m.of != "":
		p, err := catalog.FindPrice(m.of)
		if err != nil {
			return fmt.Errorf("--price-of %s: %w", m.of, err)
		}
		m.fixed = p.Price()
	case typed:
		return m.read()
	}
	return nil
}

// read reads the prices that were typed.
func (m *money) read() error {
	if m.input == "" || m.output == "" {
		return errors.New("a price has two parts: want --price-input and --price-output")
	}
	p := price.Price{Cached: price.Unpublished, Source: "as typed"}
	var errs []error
	for _, f := range []struct {
		flag, text string
		to         *price.Dollars
	}{{"price-input", m.input, &p.Input}, {"price-cached", m.cached, &p.Cached}, {"price-output", m.output, &p.Output}} {
		if f.text == "" {
			continue
		}
		var err error
		if *f.to, err = price.PerMillion(f.text); err != nil {
			errs = append(errs, fmt.Errorf("--%s %s: %w", f.flag, f.text, err))
		}
	}
	m.fixed = p
	return errors.Join(errs...)
}

// priceOf returns the price of a model, the zero Price when it is not known.
func (m *money) priceOf(model string) price.Price {
	if m.fixed.Known() {
		return m.fixed
	}
	p, err := catalog.FindPrice(model)
	if err != nil {
		return price.Price{}
	}
	return p.Price()
}

// needs reports that a cap of money was typed and the price of a model is not known; ""
// is a model that nobody has named.
func (m *money) needs(model string) error {
	switch {
	case m.max == 0 || m.priceOf(model).Known():
		return nil
	case model == "":
		return fmt.Errorf("--max-cost %s takes the price of a model: name the model with --model, or type --price-input and --price-output", m.most)
	}
	_, err := catalog.FindPrice(model)
	near := ""
	if none := (*catalog.NotFoundError)(nil); errors.As(err, &none) && len(none.Nearest) > 0 {
		near = fmt.Sprintf("name one of its nearest with --price-of (%s), or ", strings.Join(none.Nearest, ", "))
	}
	return fmt.Errorf("--max-cost %s takes a price, and 'halfsecond catalog prices' has none of %s: %stype --price-input and --price-output", m.most, model, near)
}

// bind sets the cap of a client of a model.
func (m *money) bind(c *endpoint.Config) { c.MaxCost, c.Price = m.max, m.priceOf(c.Model) }

// priced is an estimate with what it would cost.
type priced struct {
	runner.Estimate
	price  price.Price // the zero Price when it is not known, or when models have several
	cost   price.Dollars
	known  bool // what it would cost
	speech []speechUse
}

// at returns an estimate of requests to one model, and to the speech services beside it.
func (m *money) at(e runner.Estimate, model string) priced {
	p := m.priceOf(model)
	out := priced{e, p, p.Of(price.Tokens{Prompt: e.PromptTokens, Output: e.OutputTokens}), p.Known() && e.Asked() > 0, nil}
	for _, u := range e.Speech {
		out.speech = append(out.speech, pricedSpeech(u))
	}
	return out
}

// silent reports whether no language model is asked, and speech services are.
func (e *priced) silent() bool { return e.Asked() == 0 && len(e.speech) > 0 }

// all returns what an estimate would cost, as far as prices are known.
func (e *priced) all() (sum price.Dollars, known bool) {
	sum, known = e.ofSpeech()
	if e.known {
		sum, known = sum.Add(e.cost), true
	}
	return sum, known
}

// ofSpeech returns what the speech services of an estimate would cost, as far as prices are known.
func (e *priced) ofSpeech() (sum price.Dollars, known bool) {
	for i := range e.speech {
		if u := &e.speech[i]; u.known {
			sum, known = sum.Add(u.cost), true
		}
	}
	return sum, known
}

// over says that an estimate exceeds the cap of money, or that the cap would bound nothing: no
// language model is asked, and of no speech service a price is known.
func (m *money) over(e priced) error {
	sum, known := e.all()
	switch {
	case m.max == 0:
		return nil
	case !known && e.silent():
		return fmt.Errorf("--max-cost %s takes a price, and none is known of the speech services, which nothing but --max-requests would bound: leave --max-cost out", m.most)
	case !known || sum <= m.max:
		return nil
	}
	return fmt.Errorf("the run would cost %s %s, more than --max-cost %s: lower --n or raise it", e.About(), sum, m.most)
}

// reserve has the client of a language model leave what the speech services beside it are
// estimated to cost: nobody counts that while they are asked.
func (e *priced) reserve(c *endpoint.Config) { c.Before.Cost, _ = e.ofSpeech() }

// andCost goes on to say what an estimate would cost, where it is known.
func (e priced) andCost() string {
	if !e.known {
		return ""
	}
	return ", " + e.costWords()
}

// costWords says what an estimate would cost.
func (e priced) costWords() string {
	switch {
	case !e.known:
		return "unknown: no price is known; see --price-of, --price-input and --price-output"
	case !e.price.Known():
		return fmt.Sprintf("%s %s, each model at its own price", e.About(), e.cost)
	}
	return fmt.Sprintf("%s %s, at %s", e.About(), e.cost, e.price)
}
