package catalog

import (
	_ "embed"
	"strings"
	"sync"
	"time"

	"halfsecond/pipeline/price"
)

// SpeechPrice is what somebody asked for speech on a day, in US dollars: the list price, without
// discounts. Speech to text is paid for by the time that is heard, text to speech by the
// characters that are spoken.
type SpeechPrice struct {
	Kind string // "stt" or "tts"
	// Model is what the service calls it; one that ends in an asterisk stands for all whose names
	// begin so.
	Model     string
	Minute    price.Dollars // of speech that is heard; 0 where it is not paid for by time
	Character price.Dollars // of text that is spoken; 0 where it is not paid for by its length

	Source     string
	Date       string // of the list
	Note       string
	Confidence string // as that of a Price
}

// Hearing returns what it costs to hear so much.
func (p SpeechPrice) Hearing(d time.Duration) price.Dollars {
	return p.Minute * price.Dollars(d.Milliseconds()) / price.Dollars(time.Minute.Milliseconds())
}

// Speaking returns what it costs to speak so many characters.
func (p SpeechPrice) Speaking(characters int) price.Dollars {
	return p.Character * price.Dollars(characters)
}

// String says the price in words, with where it is from.
func (p SpeechPrice) String() string {
	text := p.Minute.Exact() + " USD a minute"
	if p.Character > 0 {
		text = (p.Character * price.Million).Exact() + " USD a million characters"
	}
	return text + "; " + p.Source + ", " + p.Date
}

var speechPriceColumns = []string{"kind", "model", "usd_per_minute", "usd_per_m_characters", "source", "date", "note", "confidence"}

//go:embed speech_prices.csv
var speechPricesCSV string

func parseSpeechPrice(r *record) SpeechPrice {
	p := SpeechPrice{
		Kind: r.oneOf("kind", "stt", "tts"), Model: r.required("model"), Source: r.required("source"), Date: r.required("date"),
		Note: r.text("note"), Confidence: r.oneOf("confidence", "high", "medium", "low"),
	}
	if p.Kind == "tts" {
		p.Character = r.perMillion("usd_per_m_characters")
		return p
	}
	var err error
	if p.Minute, err = price.Parse(r.required("usd_per_minute")); err != nil {
		r.bad("usd_per_minute", r.text("usd_per_minute"), err.Error())
	}
	return p
}

var speechPrices = sync.OnceValue(func() []SpeechPrice {
	return table[SpeechPrice]{"a price of speech", speechPriceColumns, parseSpeechPrice}.mustRead("speech_prices.csv", speechPricesCSV)
})

// FindSpeechPrice returns the price of a model of speech, "stt" or "tts", by what its service
// calls it; false when no list states it.
func FindSpeechPrice(kind, model string) (SpeechPrice, bool) {
	name := strings.ToLower(model)
	for _, p := range speechPrices() {
		begins, all := strings.CutSuffix(p.Model, "*")
		if p.Kind == kind && (name == p.Model || all && strings.HasPrefix(name, begins)) {
			return p, true
		}
	}
	return SpeechPrice{}, false
}
