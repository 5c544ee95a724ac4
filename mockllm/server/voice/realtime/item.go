package realtime

import (
	"encoding/base64"
	"slices"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire/realtime"
)

// item is an item of a conversation, with the names of today.
type item struct {
	realtime.Item
	heard  []string      // finals of its audio so far
	start  time.Duration // of its audio in all that was written
	length time.Duration // of its audio
	format audio.Format  // of its audio
	audio  []byte        // as far as it is kept
	mass   mass
}

// Tokens of audio are spans of time (developers.openai.com, "Managing costs" of the
// Realtime API, read 2026-11-29).
const (
	userToken      = 100 * time.Millisecond
	assistantToken = 50 * time.Millisecond
)

// longestID is the longest id that a client may give an item.
const longestID = 32

// userAudio returns an item for what the user says.
func (t *session) userAudio() *item {
	return &item{Item: realtime.Item{
		ID: t.service.NewID("item_"), Type: realtime.Message, Status: realtime.Completed, Role: realtime.User,
		Content: []realtime.Content{{Type: realtime.InputAudio}},
	}}
}

// store keeps the audio of an item, unless too much is kept already.
func (t *session) store(it *item, b []byte) {
	if b = last(b, keptAudio); t.stored()+len(b) <= mostStorage {
		it.audio = b
	}
}

// stored returns how many bytes of audio the conversation keeps.
func (t *session) stored() (sum int) {
	for _, it := range t.items {
		sum += len(it.audio)
	}
	return sum
}

// place puts an item at a place of the conversation, and returns the id of the one
// before it, or nil.
func (t *session) place(at int, it *item) (before *string) {
	it.mass.id = it.ID
	t.items = slices.Insert(t.items, at, it)
	if at == 0 {
		return nil
	}
	return &t.items[at-1].ID
}

// announce tells of an item that is whole.
func (t *session) announce(it *item, before *string) {
	t.tellItem(realtime.ItemEvent{Head: t.head(realtime.EventItemAdded), PreviousItemID: before, Item: t.item(it)}, it)
	t.itemDone(it, before)
}

// itemDone tells that an item is whole, which the beta does not tell.
func (t *session) itemDone(it *item, before *string) {
	if !t.beta {
		t.tellItem(realtime.ItemEvent{Head: t.head(realtime.EventItemDone), PreviousItemID: before, Item: t.item(it)}, it)
	}
}

// item returns an item as the client knows it, without its audio.
func (t *session) item(it *item) realtime.Item {
	shown := it.Item
	shown.Content = slices.Clone(it.Content)
	if !t.beta {
		return shown
	}
	shown.Object = realtime.ItemObject
	for i := range shown.Content {
		switch c := &shown.Content[i]; c.Type {
		case realtime.OutputText:
			c.Type = realtime.BetaText
		case realtime.OutputAudio:
			c.Type = realtime.BetaAudio
		}
	}
	return shown
}

// find returns the place of an item, or -1.
func (t *session) find(id string) int {
	return slices.IndexFunc(t.items, func(it *item) bool { return it.ID == id })
}

// create handles conversation.item.create.
func (t *session) create(e *realtime.ClientEvent) *refusal {
	it, fault := t.made(e.Item, "item")
	if fault != nil {
		return fault
	}
	at := len(t.items)
	switch {
	case e.PreviousItemID == nil:
	case *e.PreviousItemID == realtime.Root:
		at = 0
	default:
		if at = t.find(*e.PreviousItemID) + 1; at == 0 {
			return faulty("item_create_invalid_previous_item_id", "previous_item_id", "Error creating item: the previous item with id '%s' does not exist.", *e.PreviousItemID)
		}
	}
	if t.find(it.ID) >= 0 {
		return faulty("item_create_duplicate_item_id", "item.id", "Error creating item: an item with id '%s' already exists.", it.ID)
	}
	if fault := t.fits(it); fault != nil {
		return fault
	}
	t.announce(it, t.place(at, it))
	return nil
}

// made returns an item that a client describes, or what is wrong with it; within is the
// name of what describes it.
func (t *session) made(from *realtime.Item, within string) (*item, *refusal) {
	if from == nil {
		return nil, missing(within)
	}
	it := &item{Item: *from}
	it.Content = slices.Clone(from.Content)
	if it.ID == "" {
		it.ID = t.service.NewID("item_")
	}
	it.Object, it.Status = "", realtime.Completed
	if len(it.ID) > longestID {
		return nil, faulty("string_above_max_length", within+".id", "Invalid '%s.id': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", within, longestID, len(it.ID))
	}
	check := t.checkMessage
	switch it.Type {
	case "":
		return nil, missing(within + ".type")
	case realtime.Message:
	case realtime.FunctionCall:
		check = t.checkCall
	case realtime.CallOutput:
		check = t.checkOutput
	default:
		return nil, notOneOf(within+".type", it.Type, realtime.Message, realtime.FunctionCall, realtime.CallOutput)
	}
	if fault := check(it, within); fault != nil {
		return nil, fault
	}
	it.mass.id = it.ID
	return it, nil
}

func (t *session) checkCall(it *item, within string) *refusal {
	switch {
	case it.Name == "":
		return missing(within + ".name")
	case it.Arguments == nil:
		return missing(within + ".arguments")
	}
	if it.CallID == "" {
		it.CallID = t.service.NewID("call_")
	}
	it.mass.text = token.Count(it.Name + " " + *it.Arguments)
	return nil
}

