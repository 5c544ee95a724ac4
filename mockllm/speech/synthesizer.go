package speech

import (
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Speaking sets up a Synthesizer.
type Speaking struct {
	Rate    int
	Profile TTS
	// Rush is the user's factor on the pace of speech, such as OpenAI's speed; 0 is 1.
	Rush float64
	Seed uint64
	// Stream tells apart synthesizers of one seed, such as connections.
	Stream int
}

// Chunk is audio that a synthesizer has made.
type Chunk struct {
	Job    int           // from 0, as Speak returned it
	Length int           // in samples
	Start  time.Duration // of the samples in the job's audio
	// Characters are those that begin in this chunk, those that take no time at its
	// end or the text's included; times are in the job's audio.
	Characters []Character
	Text       []Character   // of the whole job
	Total      time.Duration // audio of the whole job
	Last       bool          // of the job

	voice *voice
}

// Samples makes the samples, which takes longer than the loop may stand still for when
// many speak: it may be called on any goroutine, once for each chunk of a job, in their
// order and one at a time.
func (c Chunk) Samples() []int16 { return c.voice.speak(c.Length) }

// usualChunk is how much audio is sent at once when nothing else is said.
const usualChunk = 100 * time.Millisecond

// Synthesizer behaves like a service that speaks texts as they are handed in. All its
// methods run on the loop, and so does tell. How much text a vendor gathers before it
// starts is its front's business: each Speak is spoken at once.
//
// The first chunk of a job comes FirstByte after Speak, though not before the job
// before has come and one chunk's time has passed; chunk k comes k times Chunk / Speed
// later.
type Synthesizer struct {
	loop   pipeline.Scheduler
	s      Speaking
	tell   func(Chunk)
	delays dist.Rand
	jobs   []*job // to do, the first one under way
	asked  int    // jobs so far
	next   pipeline.Timer
	free   time.Duration // instant from which on the next job can begin
}

// job is a text to be spoken.
type job struct {
	number int
	ready  time.Duration // instant of the first chunk, at the earliest
	begun  time.Duration // instant of the first chunk
	text   string
	voice  *voice // nil before it is the job's turn
	chunks int    // told
	made   int    // samples told
	told   int    // characters told
}

// NewSynthesizer returns an idle synthesizer. It panics when the rate is not one that
// package audio takes.
func NewSynthesizer(loop pipeline.Scheduler, s Speaking, tell func(Chunk)) *Synthesizer {
	if err := (audio.Format{Rate: s.Rate}).Validate(); err != nil {
		panic("speech: " + err.Error())
	}
	if s.Profile.Chunk <= 0 {
		s.Profile.Chunk = usualChunk
	}
	if s.Profile.Pace <= 0 {
		s.Profile.Pace = usualPace
	}
	if s.Rush > 0 {
		s.Profile.Pace *= s.Rush
	}
	return &Synthesizer{loop: loop, s: s, tell: tell, delays: dist.Stream(s.Seed, "speech/first bytes", s.Stream)}
}

// Speak speaks a text after what was handed in before, and returns its number, from 0.
// A text without anything to say makes one chunk without samples.
func (s *Synthesizer) Speak(text string) int {
	j := &job{
		number: s.asked,
		ready:  s.loop.Now() + s.s.Profile.FirstByte.Draw(&s.delays),
		text:   text,
	}
	s.asked++
	s.jobs = append(s.jobs, j)
	if len(s.jobs) == 1 {
		s.begin()
	}
	return j.number
}

// Busy reports whether chunks are still to come.
func (s *Synthesizer) Busy() bool { return len(s.jobs) > 0 }

// Clear drops all that has not been told: no chunk of a job before comes any more.
func (s *Synthesizer) Clear() {
	s.next.Stop()
	s.jobs, s.free = nil, 0
}

// Cancel drops what has not been told of one job, or does nothing when it is over.
func (s *Synthesizer) Cancel(number int) {
	for i, j := range s.jobs {
		if j.number != number {
			continue
		}
		s.jobs = append(s.jobs[:i], s.jobs[i+1:]...)
		if i == 0 {
			s.next.Stop()
			s.begin()
		}
		return
	}
}

// begin lets the first job begin, if there is one.
func (s *Synthesizer) begin() {
	if len(s.jobs) > 0 {
		j := s.jobs[0]
		j.voice = newVoice(j.text, s.s.Profile, s.s.Rate)
		j.begun = max(j.ready, s.free, s.loop.Now())
		s.next = s.loop.At(j.begun, pipeline.RankOutput, s.speak)
	}
}

// speak tells the next chunk of the first job.
func (s *Synthesizer) speak() {
	j := s.jobs[0]
	c := s.chunk(j)
	if c.Last {
		s.jobs = s.jobs[1:]
		s.free = s.loop.Now() + s.work(1)
		s.begin()
	} else {
		s.next = s.loop.At(j.begun+s.work(j.chunks), pipeline.RankOutput, s.speak)
	}
	s.tell(c)
}

// work returns how long n chunks take to make.
func (s *Synthesizer) work(n int) time.Duration {
	if s.s.Profile.Speed <= 0 {
		return 0
	}
	return time.Duration(float64(n) * float64(s.s.Profile.Chunk) / s.s.Profile.Speed)
}

// chunk makes the next chunk of a job.
func (s *Synthesizer) chunk(j *job) Chunk {
	v, rate := j.voice, s.s.Rate
	j.chunks++
	until := min(v.length, audio.Samples(time.Duration(j.chunks)*s.s.Profile.Chunk, rate))
	c := Chunk{
		Job: j.number, Length: until - j.made, Start: audio.Duration(j.made, rate),
		Text: v.characters, Total: audio.Duration(v.length, rate), Last: until == v.length, voice: v,
	}
	j.made = until
	end, from := audio.Duration(until, rate), j.told
	for j.told < len(v.characters) && (c.Last || v.characters[j.told].Start < end) {
		j.told++
	}
	c.Characters = v.characters[from:j.told]
	return c
}
