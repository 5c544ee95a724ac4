package utterance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/sound"
)

// CutShort reports whether a file of audio ends before it should, and how much sound it lacks,
// where that is known: by the length in the header of a WAV or a FLAC. An MP3 was cut that ends
// within a frame, and an Ogg that ends within a page or without its last one.
func CutShort(file []byte, clip audio.Clip) (lacks time.Duration, isCut bool) {
	switch {
	case isFLAC(file):
		n := max(0, flacSamples(file)-len(clip.Samples))
		return pipeline.SamplesLast(int64(n), clip.Rate), n > 0
	case bytes.HasPrefix(file, []byte("OggS")):
		return 0, oggCut(file)
	case bytes.HasPrefix(file, []byte("RIFF")):
		lacks = audio.Lacks(file)
	default:
		return 0, mp3Cut(file)
	}
	return lacks, lacks > 0
}

// CutError is the error of a file that ends before it should.
type CutError struct{ Lacks time.Duration } // how much sound it lacks; 0 where nobody knows

// Error implements error.
func (e CutError) Error() string {
	lacks := ""
	if e.Lacks > 0 {
		lacks = fmt.Sprintf(": its header says that it goes on for %s", e.Lacks.Round(time.Millisecond))
	}
	return "the file was cut" + lacks + "; want all of it, since the end of speech is what is timed (or write what there is as a file of its own)"
}

// LeastLack is how much sound a file may lack and pass for whole: writers are wrong by a few
// samples.
const LeastLack = 20 * time.Millisecond

// Whole returns a CutError of a file that ends before it should.
func Whole(file []byte, clip audio.Clip) error {
	if lacks, isCut := CutShort(file, clip); isCut && (lacks == 0 || lacks >= LeastLack) {
		return CutError{lacks}
	}
	return nil
}

// CutBroken reports whether a file that cannot be read was cut: of a FLAC, of which nothing but
// its samples tells, whether reading it met its end.
func CutBroken(file []byte, err error) bool {
	if isFLAC(file) {
		return errors.Is(err, io.ErrUnexpectedEOF)
	}
	_, isCut := CutShort(file, audio.Clip{})
	return isCut
}

func isFLAC(file []byte) bool { return bytes.HasPrefix(file, []byte("fLaC")) }

// flacSamples returns the samples of one channel that a FLAC says it has, 0 when it does not: 36
// bits of the STREAMINFO, which comes first (RFC 9639, section 8.2).
func flacSamples(file []byte) int {
	const at = 4 + 4 + 13
	if len(file) < at+5 {
		return 0
	}
	return int(file[at]&15)<<32 | int(binary.BigEndian.Uint32(file[at+1:]))
}

// oggCut looks at the pages of an Ogg: 27 bytes, of which the sixth says with its bit 4 that it is the
// last, a length for each segment, and the segments (RFC 3533, section 6).
func oggCut(file []byte) bool {
	last := false
	for len(file) > 0 {
		if len(file) < 27 || len(file) < 27+int(file[26]) {
			return true
		}
		n := 27 + int(file[26])
		for _, segment := range file[27:n] {
			n += int(segment)
		}
		if len(file) < n {
			return true
		}
		last, file = file[5]&4 != 0, file[n:]
	}
	return !last
}

// mp3Cut looks at the frames of an MP3 behind its tags. What follows them that is no frame is
// another tag.
func mp3Cut(file []byte) bool {
	for len(file) >= 10 && string(file[:3]) == "ID3" {
		size := 10
		for i, b := range file[6:10] {
			size += int(b&0x7f) << (21 - 7*i)
		}
		file = file[min(size, len(file)):]
	}
	for {
		n := sound.MP3Frame(file)
		if n == 0 {
			return false
		}
		if n > len(file) {
			return true
		}
		file = file[n:]
	}
}
