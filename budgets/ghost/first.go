package ghost

import (
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// First is how soon text was there after keys.
type First struct {
	Character Times // first character that can be shown - the key
	Line      Times // first whole line
	Last      Times // all of the answer
}

// firstOf returns the times of keys.
func firstOf(keys []*pipeline.Trace) First {
	times := func(mark string) Times {
		var all []time.Duration
		for _, t := range keys {
			all = append(all, reached(t, mark))
		}
		return timesOf(all)
	}
	return First{times(pipeline.MarkFirstCharacter), times(pipeline.MarkFirstLine), times(pipeline.MarkLastCharacter)}
}

// Sources are where text of a key can come from, in the order of reports.
var Sources = []string{pipeline.SourceReuse, pipeline.SourceCache, pipeline.SourceJoined, pipeline.SourceNetwork, pipeline.SourceSpeculation}

// BySource is the keys whose first text came from one source.
type BySource struct {
	Source string
	Keys   int
	First  First
}

// BySource tells keys apart by where their first text came from; sources of none are left out.
func (r *Run) BySource() (all []BySource) {
	for _, source := range Sources {
		keys := slices.Clone(r.Keys)
		keys = slices.DeleteFunc(keys, func(t *pipeline.Trace) bool {
			return t.Fact(pipeline.FactSource) != source || Landed(t) == pipeline.Unknown
		})
		if len(keys) > 0 {
			all = append(all, BySource{source, len(keys), firstOf(keys)})
		}
	}
	return all
}

// Opportunities returns the keys after which the plugin's own rules would ask.
func (r *Run) Opportunities() (keys []*pipeline.Trace) {
	for _, t := range r.Keys {
		if Opportunity(t) {
			keys = append(keys, t)
		}
	}
	return keys
}

// Why the text of an opportunity never came.
const (
	TypedOn    = "typed_on"        // an answer came, and did not fit any more
	Cancelled  = "cancelled"       // its request was closed before there was text
	Discarded  = "discarded"       // its request was given up in the editor alone before there was text
	HeldBack   = "held"            // text was there in time, its own or another's, and was held back for too long
	NotAsked   = "not_asked"       // a rule of the plugin kept it from asking to the end
	Refused    = "refused"         // the server would not take it
	Failed     = "failed"          // the request ended with an error, or broke off
	AtLimit    = "tester_limit"    // the tester never let the request go, or a time limit of the tester's passed
	Nothing    = "empty"           // the answer has nothing to see
	NoPlace    = "not_displayable" // the answer is right, and cannot be shown where it stands
	Unanswered = "unanswered"      // nothing had come when the run ended
)

// Censored are the opportunities whose text never came: their times are longer than any limit,
// not missing.
type Censored struct {
	Share
	Why []Count
}

// Censored tells why text never came.
func (r *Run) Censored() (c Censored) {
	why := counts{}
	for _, t := range r.Opportunities() {
		if c.Of++; Landed(t) == pipeline.Unknown {
			c.N++
			why[whyNot(t)]++
		}
	}
	c.Why = why.most()
	return c
}

// whyNot tells why the text of a key never came.
func whyNot(t *pipeline.Trace) string {
	switch v := Verdict(t); {
	case t.Outcome == pipeline.Refused:
		return Refused
	case t.Outcome == pipeline.Dropped || t.Outcome == pipeline.Timeout:
		return AtLimit
	case t.Outcome != pipeline.OK:
		return Failed
	case v == document.Empty:
		return Nothing
	case v == document.NotDisplayable:
		return NoPlace
	case v == document.Diverged || v == document.Moved || v == document.Undone || v == document.UsedUp:
		return TypedOn
	case v == document.Exact || v == document.TypedThrough || t.Fact(pipeline.FactHeld) == pipeline.HeldByHold:
		return HeldBack
	case t.Fact(pipeline.FactGivenUp) == pipeline.Discarded:
		return Discarded
	case t.Fact(pipeline.FactGivenUp) != "":
		return Cancelled
	case len(t.Requests) == 0:
		return NotAsked
	}
	if t.Requests[len(t.Requests)-1].Outcome == pipeline.Cancelled {
		return Cancelled
	}
	return Unanswered
}
