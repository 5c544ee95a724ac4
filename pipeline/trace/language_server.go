package trace

// LanguageServerProtocol is the Protocol of an Endpoint that is a language server; its URL is
// "stdio:" and the name of its program.
const LanguageServerProtocol = "lsp"

// LanguageServer counts what a language server did in a run, warm-up included. A server must
// answer a request that was cancelled: it does so late with a completion, with none, or as
// cancelled, unless it stays unanswered.
type LanguageServer struct {
	Requests int `json:"requests"` // for completions
	Cancels  int `json:"cancels"`  // of them that were given up
	Edits    int `json:"edits"`    // that it was told of

	LateAnswersToCancelled  int `json:"late_answers_to_cancelled"`
	EmptyAnswersToCancelled int `json:"empty_answers_to_cancelled"`
	CancelledAnswers        int `json:"cancelled_answers"`
	Unanswered              int `json:"unanswered"` // given up, and never answered

	// Answers to what nobody had given up, that are no completion that can be shown.
	Withdrawn       int `json:"withdrawn"` // as cancelled
	ContentModified int `json:"content_modified"`
	ServerCancelled int `json:"server_cancelled"`
	Failed          int `json:"failed"`
	Undisplayable   int `json:"undisplayable"`

	ProtocolErrors int    `json:"protocol_errors"` // messages that cannot be read, or that answer nothing
	ProtocolError  string `json:"protocol_error,omitempty"`
	Killed         bool   `json:"killed,omitempty"` // it did not end when it was told to
}
