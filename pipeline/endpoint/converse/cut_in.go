package converse

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/sound"
)

// cutIn is an answer that began before the user had finished: it answers less than was said.
// Models make sound faster than it plays, so that one may be complete within a pause; then the
// user speaks into what is left of it. The client plays it until the server hears that, or
// gives it up, as clients should.
type cutIn struct {
	meter *sound.Meter
	until time.Duration // nothing of it was played after that; Unknown is to its end
}

// heard reports whether a sound of it was.
func (x *cutIn) heard() bool {
	return x.meter.Audible() && (x.until == pipeline.Unknown || x.meter.Voiced < x.until)
}

// played returns how much of it was.
func (x *cutIn) played() time.Duration {
	m := x.meter
	if m.FirstAudio == pipeline.Unknown || x.until == pipeline.Unknown {
		return m.Length()
	}
	return min(m.Length(), max(0, x.until-m.FirstAudio-m.Stalled))
}

// early reports whether the answer began before the user had finished.
func (f *flight) early() bool {
	began := f.record().ResponseCreated
	return began != pipeline.Unknown && began < f.speechEnd
}

// none takes what was thought to be the answer for a cut-in.
func (f *flight) none() {
	f.cutIns = append(f.cutIns, cutIn{f.meter, f.hushed})
	f.forget()
}

// mayBeNone does so with an answer that began too early when the turn is over.
func (f *flight) mayBeNone() {
	if f.answer != "" && f.early() && !f.over {
		f.none()
	}
}

// forget has no answer begun.
func (f *flight) forget() {
	r := f.record()
	f.answer, f.item, f.hushed, f.meter = "", "", pipeline.Unknown, sound.NewMeter(f.meter.Format)
	f.call.line.Answering(false)
	r.ResponseCreated, r.FirstOutput, r.Text = pipeline.Unknown, pipeline.Unknown, ""
}

// fallSilent has what is played of cut-ins end, and of one that is still thought to be the answer.
func (f *flight) fallSilent(at time.Duration) {
	if f.answer != "" && f.early() {
		set(&f.hushed, at)
	}
	for i := range f.cutIns {
		set(&f.cutIns[i].until, at)
	}
}

// tellCutIns has the record say how often the model cut in, once all of the turn was spoken.
func (f *flight) tellCutIns() {
	r := f.record()
	if len(f.cutIns) == 0 && (f.speechEnd == pipeline.Unknown || r.End < f.speechEnd) {
		return
	}
	r.CutIns, r.CutInPlayed, r.CutInDropped = len(f.cutIns), 0, 0
	for i := range f.cutIns {
		x := &f.cutIns[i]
		if x.heard() {
			set(&r.FirstCutIn, x.meter.Voiced)
		}
		r.CutInPlayed += x.played()
		r.CutInDropped += x.meter.Length() - x.played()
	}
}
