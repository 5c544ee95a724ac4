package spoken

import (
	"fmt"
	"time"
	"unicode/utf8"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
)

// Limits of what is worth saying of audio.
const (
	// A silence of so much before speech is worth cutting out.
	longLead = 100 * time.Millisecond
	// A player that has nothing for that long is heard to stumble.
	longStall = 20 * time.Millisecond
	// Audio of this length that comes in this share of the time to its end, which is this long
	// at least, was held back, or made as a whole.
	wholeLength, wholeShare, wholeWait = time.Second, 0.05, 300 * time.Millisecond
	// Speech of a European language has 10 to 20 characters a second; what lies outside of
	// these was made for another rate, or is no speech of the text.
	fewestCharacters, mostCharacters = 5., 40.
	// Fewer than this tell nothing of it.
	leastText = 20
)

func lead(s *heard.Session) time.Duration {
	sound, ok := s.Sound()
	if !ok {
		return pipeline.Unknown
	}
	return sound.Lead
}

// leads finds silence before speech, and speech that is all silence.
func leads(v *view) []finding.Finding {
	for _, s := range v.ok {
		if sound, ok := s.Sound(); ok && flagged(s, speak.FlagSilence) {
			return one(finding.Finding{
				ID: "silent", Severity: finding.Broken, Cost: pipeline.Unknown, Title: "the audio is silence from its beginning to its end",
				Evidence: []string{fmt.Sprintf("%s: %s of audio, no sample above -40 dBFS", v.which(s), ms(sound.Length))},
				Fix:      "check the voice and the format: samples that are read as another format are noise or silence",
			})
		}
	}
	s, silence := middle(v.all, lead)
	if s == nil || silence < longLead {
		return nil
	}
	sound, _ := s.Sound()
	return one(finding.Finding{
		ID: "leading_silence", Severity: finding.Slow, Cost: silence, Title: fmt.Sprintf("the speech begins with %s of silence", ms(silence)),
		Evidence: []string{fmt.Sprintf("%s: first sample %s, and a player that begins with it is heard %s", v.which(s), after(v, s, sound.First), after(v, s, sound.Voiced))},
		Fix:      "drop samples below -40 dBFS (328 of 32768) before you play the first; no setting of a vendor takes it away",
	})
}

// after says how long after Zero an instant was.
func after(v *view, s *heard.Session, at time.Duration) string {
	if v.Kind == heard.Converses {
		return beside(s, at)
	}
	return ms(s.Since(at)) + " after the text"
}

// made returns how long after it could begin audio came.
func made(s *heard.Session, at time.Duration) time.Duration {
	if s.Answered != nil {
		return pipeline.Since(s.Answered.ResponseCreated, at)
	}
	return s.Since(at)
}

// wholes finds audio that comes all at the end.
func wholes(v *view) []finding.Finding {
	for _, s := range v.ok {
		sound, ok := s.Sound()
		wait := made(s, sound.First)
		span := sound.Last - sound.First
		if !ok || sound.Length < wholeLength || wait < wholeWait || float64(span) > wholeShare*float64(wait+span) {
			return nil
		}
	}
	s, _ := middle(v.ok, lead)
	if s == nil {
		return nil
	}
	sound, _ := s.Sound()
	span := sound.Last - sound.First
	return one(finding.Finding{
		ID: "held_whole", Severity: finding.Slow, Cost: made(s, sound.First), Title: "the audio comes whole, when all of it is made",
		Evidence: []string{fmt.Sprintf("%s: %s of audio within %s, the first of it %s", v.which(s), ms(sound.Length), ms(span), after(v, s, sound.First))},
		Fix: "ask for the stream (the vendor's /stream or WebSocket) and for samples, response_format pcm or wav: some models make other formats as a whole; " +
			"a server of your own must flush after each piece, and a proxy before it must not buffer: nginx `proxy_buffering off;`, or the header `X-Accel-Buffering: no`",
	})
}

// underruns finds audio that comes too late for a player.
func underruns(v *view) []finding.Finding {
	stalled := func(s *heard.Session) time.Duration {
		sound, ok := s.Sound()
		if !ok {
			return pipeline.Unknown
		}
		return sound.Stalled
	}
	s, stall := middle(v.all, stalled)
	if s == nil || stall < longStall {
		return nil
	}
	sound, _ := s.Sound()
	took := sound.Last - sound.First
	f := finding.Finding{
		ID: "underruns", Severity: finding.Slow, Cost: stall, Title: "audio comes more slowly than it plays: a player runs dry",
		Evidence: []string{fmt.Sprintf("%s: %d waits of %s together in %s of audio, which took %s to come", v.which(s), sound.Underruns, ms(stall), ms(sound.Length), ms(took))},
		Fix:      fmt.Sprintf("a faster model or a nearer region; a player that first gathers %s never waits, at the price of so much latency", ms(stall)),
	}
	if sound.Length >= took {
		f.Title = "audio comes in clumps with gaps that a player hears"
	}
	return one(f)
}

