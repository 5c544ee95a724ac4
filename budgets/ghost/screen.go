package ghost

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// Sight is a stretch in which a suggestion was on a person's screen.
type Sight struct {
	Session  int
	From, To time.Duration // To is Unknown when it was still there
	Again    bool          // it stood there before, and a step hid it
	By       string        // the mark that tells what hid it; "" when it was still there
}

// Until returns when it was gone, or when the run ended.
func (s *Sight) Until(end time.Duration) time.Duration {
	if s.To == pipeline.Unknown {
		return end
	}
	return s.To
}

// hides reports whether a mark tells of a suggestion that is gone.
func hides(mark string) bool {
	switch mark {
	case pipeline.MarkHiddenByKey, pipeline.MarkHiddenByStep, pipeline.MarkHiddenByPopup, pipeline.MarkReplaced, pipeline.MarkAccepted:
		return true
	}
	return false
}

// Sights returns what was seen, person by person in the order of time. A suggestion that a step
// hid and that is there again at the same instant never was away: it is one.
func (r *Run) Sights() (all []Sight) {
	for _, t := range slices.Concat(r.Keys, r.Steps) {
		open := -1
		for _, m := range t.Marks {
			switch {
			case m.Name == pipeline.MarkShown || m.Name == pipeline.MarkShownAgain:
				open = len(all)
				all = append(all, Sight{Session: t.Session, From: m.At, To: pipeline.Unknown, Again: m.Name == pipeline.MarkShownAgain})
			case hides(m.Name) && open >= 0:
				all[open].To, all[open].By = m.At, m.Name
				open = -1
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.From, b.From))
	})
	return unbroken(all)
}

// unbroken puts stretches together between which nothing was away.
func unbroken(all []Sight) (whole []Sight) {
	for _, s := range all {
		if n := len(whole); n > 0 && s.Again && whole[n-1].Session == s.Session && whole[n-1].To == s.From {
			whole[n-1].To, whole[n-1].By = s.To, s.By
			continue
		}
		whole = append(whole, s)
	}
	return whole
}

// Seen is what people saw.
type Seen struct {
	Suggestions int   // that appeared
	Shown       int   // those that were there for the least visible time or more
	Flashes     int   // those that were gone before, and not accepted
	Flickers    int   // what went on with a suggestion that a step had hidden
	Visible     Times // how long each was there
	Accepted    int   // suggestions
	Saved       int   // characters of those
	// Blank is the time from when a key hid a suggestion until one was there again; Flickering
	// is that part of it after which the same text was there again.
	Blank, Flickering Times
}

// Seen tells what people saw.
func (r *Run) Seen() (s Seen) {
	sights, hidden := r.Sights(), pipeline.Unknown
	for i := range sights {
		x := &sights[i]
		if i > 0 && sights[i-1].Session != x.Session {
			hidden = pipeline.Unknown
		}
		s.sight(x, x.Until(r.Options.End)-x.From, r.Options.LeastVisible)
		if hidden != pipeline.Unknown && x.From > hidden {
			s.Blank = append(s.Blank, x.From-hidden)
			if x.Again {
				s.Flickering = append(s.Flickering, x.From-hidden)
			}
		}
		hidden = pipeline.Unknown
		if x.By == pipeline.MarkHiddenByKey {
			hidden = x.To
		}
	}
	for _, times := range []*Times{&s.Visible, &s.Blank, &s.Flickering} {
		*times = timesOf(*times)
	}
	for _, t := range slices.Concat(r.Keys, r.Steps) {
		if n := number(t, pipeline.FactSaved); n > 0 {
			s.Accepted, s.Saved = s.Accepted+1, s.Saved+n
		}
	}
	return s
}

// sight counts one that was there for so long.
func (s *Seen) sight(x *Sight, visible, least time.Duration) {
	s.Suggestions++
	s.Visible = append(s.Visible, visible)
	switch {
	case visible >= least:
		s.Shown++
	case x.To != pipeline.Unknown && x.By != pipeline.MarkAccepted:
		s.Flashes++
	}
	if x.Again {
		s.Flickers++
	}
}
