package trace

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// appendGaps appends the gaps between the chunks of a request, where there are any.
func appendGaps(b []byte, r *pipeline.Request) []byte {
	for i, g := range r.Gaps {
		b = append(b, open(i, `,"gaps":[`)...)
		b = appendNanos(append(b, '['), g.For)
		b = append(strconv.AppendInt(append(b, ','), int64(g.N), 10), ']')
	}
	return appendSpan(shut(b, len(r.Gaps)), `,"longest_gap_ns":`, r.LongestGap)
}

// wireGaps are gaps as pairs of a length and how often it was seen.
type wireGaps pipeline.Gaps

func (w *wireGaps) UnmarshalJSON(b []byte) error {
	var pairs [][]int64
	if err := json.Unmarshal(b, &pairs); err != nil {
		return err
	}
	*w = nil
	before := int64(-1)
	for _, p := range pairs {
		if len(p) != 2 || p[0] <= before || p[1] < 1 || p[1] > mostGaps {
			return errors.New("gaps: want pairs of a length in ns, ascending, and how often it was seen")
		}
		before = p[0]
		*w = append(*w, pipeline.Gap{For: time.Duration(p[0]), N: int(p[1])})
	}
	return nil
}

// mostGaps is more than any answer has, so that a file cannot make a reader count for ever.
const mostGaps = 1 << 24
