package audio

// Mix is the channel that is the mean of all channels.
const Mix = -1

// Decoder turns raw bytes of a format into samples of one channel. The bytes may be cut
// anywhere: what is left of a sample waits for the rest. It is for one goroutine.
type Decoder struct {
	format  Format
	channel int
	part    []byte // less than a frame
}

// NewDecoder returns a decoder of one channel, from 0, or of their Mix. It panics when
// the format is not valid or has no such channel.
func NewDecoder(f Format, channel int) *Decoder {
	f.Channels = max(1, f.Channels)
	if err := f.Validate(); err != nil {
		panic("audio: " + err.Error())
	}
	if channel < Mix || channel >= f.Channels {
		panic("audio: no such channel")
	}
	return &Decoder{format: f, channel: channel}
}

// Rate returns the rate of the samples.
func (d *Decoder) Rate() int { return d.format.Rate }

// Decode appends the samples that b completes to dst. The error is always nil; it is
// there so that a Decoder, a Stream and Packets can stand for each other.
func (d *Decoder) Decode(dst []int16, b []byte) ([]int16, error) {
	size := d.format.Frame()
	if len(d.part) > 0 {
		n := min(size-len(d.part), len(b))
		d.part, b = append(d.part, b[:n]...), b[n:]
		if len(d.part) < size {
			return dst, nil
		}
		dst = append(dst, d.sample(d.part))
		d.part = d.part[:0]
	}
	for ; len(b) >= size; b = b[size:] {
		dst = append(dst, d.sample(b))
	}
	d.part = append(d.part, b...)
	return dst, nil
}

// sample returns the channel's sample of the frame that begins b.
func (d *Decoder) sample(b []byte) int16 {
	e := d.format.Encoding
	if d.format.Channels == 1 {
		return decode(b, e)
	}
	if d.channel != Mix {
		return decode(b[d.channel*e.Size():], e)
	}
	sum := 0
	for c := range d.format.Channels {
		sum += int(decode(b[c*e.Size():], e))
	}
	return int16(sum / d.format.Channels)
}
