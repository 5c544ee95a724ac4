package audio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hajimehoshi/go-mp3"
	"github.com/mewkiz/flac"
)

// Longest and MostSamples are how much audio Read decodes, in time and in samples: a file of a
// few bytes may stand for days of silence. So many samples are 256 MB, and at 48 kHz 46
// minutes.
const (
	Longest     = 2 * time.Hour
	MostSamples = 1 << 27
)

// Read decodes a whole file: WAV (PCM of 8 to 32 bits, float, G.711), FLAC, MP3 or Ogg
// Opus, found out by its first bytes, into one channel, the mean of all, at the file's
// rate. The error says what the file is, when that is known, and what can be decoded; that
// of a file that is too long is TooLong.
func Read(file []byte) (c Clip, err error) { return ReadChannel(file, Mix) }

// ReadChannel decodes one channel of a file, from 0, or their Mix, as Read does. An MP3 has two
// in any case, and Ogg Opus one.
func ReadChannel(file []byte, channel int) (c Clip, err error) {
	kind := sniff(file)
	defer func() {
		if recover() != nil { // decoders index past what a broken file has
			c, err = Clip{}, fmt.Errorf("broken %s file", kind)
		}
	}()
	switch kind {
	case "WAV", "Ogg":
		return readAll(kind, file, channel, MostSamples)
	case "FLAC":
		return readFLAC(file, channel, MostSamples)
	case "MP3":
		return readMP3(file, channel, MostSamples)
	case "":
		if len(file) == 0 {
			return Clip{}, errors.New("the file is empty: want WAV, FLAC, MP3 or Ogg Opus")
		}
		return Clip{}, errors.New("unknown audio file: want WAV, FLAC, MP3 or Ogg Opus")
	}
	return Clip{}, fmt.Errorf("%s cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus", kind)
}

func noChannel(channel, channels int) error {
	return fmt.Errorf("there is no channel %d: the file has %d", channel, channels)
}

func readAll(kind string, file []byte, channel, most int) (c Clip, err error) {
	if kind == "Ogg" && channel > 0 {
		return Clip{}, noChannel(channel, 1)
	}
	s := Stream{only: channel + 1}
	for piece := range slices.Chunk(file, 1<<14) {
		if c.Samples, err = s.Decode(c.Samples, piece); err != nil {
			return Clip{}, err
		}
		if c.Rate = s.Rate(); c.exceeds(most) {
			return Clip{}, tooLong(kind, c.Rate, most)
		}
	}
	if c.Rate == 0 {
		return Clip{}, errors.New("the file ends within its header")
	}
	return c, nil
}

// Lacks returns how much more sound a file says that it holds, where that is known: of a WAV
// that was cut.
func Lacks(file []byte) time.Duration {
	var s Stream
	var samples []int16
	for piece := range slices.Chunk(file, 1<<14) {
		var err error
		if samples, err = s.Decode(samples[:0], piece); err != nil {
			return 0
		}
	}
	if w, ok := s.inner.(*wave); ok {
		return w.lacks()
	}
	return 0
}

// exceeds reports whether a clip is more than is decoded.
func (c Clip) exceeds(most int) bool {
	return len(c.Samples) > most || c.Rate > 0 && c.Duration() > Longest
}

func readFLAC(file []byte, channel, most int) (Clip, error) {
	s, err := flac.New(bytes.NewReader(file))
	if err != nil {
		return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
	}
	c := Clip{Rate: int(s.Info.SampleRate)}
	width, channels := int(s.Info.BitsPerSample), int(s.Info.NChannels)
	if err := (Format{Rate: c.Rate, Channels: channels}).Validate(); err != nil {
		return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
	}
	if channel >= channels {
		return Clip{}, noChannel(channel, channels)
	}
	for !c.exceeds(most) && s.Info.NSamples <= uint64(most) {
		frame, err := s.ParseNext()
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
		}
		heard := frame.Subframes
		if channel != Mix {
			heard = heard[channel : channel+1]
		}
		for i := range heard[0].Samples {
			sum := 0
			for _, sub := range heard {
				sum += int(sub.Samples[i])
			}
			c.Samples = append(c.Samples, toSixteen(sum/len(heard), width))
		}
	}
	return Clip{}, tooLong("FLAC", c.Rate, most)
}

// toSixteen takes a sample of another width to 16 bits.
func toSixteen(x, width int) int16 {
	if width > 16 {
		return int16(x >> (width - 16))
	}
	return int16(x << (16 - width))
}

func readMP3(file []byte, channel, most int) (Clip, error) {
	if channel > 1 {
		return Clip{}, noChannel(channel, 2)
	}
	// Without Seek the library does not read the whole file in advance.
	m, err := mp3.NewDecoder(struct{ io.Reader }{bytes.NewReader(withoutID3(file))})
	if err != nil {
		return Clip{}, fmt.Errorf("broken MP3 file: %w", err)
	}
	c := Clip{Rate: m.SampleRate()}
	stereo := NewDecoder(Format{S16LE, c.Rate, 2}, channel) // what the library makes of every file
	piece := make([]byte, 1<<14)
	for !c.exceeds(most) {
		n, err := m.Read(piece)
		c.Samples, _ = stereo.Decode(c.Samples, piece[:n])
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return Clip{}, fmt.Errorf("broken MP3 file: %w", err)
		}
	}
	return Clip{}, tooLong("MP3", c.Rate, most)
}

// withoutID3 returns what follows the ID3 tags that begin a file: 10 bytes each and as
// many as their last four say, 7 bits each. The library would make room for what a tag
// says, however large.
func withoutID3(file []byte) []byte {
	for len(file) >= 10 && string(file[:3]) == "ID3" {
		size := 10
		for i, b := range file[6:10] {
			size += int(b&0x7F) << (21 - 7*i)
		}
		file = file[min(size, len(file)):]
	}
	return file
}

// TooLong is the error of a file that is longer than is decoded.
type TooLong struct {
	Kind  string // of the file
	Rate  int    // of its samples
	Limit time.Duration
}

// Error implements error.
func (e TooLong) Error() string {
	return fmt.Sprintf("the %s file is longer than %s, the most that is decoded at %d Hz: want a shorter one, or a lower rate", e.Kind, e.Limit, e.Rate)
}

func tooLong(kind string, rate, most int) error {
	return TooLong{kind, rate, min(Longest, Duration(most, rate)).Round(time.Second)}
}