func (t *session) checkOutput(it *item, within string) *refusal {
	switch {
	case it.CallID == "":
		return missing(within + ".call_id")
	case it.Output == nil:
		return missing(within + ".output")
	case !slices.ContainsFunc(t.items, func(c *item) bool { return c.Type == realtime.FunctionCall && c.CallID == it.CallID }):
		return faulty("invalid_tool_call_id", "", "Tool call ID '%s' not found in conversation.", it.CallID)
	}
	it.mass.text = token.Count(*it.Output)
	return nil
}

// contents are what messages of a role may have. The names of the beta count too.
var contents = map[string][]string{
	realtime.User:      {realtime.InputText, realtime.InputAudio, realtime.InputImage},
	realtime.System:    {realtime.InputText},
	realtime.Assistant: {realtime.OutputText, realtime.OutputAudio, realtime.BetaText, realtime.BetaAudio},
}

func (t *session) checkMessage(it *item, within string) *refusal {
	allowed := contents[it.Role]
	switch {
	case it.Role == "":
		return missing(within + ".role")
	case allowed == nil:
		return notOneOf(within+".role", it.Role, realtime.User, realtime.Assistant, realtime.System)
	case len(it.Content) == 0:
		return missing(within + ".content")
	}
	for i := range it.Content {
		c := &it.Content[i]
		if !slices.Contains(allowed, c.Type) {
			return notOneOf(within+".content.type", c.Type, allowed...)
		}
		t.weigh(it, c)
	}
	return nil
}

// imageTokens is what an image counts; nothing looks at it, and no figure was found.
const imageTokens = 85

// weigh counts a content of an item that a client made, and gives it the name of today.
func (t *session) weigh(it *item, c *realtime.Content) {
	it.mass.text += token.Count(c.Text)
	switch c.Type {
	case realtime.BetaText:
		c.Type = realtime.OutputText
	case realtime.BetaAudio:
		c.Type = realtime.OutputAudio
	case realtime.InputImage:
		it.mass.image += imageTokens
	case realtime.InputAudio:
		sound := c.Audio // which unpack has decoded
		c.Audio = ""
		it.length += audioFormat(t.config.Audio.Input.Format).Duration(len(sound))
		it.mass.audio = int(it.length / userToken)
		t.store(it, []byte(sound[max(0, len(sound)-keptAudio):]))
	}
}

// retrieve handles conversation.item.retrieve: the item comes with its audio.
func (t *session) retrieve(e *realtime.ClientEvent) *refusal {
	at := t.find(e.ItemID)
	switch {
	case e.ItemID == "":
		return missing("item_id")
	case at < 0:
		return faulty("item_retrieve_invalid_item_id", "", "Error retrieving item: the item with id '%s' does not exist.", e.ItemID)
	}
	shown, sound, head := t.item(t.items[at]), t.items[at].audio, t.head(realtime.EventItemRetrieved)
	t.Later(len(sound)+t.items[at].content(), func() []byte {
		for i := range shown.Content {
			if c := &shown.Content[i]; c.Type == realtime.InputAudio || c.Type == realtime.OutputAudio || c.Type == realtime.BetaAudio {
				c.Audio = base64.StdEncoding.EncodeToString(sound)
			}
		}
		return talk.JSON(realtime.ItemRetrieved{Head: head, Item: shown})
	})
	return nil
}

// delete handles conversation.item.delete.
func (t *session) delete(e *realtime.ClientEvent) *refusal {
	at := t.find(e.ItemID)
	switch {
	case e.ItemID == "":
		return missing("item_id")
	case at < 0:
		return faulty("item_delete_invalid_item_id", "", "Error deleting item: the item with id '%s' does not exist.", e.ItemID)
	}
	t.items = slices.Delete(t.items, at, at+1)
	t.Say(realtime.ItemDeleted{Head: t.head(realtime.EventItemDeleted), ItemID: e.ItemID})
	return nil
}

// truncate handles conversation.item.truncate: what the user has not heard of an answer
// is forgotten, and its text altogether, as nobody knows how much of it was heard.
func (t *session) truncate(e *realtime.ClientEvent) *refusal {
	at := t.find(e.ItemID)
	switch {
	case e.ItemID == "":
		return missing("item_id")
	case e.AudioEnd == nil:
		return missing("audio_end_ms")
	case e.ContentIndex == nil:
		return missing("content_index")
	case at < 0:
		return faulty("item_truncate_invalid_item_id", "", "Error truncating item: the item with id '%s' does not exist.", e.ItemID)
	}
	it, length := t.items[at], milliseconds(*e.AudioEnd)
	switch {
	case it.Role != realtime.Assistant || len(it.Content) == 0 || it.Content[0].Type != realtime.OutputAudio:
		return faulty("", "", "Only model output audio messages can be truncated")
	case *e.ContentIndex != 0:
		return outside("content_index", "integer", *e.ContentIndex, 0, 0)
	case length < 0:
		return outside("audio_end_ms", "integer", *e.AudioEnd, 0, int(it.length.Milliseconds()))
	case length > it.length:
		return faulty("invalid_value", "", "Audio content of %dms is already shorter than %dms", it.length.Milliseconds(), *e.AudioEnd)
	}
	nothing := ""
	it.length, it.Content[0].Transcript = length, &nothing
	it.mass = mass{id: it.ID, cut: it.mass.cut + 1, audio: int(length / assistantToken)}
	it.audio = slices.Clone(it.audio[:min(len(it.audio), bytesOf(it.format, length))])
	t.Say(realtime.ItemTruncated{Head: t.head(realtime.EventItemTruncated), ItemID: it.ID, AudioEnd: *e.AudioEnd})
	return nil
}

// bytesOf returns how many bytes some audio of a format has.
func bytesOf(f audio.Format, d time.Duration) int { return audio.Samples(d, f.Rate) * f.Frame() }
