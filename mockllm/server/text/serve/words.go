package serve

import "halfsecond/mockllm/token"

// words are a text and where each of its tokens ends in it, the last at its end.
type words struct {
	text string
	ends []int
}

// tokenized returns a text as the mock's tokenizer has it.
func tokenized(text string) words {
	w := words{text: text}
	for at := 0; at < len(text); {
		at += token.Next(text[at:])
		w.ends = append(w.ends, at)
	}
	return w
}

// pad makes them at least so many tokens long.
func (w words) pad(least int, seed uint64) words {
	missing := least - len(w.ends)
	if missing <= 0 {
		return w
	}
	more := tokenized(" " + token.Passage{{ID: token.Name(seed, "server/padding"), N: missing}}.Text())
	ends := append([]int(nil), w.ends...)
	for _, end := range more.ends {
		ends = append(ends, len(w.text)+end)
	}
	return words{w.text + more.text, ends}
}
