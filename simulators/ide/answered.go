package ide

import (
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Answered is an answer that came whole, whether anybody saw it or not, and though the editor
// gave it up meanwhile, beside the document that it was asked for. It shares the document's bytes and may be kept.
type Answered struct {
	Request int64
	Asked   document.Snapshot
	Will    string // the text that will really follow at the cursor, as far as it is known
	Text    string
	// Cut says that the answer would have gone on, but for the limit on its length.
	Cut bool
	// Stands says that the text is nonsense which stands for sound code that nobody wants: a
	// modelled answer that is not right.
	Stands bool
}

// atLimit are the words by which servers say that an answer met its limit: the finish_reason
// of OpenAI and of those who answer like it, and Ollama's done_reason; Anthropic's stop_reason;
// Gemini's finishReason; the reason of an incomplete answer in OpenAI's Responses. They stand
// in the vendors' references, as the packages below pipeline/wire have them.
var atLimit = []string{"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"}

// tell hands the answer of a request that has ended to whoever asked for that.
func (r *request) tell() {
	told := r.editor.sim.config.Answered
	if told == nil || r.warmUp || r.closed || r.Record.Outcome != pipeline.OK || !document.Visible(r.text) {
		return
	}
	own := r.text == r.answer.text // of the model: a real one says something else
	told(Answered{
		Request: r.Record.ID, Asked: r.asked, Will: r.truth, Text: r.text,
		Cut: slices.Contains(atLimit, r.Record.Finish) || own && r.answer.cut, Stands: own && !r.answer.right,
	})
}
