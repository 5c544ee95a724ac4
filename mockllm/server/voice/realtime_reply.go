package voice

import (
	"encoding/base64"
	"fmt"
	"slices"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

// realtimeReply is a response under way: one item, spoken, written or a call.
type realtimeReply struct {
	talk  *realtimeTalk
	order realtimeOrder
	shown realtime.Response
	parts []realtimeMass // of the prompt
	usage realtime.Usage
	entry ledger.Entry

	item    *realtimeItem // nil before the first output
	before  *string       // the id of the item before it
	told    int           // bytes of the text
	begun   int           // bytes of it whose audio has begun
	voice   *speech.Synthesizer
	encoder *audio.Encoder
	next    pipeline.Timer
}

// respond handles response.create.
func (t *realtimeTalk) respond(e *realtime.ClientEvent) *realtimeFault {
	o, fault := t.ordered(e.Response)
	if fault != nil {
		return fault
	}
	if !o.beside && t.reply != nil {
		return faulty("conversation_already_has_active_response", "", "Conversation already has an active response in progress: %s. Wait until the response is finished before creating a new one.", t.reply.shown.ID)
	}
	return t.begin(o)
}

// answer begins a response that nobody has asked for in particular.
func (t *realtimeTalk) answer(o realtimeOrder) {
	if fault := t.begin(o); fault != nil {
		t.complain(fault, "")
	}
}

// cancel handles response.cancel.
func (t *realtimeTalk) cancel(e *realtime.ClientEvent) *realtimeFault {
	r := t.reply
	if e.ResponseID != "" {
		r = nil
		if i := slices.IndexFunc(t.replies, func(r *realtimeReply) bool { return r.shown.ID == e.ResponseID }); i >= 0 {
			r = t.replies[i]
		}
	}
	if r == nil {
		return faulty("response_cancel_not_active", "", "Cancellation failed: no active response found")
	}
	r.finish(realtime.Cancelled, realtime.ClientCancelled)
	return nil
}

// begin begins a response.
func (t *realtimeTalk) begin(o realtimeOrder) *realtimeFault {
	if fault := t.compose(&o); fault != nil {
		return fault
	}
	r := &realtimeReply{talk: t, order: o, parts: o.prompt()}
	r.describe()
	t.asked++
	t.idle.Stop()
	t.replies = append(t.replies, r)
	if !o.beside {
		t.reply = r
	}
	t.say(realtime.ResponseEvent{Head: t.head(realtime.EventResponseCreated), Response: r.response()})
	r.run()
	return nil
}

// describe fills in what is known of the response from its start.
func (r *realtimeReply) describe() {
	t, s, now := r.talk, r.order.session, r.talk.loop.Now()
	r.shown = realtime.Response{
		Object: realtime.ResponseObject, ID: t.service.newID("resp_"), Status: realtime.InProgress,
		Output: []realtime.Item{}, OutputModalities: s.OutputModalities, MaxOutputTokens: s.MaxOutputTokens,
		Audio:    &realtime.ResponseAudio{Output: realtime.ResponseVoice{Format: s.Audio.Output.Format, Voice: s.Audio.Output.Voice}},
		Metadata: r.order.metadata,
	}
	if !r.order.beside {
		r.shown.ConversationID = &t.conversation
	}
	in := inputUsage(r.parts, t.context)
	r.usage = realtime.Usage{Input: in.Text + in.Audio + in.Image, InputDetails: in}
	r.entry = ledger.Entry{
		ID: r.shown.ID, Protocol: "openai realtime", Path: t.entry.Path, Model: t.config.Model,
		Arrived: now, Started: now, First: pipeline.Unknown, Left: pipeline.Unknown,
		Prompt: r.usage.Input, Cached: in.Cached,
	}
}

// response returns the response as the client knows it.
func (r *realtimeReply) response() any {
	if r.talk.beta {
		return r.shown.Beta(r.order.session.Temperature)
	}
	return &r.shown
}

// spoken reports whether the answer is audio.
func (r *realtimeReply) spoken() bool {
	return r.order.call == nil && realtime.Speaks(r.order.session.OutputModalities)
}

// run has the answer come.
func (r *realtimeReply) run() {
	t := r.talk
	if !r.spoken() {
		first := dist.Stream(t.service.config.Seed, "realtime/first text", t.number, t.asked)
		r.next = t.loop.After(t.model.FirstText.Draw(&first), pipeline.RankOutput, r.write)
		return
	}
	format := audioFormat(r.order.session.Audio.Output.Format)
	encoder, err := audio.NewEncoder(audio.Output{Container: audio.Raw, Format: format})
	if err != nil {
		panic(fmt.Sprintf("voice: %v", err)) // checkFormat has seen it
	}
	profile := t.model.Voice
	profile.FirstByte = t.model.FirstAudio
	r.encoder = encoder
	r.voice = speech.NewSynthesizer(t.loop, speech.Speaking{
		Rate: format.Rate, Profile: profile, Rush: r.order.session.Audio.Output.Speed,
		Seed: t.service.config.Seed, Stream: t.service.stream(),
	}, r.speak)
	r.voice.Speak(r.order.text)
}

// write tells the next token of an answer that is not spoken.
func (r *realtimeReply) write() {
	r.open()
	if r.told < len(r.order.text) {
		r.tell(token.Next(r.order.text[r.told:]))
	}
	switch {
	case r.told == len(r.order.text):
		r.finish(realtime.Completed, "")
	case r.spent():
		r.finish(realtime.Incomplete, realtime.MaxOutputTokens)
	default:
		r.next = r.talk.loop.After(r.talk.model.Token, pipeline.RankOutput, r.write)
	}
}

// speak tells the next audio, after the words that begin in it.
func (r *realtimeReply) speak(c speech.Chunk) {
	r.open()
	for _, ch := range c.Characters {
		r.begun += len(ch.Text)
	}
	for r.told < r.begun {
		r.tell(token.Next(r.order.text[r.told:]))
	}
	if c.Length > 0 {
		r.sound(c.Samples())
	}
	switch {
	case c.Last:
		r.finish(realtime.Completed, "")
	case r.spent():
		r.finish(realtime.Incomplete, realtime.MaxOutputTokens)
	}
}

// sound tells audio.
func (r *realtimeReply) sound(samples []int16) {
	t, it := r.talk, r.item
	b := r.encoder.Encode(nil, samples)
	it.length += audio.Duration(len(samples), it.format.Rate)
	it.mass.audio = int(it.length / assistantToken)
	if len(it.audio)+len(b) <= keptAudio && t.stored()+len(b) <= mostStorage {
		it.audio = append(it.audio, b...)
	}
	t.spoken = true
	t.say(realtime.Delta{Head: t.head(realtime.EventAudioDelta), Place: r.place(), Delta: base64.StdEncoding.EncodeToString(b)})
}

// tell tells the next n bytes of the text, a token.
func (r *realtimeReply) tell(n int) {
	t, it := r.talk, r.item
	delta := r.order.text[r.told : r.told+n]
	r.told += n
	it.mass.text++
	switch {
	case r.order.call != nil:
		t.say(realtime.ArgumentsDelta{Head: t.head(realtime.EventArgumentsDelta), CallPlace: r.callPlace(), Delta: delta})
	case r.spoken():
		t.say(realtime.Delta{Head: t.head(realtime.EventAudioTranscriptDelta), Place: r.place(), Delta: delta})
	default:
		t.say(realtime.Delta{Head: t.head(realtime.EventTextDelta), Place: r.place(), Delta: delta})
	}
}

// spent reports whether the answer has all the tokens that it may have.
func (r *realtimeReply) spent() bool {
	limit := int(r.order.session.MaxOutputTokens)
	return limit > 0 && r.item.mass.all() >= limit
}

func (r *realtimeReply) place() realtime.Place {
	return realtime.Place{ResponseID: r.shown.ID, ItemID: r.item.ID}
}

func (r *realtimeReply) callPlace() realtime.CallPlace {
	return realtime.CallPlace{ResponseID: r.shown.ID, ItemID: r.item.ID, CallID: r.item.CallID}
}

// open begins the item when there is something of it.
func (r *realtimeReply) open() {
	if r.item != nil {
		return
	}
	t := r.talk
	r.entry.First = t.loop.Now()
	r.item = r.newItem()
	t.say(realtime.OutputItemEvent{Head: t.head(realtime.EventOutputItemAdded), ResponseID: r.shown.ID, Item: t.item(r.item)})
	if !r.order.beside {
		r.before = t.place(len(t.items), r.item)
		t.say(realtime.ItemEvent{Head: t.head(realtime.EventItemAdded), PreviousItemID: r.before, Item: t.item(r.item)})
	}
	if r.order.call == nil {
		t.say(realtime.PartEvent{Head: t.head(realtime.EventPartAdded), Place: r.place(), Part: r.part("")})
	}
}

// newItem returns the item, which is empty yet.
func (r *realtimeReply) newItem() *realtimeItem {
	it := &realtimeItem{format: audioFormat(r.order.session.Audio.Output.Format)}
	it.Item = realtime.Item{ID: r.talk.service.newID("item_"), Status: realtime.InProgress}
	if f := r.order.call; f != nil {
		nothing := ""
		it.Type, it.CallID, it.Name, it.Arguments = realtime.FunctionCall, r.talk.service.newID("call_"), f.Name, &nothing
	} else {
		it.Type, it.Role, it.Content = realtime.Message, realtime.Assistant, []realtime.Content{}
	}
	return it
}

// part returns the content of the item as a part of the response.
func (r *realtimeReply) part(text string) realtime.Content {
	if r.spoken() {
		return realtime.Content{Type: realtime.Audio, Transcript: &text}
	}
	return realtime.Content{Type: realtime.Text, Text: text}
}

// shut ends the item with what there is of it.
func (r *realtimeReply) shut(status string) {
	t, it, text := r.talk, r.item, r.order.text[:r.told]
	switch {
	case r.order.call != nil:
		it.Arguments = &text
		t.say(realtime.ArgumentsDone{Head: t.head(realtime.EventArgumentsDone), CallPlace: r.callPlace(), Name: it.Name, Arguments: text})
	case r.spoken():
		it.Content = []realtime.Content{{Type: realtime.OutputAudio, Transcript: &text}}
		t.say(realtime.Done{Head: t.head(realtime.EventAudioDone), Place: r.place()})
		t.say(realtime.Done{Head: t.head(realtime.EventAudioTranscriptDone), Place: r.place(), Transcript: &text})
	default:
		it.Content = []realtime.Content{{Type: realtime.OutputText, Text: text}}
		t.say(realtime.Done{Head: t.head(realtime.EventTextDone), Place: r.place(), Text: &text})
	}
	if r.order.call == nil {
		t.say(realtime.PartEvent{Head: t.head(realtime.EventPartDone), Place: r.place(), Part: r.part(text)})
	}
	it.Status = status
	if !r.order.beside {
		t.itemDone(it, r.before)
	}
	t.say(realtime.OutputItemEvent{Head: t.head(realtime.EventOutputItemDone), ResponseID: r.shown.ID, Item: t.item(it)})
}

// finish ends the response.
func (r *realtimeReply) finish(status, reason string) {
	t := r.talk
	r.stop()
	if r.item != nil {
		itemStatus := realtime.Completed
		if status != realtime.Completed {
			itemStatus = realtime.Incomplete
		}
		r.shut(itemStatus)
		r.shown.Output = []realtime.Item{t.item(r.item)}
	}
	r.count()
	r.shown.Status, r.shown.Usage = status, &r.usage
	if reason != "" {
		r.shown.StatusDetails = &realtime.StatusDetails{Type: status, Reason: reason}
	}
	t.say(realtime.ResponseEvent{Head: t.head(realtime.EventResponseDone), Response: r.response()})
	t.say(realtime.RateLimits{Head: t.head(realtime.EventRateLimits), RateLimits: []realtime.RateLimit{t.used.spend(t.loop.Now(), r.usage.Total)}})
	r.record(status, reason)
	if !r.order.beside {
		t.rest(r.entry.AudioOut)
	}
}

// stop takes the response out of those that are under way.
func (r *realtimeReply) stop() {
	t := r.talk
	r.next.Stop()
	if r.voice != nil {
		r.voice.Clear()
	}
	t.replies = slices.DeleteFunc(t.replies, func(o *realtimeReply) bool { return o == r })
	if t.reply == r {
		t.reply = nil
	}
}

// count counts the tokens of the answer, and keeps the prompt with it for the next one.
func (r *realtimeReply) count() {
	parts := r.parts
	if r.item != nil {
		m := r.item.mass
		r.usage.Output, r.usage.OutputDetails = m.all(), realtime.OutputUsage{Text: m.text, Audio: m.audio}
		parts = append(parts, m)
	}
	r.usage.Total = r.usage.Input + r.usage.Output
	if !r.order.beside {
		r.talk.context = parts
	}
}

// record tells the ledger.
func (r *realtimeReply) record(status, reason string) {
	e := &r.entry
	e.Ended, e.Generated = r.talk.loop.Now(), r.usage.Output
	if r.item != nil {
		e.AudioOut = r.item.length
	}
	switch {
	case status == realtime.Cancelled:
		e.Outcome, e.Reason = pipeline.Cancelled, reason
	case status == realtime.Incomplete:
		e.Finish = wire.FinishLength
	case r.order.call != nil:
		e.Finish = wire.FinishToolCalls
	default:
		e.Finish = wire.FinishStop
	}
	r.talk.service.config.Ledger.Add(*e)
}

// leave ends the response of a client that is gone.
func (r *realtimeReply) leave() {
	r.entry.Left = r.talk.loop.Now()
	r.stop()
	r.count()
	r.record(realtime.Cancelled, "the client closed the connection")
}
