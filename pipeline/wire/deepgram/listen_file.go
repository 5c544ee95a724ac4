package deepgram

// ListenSource is the body of POST /v1/listen that names a file instead of holding one.
type ListenSource struct {
	URL string `json:"url"`
}

// ListenFile is the answer to POST /v1/listen.
type ListenFile struct {
	Metadata Metadata    `json:"metadata"`
	Results  FileResults `json:"results"`
}

// FileResults is what was heard in a file.
type FileResults struct {
	Channels   []FileChannel `json:"channels"`
	Utterances []Utterance   `json:"utterances,omitempty"`
}

// FileChannel is what was heard in one channel.
type FileChannel struct {
	Alternatives     []Alternative `json:"alternatives"`
	DetectedLanguage string        `json:"detected_language,omitempty"`
}

// Utterance is speech between two pauses.
type Utterance struct {
	Start      float64 `json:"start"`
	End        float64 `json:"end"`
	Confidence float64 `json:"confidence"`
	Channel    int     `json:"channel"`
	Transcript string  `json:"transcript"`
	Words      []Word  `json:"words"`
	ID         string  `json:"id"`
}

// Paragraphs is a transcript in paragraphs.
type Paragraphs struct {
	Transcript string      `json:"transcript"`
	Paragraphs []Paragraph `json:"paragraphs"`
}

// Paragraph is one of them.
type Paragraph struct {
	Sentences []Sentence `json:"sentences"`
	NumWords  int        `json:"num_words"`
	Start     float64    `json:"start"`
	End       float64    `json:"end"`
}

// Sentence is a sentence of a paragraph.
type Sentence struct {
	Text  string  `json:"text"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}
