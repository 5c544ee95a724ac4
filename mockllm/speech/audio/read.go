package audio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hajimehoshi/go-mp3"
	"github.com/mewkiz/flac"
)

// Longest is the longest audio that Read decodes: a file of a few bytes may stand for
// days of silence.
const Longest = 2 * time.Hour

// Read decodes a whole file: WAV (PCM of 8 to 32 bits, float, G.711), FLAC, MP3 or Ogg
// Opus, found out by its first bytes, into one channel, the mean of all, at the file's
// rate. The error says what the file is, when that is known, and what can be decoded.
func Read(file []byte) (c Clip, err error) {
	kind := sniff(file)
	defer func() {
		if recover() != nil { // decoders index past what a broken file has
			c, err = Clip{}, fmt.Errorf("broken %s file", kind)
		}
	}()
	switch kind {
	case "WAV", "Ogg":
		return readAll(file)
	case "FLAC":
		return readFLAC(file)
	case "MP3":
		return readMP3(file)
	case "":
		return Clip{}, errors.New("unknown audio file: want WAV, FLAC, MP3 or Ogg Opus")
	}
	return Clip{}, fmt.Errorf("%s cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus", kind)
}

func readAll(file []byte) (Clip, error) {
	var s Stream
	samples, err := s.Decode(nil, file)
	if err == nil && s.Rate() == 0 {
		err = errors.New("the file ends within its header")
	}
	if err != nil {
		return Clip{}, err
	}
	return Clip{s.Rate(), samples}, nil
}

func readFLAC(file []byte) (Clip, error) {
	s, err := flac.New(bytes.NewReader(file))
	if err != nil {
		return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
	}
	c := Clip{Rate: int(s.Info.SampleRate)}
	width, channels := int(s.Info.BitsPerSample), int(s.Info.NChannels)
	if err := (Format{Rate: c.Rate, Channels: channels}).Validate(); err != nil {
		return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
	}
	for c.Duration() <= Longest {
		frame, err := s.ParseNext()
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return Clip{}, fmt.Errorf("broken FLAC file: %w", err)
		}
		for i := range frame.Subframes[0].Samples {
			sum := 0
			for _, sub := range frame.Subframes {
				sum += int(sub.Samples[i])
			}
			c.Samples = append(c.Samples, toSixteen(sum/channels, width))
		}
	}
	return Clip{}, tooLong("FLAC")
}

// toSixteen takes a sample of another width to 16 bits.
func toSixteen(x, width int) int16 {
	if width > 16 {
		return int16(x >> (width - 16))
	}
	return int16(x << (16 - width))
}

func readMP3(file []byte) (Clip, error) {
	// Without Seek the library does not read the whole file in advance.
	m, err := mp3.NewDecoder(struct{ io.Reader }{bytes.NewReader(withoutID3(file))})
	if err != nil {
		return Clip{}, fmt.Errorf("broken MP3 file: %w", err)
	}
	c := Clip{Rate: m.SampleRate()}
	stereo := NewDecoder(Format{S16LE, c.Rate, 2}, Mix) // what the library makes of every file
	piece := make([]byte, 1<<14)
	for c.Duration() <= Longest {
		n, err := m.Read(piece)
		c.Samples, _ = stereo.Decode(c.Samples, piece[:n])
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return Clip{}, fmt.Errorf("broken MP3 file: %w", err)
		}
	}
	return Clip{}, tooLong("MP3")
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

func tooLong(kind string) error {
	return fmt.Errorf("the %s file is longer than %s", kind, Longest)
}