// containers finds headers that are taken for audio.
func containers(v *view) []finding.Finding { return append(v.unasked(), v.early()...) }

// unasked finds headers before samples that should have none.
func (v *view) unasked() []finding.Finding {
	for _, s := range v.all {
		if flagged(s, speak.FlagHeader) {
			return one(finding.Finding{
				ID: "header_in_raw", Severity: finding.Misleading, Cost: pipeline.Unknown, Title: "raw samples were asked for, and a WAV header comes before them",
				Evidence: []string{fmt.Sprintf("%s: a player of raw samples plays it as a click", v.which(s))},
				Fix:      "skip 44 bytes and more up to the end of the chunk \"data\", or have the server leave it out",
			})
		}
	}
	return nil
}

// early finds headers that come before there is audio.
func (v *view) early() []finding.Finding {
	for _, s := range v.all {
		sound, ok := s.Sound()
		if !ok || len(s.Of(talk.KindHeader)) == 0 || sound.First-sound.FirstByte < longStall {
			continue
		}
		return one(finding.Finding{
			ID: "first_byte", Severity: finding.Note, Cost: pipeline.Unknown, Title: "the header comes before there is audio, which fools a clock that stops at the first byte",
			Evidence: []string{fmt.Sprintf("%s: first byte %s, first sample %s", v.which(s), after(v, s, sound.FirstByte), after(v, s, sound.First))},
			Fix:      "stop the clock at the first audible sample; compare with other tools only where both do",
		})
	}
	return nil
}

// rates finds samples that have another rate than was asked for, or that only another would
// make speech.
func rates(v *view) []finding.Finding {
	for _, s := range v.all {
		sound, ok := s.Sound()
		if !ok {
			continue
		}
		if got := other(v, s, sound.Rate); got != 0 {
			return one(finding.Finding{
				ID: "sample_rate", Severity: finding.Misleading, Cost: pipeline.Unknown, Title: fmt.Sprintf("%d samples a second were asked for, and %d come", v.asked(), got),
				Evidence: []string{fmt.Sprintf("%s: by its header or the server's own words; played as asked it is %.1f times as fast", v.which(s), float64(v.asked())/float64(got))},
				Fix:      "play it at the rate that comes, or resample it; ask for a rate that the server has",
			})
		}
		n := utf8.RuneCountInString(v.Text)
		// What has not ended can be too long already, and not too short.
		if each := float64(n) / sound.Length.Seconds(); n >= leastText && (each < fewestCharacters || each > mostCharacters && s.OK()) {
			title := "the audio is too long or too short for its text: its rate is another, or it says something else"
			if !s.OK() {
				title = "the audio has not ended, and is far too long for its text: it says something else, or does not end"
			}
			return one(finding.Finding{
				ID: "odd_length", Severity: finding.Misleading, Cost: pipeline.Unknown, Title: title,
				Evidence: []string{fmt.Sprintf("%s: %d characters in %s at %d samples a second, %.0f a second; speech has 10 to 20", v.which(s), n, ms(sound.Length), sound.Rate, each)},
				Fix:      "listen to it; check the sample rate and the encoding that the server really sends",
			})
		}
	}
	return nil
}

// noises finds samples that look like noise.
func noises(v *view) []finding.Finding {
	for _, s := range v.all {
		if sound, ok := s.Sound(); ok && s.Noisy() {
			return one(finding.Finding{
				ID: "noise", Severity: finding.Note, Cost: pipeline.Unknown, Title: "the audio looks like noise, louder than any of speech: its samples may be of another format",
				Evidence: []string{fmt.Sprintf("%s: of %s at %d samples a second, none has to do with the one before, near full scale", v.which(s), ms(sound.Length), sound.Rate)},
				Fix:      "listen to it; floats of 32 bits, samples of 24, and bytes that are swapped or off by one look like this when they are read as 16 bits",
			})
		}
	}
	return nil
}

// asked returns the rate that was asked for.
func (v *view) asked() int {
	if v.Rate == 0 && v.Recording != nil {
		return v.Recording.Rate
	}
	return v.Rate
}

// other returns the rate that comes, where it is not the one that was asked for.
func other(v *view, s *heard.Session, rate int) int {
	switch {
	case rate != v.asked():
		return rate
	case s.Promised != 0 && s.Promised != v.asked():
		return s.Promised
	}
	return 0
}
