package ide

// Question is a request to a model whose answers are stated.
type Question struct {
	User   int
	Class  string // of the step that asks
	Number int    // of that step, among the user's of its kind
	Truth  string // what will follow at the cursor
}

// Said is a stated answer.
type Said struct {
	Text string
	// Ends has, for each token of the answer, how many bytes of the text are there with it.
	// The last is all of the text; at least one.
	Ends []int
}

// said returns a stated answer.
func (a *answers) said(q *Question) answer {
	s := a.says(q)
	return answer{text: s.Text, tokens: len(s.Ends), right: true, ends: s.Ends}
}
