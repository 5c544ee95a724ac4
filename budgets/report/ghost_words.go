package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// worthSaying is the shortest time of a stage that is worth a sentence: less is a frame of a
// screen or two, and nobody's lever.
const worthSaying = 10 * time.Millisecond

// reasonWords says why the budget on the first character is kept or not: the stage, and what
// would bring it inside. It is empty where the stage takes a few milliseconds.
func reasonWords(r *budgets.Reason, f *ghost.Figures) string {
	bound := r.Judgement.Budget.Limit
	if r.Judgement.Budget.Function == budgets.ShareWhere {
		bound = r.Judgement.Budget.Inner
	}
	limit := budgets.Duration.Format(bound.Value)
	switch {
	case r.Takes < worthSaying && !r.Alone:
		return onlyCensored(r, f)
	case r.Alone:
		return fmt.Sprintf("%s alone breaks a %s budget: with nothing else to wait for, and text after every opportunity, it would be %s%s%s",
			aloneWords(r), limit, r.Judgement.Unit().Format(r.Without), leverOf(r, r.Stage, f), whatItIs(r.Stage))
	}
	of := ""
	if r.Outside {
		of = " of those outside"
	}
	most := fmt.Sprintf("%s takes the most of the time to the first character%s, %s of %s on average", r.Stage, of, length(r.Takes), length(r.Of))
	if r.Judgement.Verdict != budgets.Fail {
		return most
	}
	return most + bestLever(r, f) + whatItIs(r.Stage)
}

// aloneWords names a stage with how long it usually takes of those that wait for it.
func aloneWords(r *budgets.Reason) string {
	switch {
	case r.Takes == pipeline.Unknown:
		return r.Stage
	case r.Waited < r.Landed:
		return fmt.Sprintf("%s (%s at the median of the %s of %s opportunities with text that wait for it)", r.Stage, length(r.Takes), count(r.Waited), count(r.Landed))
	case r.Fixed:
		return r.Stage + " " + length(r.Takes)
	}
	return fmt.Sprintf("%s (%s at the median)", r.Stage, length(r.Takes))
}

// whatItIs explains a stage that is a rule of the plugin's and looks like slowness of the server;
// "" for others.
func whatItIs(stage string) string {
	if stage != ghost.LineBuffer.String() {
		return ""
	}
	return "; " + stage + " is not the server: text had come, and the plugin's rule display.lines kept it back until its line, or the whole answer, was there"
}

// onlyCensored says that what misses the budget is text that never came.
func onlyCensored(r *budgets.Reason, f *ghost.Figures) string {
	if r.Judgement.Verdict != budgets.Fail || f.Censored.N == 0 {
		return ""
	}
	return fmt.Sprintf("no stage is to blame: after %s of %s opportunities no text came, %s", count(f.Censored.N), count(f.Censored.Of), mostOf(f.Censored.Why))
}

// leverOf says how short a stage would have to become.
func leverOf(r *budgets.Reason, stage string, f *ghost.Figures) string {
	for _, l := range r.Levers {
		if len(l.Stages) != 1 || l.Stages[0] != stage {
			continue
		}
		switch to := target(l); {
		case l.Enough && to != "":
			return fmt.Sprintf("; %s it would be inside", to)
		case l.Enough:
			return "; only without it would it be inside"
		default:
			more := ""
			if untold(f.Censored.Why) > 0 {
				more = " or more"
			}
			return fmt.Sprintf("; without it, and all else as it is, it would be %s%s", r.Judgement.Unit().Format(l.AtZero), more)
		}
	}
	return ""
}

// bestLever says what would bring the budget inside, which no stage breaks alone.
func bestLever(r *budgets.Reason, f *ghost.Figures) string {
	for _, l := range r.Levers {
		if !l.Enough {
			continue
		}
		which := ""
		if !slices.Contains(l.Stages, r.Stage) {
			which = "the smallest cut that is enough is of another stage: "
			if len(l.Stages) > 1 {
				which = "the smallest cut that is enough is of other stages: "
			}
		}
		if len(l.Stages) > 1 {
			return "; no stage breaks the budget alone; " + which + severalWords(l)
		}
		if to := target(l); to != "" {
			return fmt.Sprintf("; %s%s %s would keep it", which, l.Stages[0], to)
		}
		return fmt.Sprintf("; %sonly without %s would it be kept", which, l.Stages[0])
	}
	if n := untold(f.Censored.Why); n > 0 {
		return fmt.Sprintf("; no stage breaks the budget alone, and what brings it inside only another run tells: of %s opportunities without text the answer was discarded or held back, and a replay does not bring those back", count(n))
	}
	return "; no stage breaks the budget alone, and no cut of one stage, of two, or of the whole request would bring these very keys inside"
}

// severalWords says how far stages would have to shorten together.
func severalWords(l budgets.Lever) string {
	if l.Keep > 0 {
		return fmt.Sprintf("%s would keep it if each took %d %% of what it did", listed(l.Stages), l.Keep)
	}
	return fmt.Sprintf("only without %s would it be kept", listed(l.Stages))
}

// untold returns how many opportunities got no text for a reason that a replay does not undo: their
// answer was discarded in the editor, or held back.
func untold(why []ghost.Count) (n int) {
	for _, c := range why {
		if c.Name == ghost.Discarded || c.Name == ghost.HeldBack {
			n += c.N
		}
	}
	return n
}

// mostOf lists counts with their names.
func mostOf(all []ghost.Count) string {
	var words []string
	for _, c := range all {
		words = append(words, fmt.Sprintf("%s %s", count(c.N), strings.ReplaceAll(c.Name, "_", " ")))
	}
	return strings.Join(words, ", ")
}
