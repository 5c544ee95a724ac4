package main

import (
	"cmp"
	"fmt"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
)

// speechUse is what a run would have of a speech service, with what that would cost.
type speechUse struct {
	runner.SpeechUse
	price catalog.SpeechPrice
	cost  price.Dollars
	known bool // what it would cost
}

func pricedSpeech(u runner.SpeechUse) speechUse {
	p, known := catalog.FindSpeechPrice(u.Stage, u.Model)
	return speechUse{u, p, p.Hearing(u.Sent()).Add(p.Speaking(u.Characters)), known}
}

// words says what would be asked of the service, as a line before the run.
func (u *speechUse) words() string {
	verb := "asking"
	if u.Bot() {
		verb = "calling"
	}
	return fmt.Sprintf("%s %s (%s) %s", verb, u.URL, u.Stage, u.much())
}

// much says how much would be asked, and what it would cost.
func (u *speechUse) much() string {
	times := counted(u.Requests, "time")
	if u.Sessions > 0 && u.Sessions < u.Requests {
		times = fmt.Sprintf("%s, for %s in all", counted(u.Sessions, "time"), counted(u.Requests, "turn"))
	}
	text := "about " + times
	if u.Speech > 0 {
		text += fmt.Sprintf(": about %s of speech to it", u.Spoken().Round(time.Second))
		if sent := u.Sent().Round(time.Second); sent > u.Spoken().Round(time.Second) {
			text += fmt.Sprintf(", %s with the silence around it", sent)
		}
	}
	if u.Characters > 0 {
		text += fmt.Sprintf(": about %s of text", counted(u.Characters, "character"))
	}
	if !u.known {
		return text + ", at a price that is not known: no cap on money counts it"
	}
	return fmt.Sprintf("%s, about %s, at %s", text, u.cost, u.price)
}

// named says which service it is.
func (u *speechUse) named() string {
	return fmt.Sprintf("%s at %s by %s", cmp.Or(u.Model, "a bot"), u.URL, u.Protocol)
}
