package ghost

import "halfsecond/pipeline"

// Waste is the tokens that were computed, and those of requests whose answer was not useful on
// arrival, or is known to be wrong.
type Waste struct {
	Useful                     int // answers
	Prompt, Output             int // evaluated and generated, of all requests
	WastedPrompt, WastedOutput int
	WrongPrompt, WrongOutput   int // of the wasted ones: of answers that were useful on arrival, and wrong
	Estimated                  int // of the wasted ones: nobody counted them
	Unknown                    int // requests of which not even an estimate is known
	Known                      int // all others
}

// PerUseful returns how many of some tokens there are for each useful answer; ok is false where
// there is none, or nothing is known of any request.
func (w Waste) PerUseful(tokens int) (each float64, ok bool) {
	if w.Useful == 0 || w.Known == 0 {
		return 0, false
	}
	return float64(tokens) / float64(w.Useful), true
}

// Waste counts tokens.
func (r *Run) Waste() Waste {
	return r.WasteOf(func(q *Request) bool { return !q.Useful || q.Wrong() })
}

// WasteOf counts tokens, where those of some requests are wasted.
func (r *Run) WasteOf(wasted func(q *Request) bool) (w Waste) {
	for i := range r.Requests {
		q := &r.Requests[i]
		if q.Useful {
			w.Useful++
		}
		prompt, output, estimated, ok := q.Work()
		if !ok {
			w.Unknown++
			continue
		}
		w.Known++
		w.Prompt, w.Output = w.Prompt+prompt, w.Output+output
		if !wasted(q) {
			continue
		}
		if q.Useful {
			w.WrongPrompt, w.WrongOutput = w.WrongPrompt+prompt, w.WrongOutput+output
		}
		w.WastedPrompt, w.WastedOutput, w.Estimated = w.WastedPrompt+prompt, w.WastedOutput+output, w.Estimated+estimated
	}
	return w
}

// Work returns the tokens of the prompt that a server evaluated for a request, those in its
// cache aside, and those of the answer; estimated of them nobody counted. ok is false where
// nothing is known.
func (q *Request) Work() (prompt, output, estimated int, ok bool) {
	if q.Closed != pipeline.Unknown && q.AtEnd.Prompt >= 0 {
		return q.AtEnd.Prompt, max(0, q.AtEnd.Output), 0, true
	}
	prompt, output, estimated, ok = q.Tokens()
	if q.Simulated && q.Scheduled == pipeline.Unknown && q.FirstOutput == pipeline.Unknown {
		return 0, max(0, output), 0, true // nobody worked on it
	}
	prompt = max(0, prompt-max(0, q.CachedTokens))
	if q.Closed != pipeline.Unknown && q.FirstOutput == pipeline.Unknown && q.PromptTokens != pipeline.UnknownCount {
		estimated += prompt // it may have been closed before all of it was computed
	}
	return prompt, max(0, output), max(0, estimated), ok
}
