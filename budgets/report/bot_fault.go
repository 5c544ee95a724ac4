package report

import (
	"fmt"
	"strings"
)

// BotFault is something that a called bot sent which telephony would not take, or take for
// something else.
type BotFault struct {
	Name  string `json:"name"`
	Turns int    `json:"turns"`
}

// botFaults fills in what was wrong with what a bot sent.
func (r *Report) botFaults(v *Voice) {
	for _, f := range r.analysis.BotFaults() {
		v.BotFaults = append(v.BotFaults, BotFault{f.Name, f.Turns})
	}
}

// faultWords say what was wrong with what a bot sent; empty when nothing was.
func (v *Voice) faultWords() string {
	var said []string
	for _, f := range v.BotFaults {
		said = append(said, fmt.Sprintf("%s in %s", f.Name, counted(f.Turns, "turn")))
	}
	if said == nil {
		return ""
	}
	return "The bot sent what a telephone provider would not take, or would play as noise: " + strings.Join(said, ", ") + "."
}
