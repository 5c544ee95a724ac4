package realtime

import "encoding/json"

// Types of an Item.
const (
	Message      = "message"
	FunctionCall = "function_call"
	CallOutput   = "function_call_output"
	Reference    = "item_reference" // of a response.create
)

// Roles of a Message.
const (
	User      = "user"
	Assistant = "assistant"
	System    = "system"
)

// Statuses of items and responses.
const (
	InProgress = "in_progress"
	Completed  = "completed"
	Incomplete = "incomplete"
	Cancelled  = "cancelled"
	Failed     = "failed"
)

// Item is a part of a conversation.
type Item struct {
	ID        string    `json:"id,omitempty"`
	Object    string    `json:"object,omitempty"` // ItemObject, in the beta
	Type      string    `json:"type"`
	Status    string    `json:"status,omitempty"`
	Role      string    `json:"role,omitempty"`   // of a Message
	Content   []Content `json:"content,omitzero"` // of a Message; nil is none
	CallID    string    `json:"call_id,omitempty"`
	Name      string    `json:"name,omitempty"`      // of a FunctionCall
	Arguments *string   `json:"arguments,omitempty"` // of a FunctionCall: JSON
	Output    *string   `json:"output,omitempty"`    // of a CallOutput
}

// ItemObject is what an Item is in the beta.
const ItemObject = "realtime.item"

// Types of a Content, and the names of the beta for the last two. Parts of a response
// are Audio or Text in both.
const (
	InputText   = "input_text"
	InputAudio  = "input_audio"
	InputImage  = "input_image"
	OutputText  = "output_text"
	OutputAudio = "output_audio"
	BetaText    = "text"
	BetaAudio   = "audio"
)

// Content is a part of a message.
type Content struct {
	Type       string
	Text       string
	Audio      string  // base64
	Transcript *string // nil is not known
	ImageURL   string
}

// content is the JSON form of a Content.
type content struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	Audio    string  `json:"audio,omitempty"`
	ImageURL string  `json:"image_url,omitempty"`
	spoken
}

// spoken is shown with its null.
type spoken struct {
	Transcript json.RawMessage `json:"transcript,omitempty"`
}

// MarshalJSON writes what the type has: audio has a transcript, which may be null.
func (c Content) MarshalJSON() ([]byte, error) {
	f := content{Type: c.Type, Audio: c.Audio, ImageURL: c.ImageURL}
	switch c.Type {
	case InputAudio, OutputAudio, BetaAudio:
		t, err := json.Marshal(c.Transcript)
		if err != nil {
			return nil, err
		}
		f.Transcript = t
	case InputImage:
	default:
		f.Text = &c.Text
	}
	return json.Marshal(f)
}

// UnmarshalJSON takes every type.
func (c *Content) UnmarshalJSON(b []byte) error {
	var f content
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*c = Content{Type: f.Type, Audio: f.Audio, ImageURL: f.ImageURL}
	set(&c.Text, f.Text)
	if f.Transcript == nil {
		return nil
	}
	return json.Unmarshal(f.Transcript, &c.Transcript)
}
