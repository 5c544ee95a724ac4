package realtime

import (
	"encoding/base64"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/realtime"
)

// What a session takes at most. All of it is ours, and far more than the largest context
// of a model can hold, 32,768 tokens (developers.openai.com/blog/realtime-api, read
// 2026-11-29); of limits of the service's own nothing was found.
const (
	mostWords   = 256 << 10 // bytes of an event beside audio and images
	mostItems   = 10_000    // of a conversation
	mostContent = 32 << 20  // bytes of texts and images of a conversation
	mostReplies = 100       // under way at once, beside the conversation
)

// unpack decodes the audio of the items that an event brings: the Audio of a content then
// is the bytes themselves. It says what is wrong with them, or that the event of so many
// bytes has too many words. It runs off the loop.
func unpack(e *realtime.ClientEvent, bytes int) *refusal {
	words := bytes
	if e.Audio != nil {
		words -= len(*e.Audio)
	}
	var items []realtime.Item
	within := "response.input"
	switch {
	case e.Item != nil:
		items, within = []realtime.Item{*e.Item}, "item"
	case e.Response != nil && e.Response.Input != nil:
		items = *e.Response.Input
	}
	for _, it := range items {
		for i := range it.Content {
			c := &it.Content[i]
			words -= len(c.Audio) + len(c.ImageURL)
			b, err := base64.StdEncoding.DecodeString(c.Audio)
			if err != nil {
				return faulty("invalid_value", within+".content.audio", "Invalid '%s.content.audio'. Expected base64-encoded audio bytes, but got an invalid value: %v.", within, err)
			}
			c.Audio = string(b)
		}
	}
	if words > mostWords {
		return faulty("string_above_max_length", "", "Invalid event: its texts are too long. Expected an event with a maximum length of %d bytes beside audio and images, but got one with %d bytes instead.", mostWords, words)
	}
	return nil
}

// content returns how many bytes of texts and images an item has.
func (it *item) content() (sum int) {
	for _, c := range it.Content {
		sum += len(c.Text) + len(c.ImageURL)
	}
	for _, s := range []*string{it.Arguments, it.Output} {
		if s != nil {
			sum += len(*s)
		}
	}
	return sum
}

// fits says why the conversation cannot take another item.
func (t *session) fits(it *item) *refusal {
	sum := it.content()
	for _, other := range t.items {
		sum += other.content()
	}
	switch {
	case len(t.items) >= mostItems:
		return faulty("item_create_too_many_items", "", "Error creating item: the conversation has %d items, the most that this server keeps. Delete some first.", len(t.items))
	case sum > mostContent:
		return faulty("item_create_too_large", "", "Error creating item: with it the conversation would have %d bytes of texts and images, and this server keeps %d. Delete some items first.", sum, mostContent)
	}
	return nil
}

// tellItem tells of an item, which may be large: its JSON is made off the loop.
func (t *session) tellItem(message any, it *item) {
	t.Later(it.content(), func() []byte { return talk.JSON(message) })
}

// quoted returns what a message says of a client's words.
func quoted(args []any) []any {
	short := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			short[i] = talk.Quoted(a)
		case error:
			short[i] = talk.Quoted(a.Error())
		default:
			short[i] = a
		}
	}
	return short
}
