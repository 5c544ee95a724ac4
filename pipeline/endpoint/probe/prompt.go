package probe

import (
	"fmt"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

// passage is what is asked of models that talk. It is long enough for its prefill to be
// seen, and for a cache of prompts to hold whole blocks of it.
const passage = `Write one long paragraph of plain prose, without headings, lists or markup, and do not stop early. Describe a harbour town
on a northern coast on the day when the first boats come home after the winter. Begin with the light over the water before dawn, then
the people on the quay and what each of them waits for. Go on with the market: the stalls, the smell of tar and coffee, the prices that
are called out and the quarrels about them. Tell of the schoolchildren who are let out early, of the old pilot who names every sail
before anybody else can see it, and of the keeper of the inn who has counted the days. Describe the boats themselves, their colours and
their damage, and how the ropes are thrown and caught. Let it rain for an hour in the afternoon. End in the evening with the lamps along
the street, the songs from the inn, and the sound of the tide below the planks. Use simple words and short sentences, keep to the past
tense, and name no real person or place.`

// program is what is asked of models that complete code.
const program = `

class Ledger:
    """Keeps the accounts of a harbour: ships, berths, fees and what was paid."""

    def __init__(self, rate_per_metre, days_free=2):
        self.rate_per_metre = rate_per_metre
        self.days_free = days_free
        self.ships = {}
        self.payments = []

    def arrive(self, name, length, day):
        if name in self.ships:
            raise ValueError(f"{name} has not left yet")
        self.ships[name] = {"length": length, "day": day, "paid": 0}

    def pay(self, name, amount, day):
        self.ships[name]["paid"] += amount
        self.payments.append((day, name, amount))

    def fee(self, name, today):
        ship = self.ships[name]
        days = max(0, today - ship["day"] - self.days_free)
        return days * ship["length"] * self.rate_per_metre

    def report(self, today):
        """Returns a text with a line for each ship, sorted by what it owes, a
        total at the end, and a warning for each ship that owes more than 100."""
        lines = []
`

// codeOnly are the protocols whose models complete code.
func codeOnly(p dialect.Protocol) bool {
	return p == dialect.LlamaInfill || p == dialect.MistralFIM || p == dialect.Tabby
}

// prompt returns the prompt of that number. Prompts of different numbers, or of different
// salts, begin differently, so that no cache of prompts knows one.
func (c Config) prompt(p dialect.Protocol, number int) pipeline.Prompt {
	body, mark := c.Prompt, ""
	switch {
	case body != "":
	case codeOnly(p):
		body, mark = program, "# "
	default:
		body = passage
	}
	head := fmt.Sprintf("%s%08x, note %d of this day.\n", mark, uint32(c.Salt)+uint32(number)*0x9e3779b9, number)
	return pipeline.Prompt{Chat: true, Text: head + body}
}

// promptTokens returns about how many tokens a prompt has, rather too many: a token of
// English has 4 characters and more, one of code about 3 (the rule of thumb of
// help.openai.com, "What are tokens and how to count them", read 2026-11-29), and a
// character beyond ASCII is taken for a token.
func (c Config) promptTokens() int {
	text := c.Prompt
	if text == "" {
		text = passage // the longer one
	}
	ascii := 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		}
	}
	const head, overhead, perToken = 16, 16, 3
	return head + overhead + (ascii+perToken-1)/perToken + len([]rune(strings.ToValidUTF8(text, "?"))) - ascii
}
