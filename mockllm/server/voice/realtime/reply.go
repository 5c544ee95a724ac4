package realtime

import (
	"encoding/base64"
	"fmt"
	"slices"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

// reply is a response under way: one item, spoken, written or a call.
type reply struct {
	session *session
	order   order
	shown   realtime.Response
	parts   []mass // of the prompt
	usage   realtime.Usage
	entry   ledger.Entry

	item    *item   // nil before the first output
	before  *string // the id of the item before it
	told    int     // bytes of the text
	begun   int     // bytes of it whose audio has begun
	voice   *speech.Synthesizer
	encoder *audio.Encoder
	next    pipeline.Timer
}

// respond handles response.create.
func (t *session) respond(e *realtime.ClientEvent) *refusal {
	o, fault := t.ordered(e.Response)
	if fault != nil {
		return fault
	}
	if !o.beside && t.reply != nil {
		return faulty("conversation_already_has_active_response", "", "Conversation already has an active response in progress: %s. Wait until the response is finished before creating a new one.", t.reply.shown.ID)
	}
	if len(t.replies) >= mostReplies {
		return faulty("too_many_responses", "", "%d responses are under way, the most that this server makes at once. Wait until one is finished.", len(t.replies))
	}
	return t.begin(o)
}

// answer begins a response that nobody has asked for in particular.
func (t *session) answer(o order) {
	if fault := t.begin(o); fault != nil {
		t.complain(fault, "")
	}
}

// cancel handles response.cancel.
func (t *session) cancel(e *realtime.ClientEvent) *refusal {
	r := t.reply
	if e.ResponseID != "" {
		r = nil
		if i := slices.IndexFunc(t.replies, func(r *reply) bool { return r.shown.ID == e.ResponseID }); i >= 0 {
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
func (t *session) begin(o order) *refusal {
	if fault := t.compose(&o); fault != nil {
		return fault
	}
	r := &reply{session: t, order: o, parts: o.prompt()}
	r.describe()
	t.asked++
	t.idle.Stop()
	t.replies = append(t.replies, r)
	if !o.beside {
		t.reply = r
	}
	t.Say(realtime.ResponseEvent{Head: t.head(realtime.EventResponseCreated), Response: r.response()})
	r.run()
	return nil
}

// describe fills in what is known of the response from its start.
func (r *reply) describe() {
	t, s := r.session, r.order.session
	r.shown = realtime.Response{
		Object: realtime.ResponseObject, ID: t.service.NewID("resp_"), Status: realtime.InProgress,
		Output: []realtime.Item{}, OutputModalities: s.OutputModalities, MaxOutputTokens: s.MaxOutputTokens,
		Audio:    &realtime.ResponseAudio{Output: realtime.ResponseVoice{Format: s.Audio.Output.Format, Voice: s.Audio.Output.Voice}},
		Metadata: r.order.metadata,
	}
	if !r.order.beside {
		r.shown.ConversationID = &t.conversation
	}
	in := inputUsage(r.parts, t.context)
	r.usage = realtime.Usage{Input: in.Text + in.Audio + in.Image, InputDetails: in}
	r.entry = talk.Begin("openai realtime", r.shown.ID, t.Entry.Path, t.config.Model, t.Loop.Now())
	r.entry.Prompt, r.entry.Cached = r.usage.Input, in.Cached
}

// response returns the response as the client knows it.
func (r *reply) response() any {
	if r.session.beta {
		return r.shown.Beta(r.order.session.Temperature)
	}
	return &r.shown
}

// spoken reports whether the answer is audio.
func (r *reply) spoken() bool {
	return r.order.call == nil && realtime.Speaks(r.order.session.OutputModalities)
}

// run has the answer come.
func (r *reply) run() {
	t := r.session
	if !r.spoken() {
		first := dist.Stream(t.service.Seed, "realtime/first text", t.number, t.asked)
		r.next = t.Loop.After(t.model.FirstText.Draw(&first), pipeline.RankOutput, r.write)
		return
	}
	format := audioFormat(r.order.session.Audio.Output.Format)
	encoder, err := audio.NewEncoder(audio.Output{Container: audio.Raw, Format: format})
	if err != nil {
		panic(fmt.Sprintf("realtime: %v", err)) // checkFormat has seen it
	}
	profile := t.model.Voice
	profile.FirstByte = t.model.FirstAudio
	r.encoder = encoder
	r.voice = speech.NewSynthesizer(t.Loop, speech.Speaking{
		Rate: format.Rate, Profile: profile, Rush: r.order.session.Audio.Output.Speed,
		Seed: t.service.Seed, Stream: t.service.Synthesizer(0),
	}, r.speak)
	r.voice.Speak(r.order.text)
}

// write tells the next token of an answer that is not spoken.
func (r *reply) write() {
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
		r.next = r.session.Loop.After(r.session.model.Token, pipeline.RankOutput, r.write)
	}
}

// speak tells the next audio, after the words that begin in it.
func (r *reply) speak(c speech.Chunk) {
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
func (r *reply) sound(samples []int16) {
	t, it := r.session, r.item
	b := r.encoder.Encode(nil, samples)
	it.length += audio.Duration(len(samples), it.format.Rate)
	it.mass.audio = int(it.length / assistantToken)
	if len(it.audio)+len(b) <= keptAudio && t.stored()+len(b) <= mostStorage {
		it.audio = append(it.audio, b...)
	}
	t.spoken = true
	t.Say(realtime.Delta{Head: t.head(realtime.EventAudioDelta), Place: r.place(), Delta: base64.StdEncoding.EncodeToString(b)})
}

// tell tells the next n bytes of the text, a token.
func (r *reply) tell(n int) {
	t, it := r.session, r.item
	delta := r.order.text[r.told : r.told+n]
	r.told += n
	it.mass.text++
	switch {
	case r.order.call != nil:
		t.Say(realtime.ArgumentsDelta{Head: t.head(realtime.EventArgumentsDelta), CallPlace: r.callPlace(), Delta: delta})
	case r.spoken():
		t.Say(realtime.Delta{Head: t.head(realtime.EventAudioTranscriptDelta), Place: r.place(), Delta: delta})
	default:
		t.Say(realtime.Delta{Head: t.head(realtime.EventTextDelta), Place: r.place(), Delta: delta})
	}
}

// spent reports whether the answer has all the tokens that it may have.
func (r *reply) spent() bool {
	limit := int(r.order.session.MaxOutputTokens)
	return limit > 0 && r.item.mass.all() >= limit
}

func (r *reply) place() realtime.Place {
	return realtime.Place{ResponseID: r.shown.ID, ItemID: r.item.ID}
}

func (r *reply) callPlace() realtime.CallPlace {
	return realtime.CallPlace{ResponseID: r.shown.ID, ItemID: r.item.ID, CallID: r.item.CallID}
}

// open begins the item when there is something of it.
func (r *reply) open() {
	if r.item != nil {
		return
	}
	t := r.session
	r.entry.First = t.Loop.Now()
	r.item = r.newItem()
	t.Say(realtime.OutputItemEvent{Head: t.head(realtime.EventOutputItemAdded), ResponseID: r.shown.ID, Item: t.item(r.item)})
	if !r.order.beside {
		r.before = t.place(len(t.items), r.item)
		t.Say(realtime.ItemEvent{Head: t.head(realtime.EventItemAdded), PreviousItemID: r.before, Item: t.item(r.item)})
	}
	if r.order.call == nil {
		t.Say(realtime.PartEvent{Head: t.head(realtime.EventPartAdded), Place: r.place(), Part: r.part("")})
	}
}

// newItem returns the item, which is empty yet.
func (r *reply) newItem() *item {
	it := &item{format: audioFormat(r.order.session.Audio.Output.Format)}
	it.Item = realtime.Item{ID: r.session.service.NewID("item_"), Status: realtime.InProgress}
	if f := r.order.call; f != nil {
		nothing := ""
		it.Type, it.CallID, it.Name, it.Arguments = realtime.FunctionCall, r.session.service.NewID("call_"), f.Name, &nothing
	} else {
		it.Type, it.Role, it.Content = realtime.Message, realtime.Assistant, []realtime.Content{}
	}
	return it
}

// part returns the content of the item as a part of the response.
func (r *reply) part(text string) realtime.Content {
	if r.spoken() {
		return realtime.Content{Type: realtime.Audio, Transcript: &text}
	}
	return realtime.Content{Type: realtime.Text, Text: text}
}

// shut ends the item with what there is of it.
func (r *reply) shut(status string) {
	t, it, text := r.session, r.item, r.order.text[:r.told]
	switch {
	case r.order.call != nil:
		it.Arguments = &text
		t.Say(realtime.ArgumentsDone{Head: t.head(realtime.EventArgumentsDone), CallPlace: r.callPlace(), Name: it.Name, Arguments: text})
	case r.spoken():
		it.Content = []realtime.Content{{Type: realtime.OutputAudio, Transcript: &text}}
		t.Say(realtime.Done{Head: t.head(realtime.EventAudioDone), Place: r.place()})
		t.Say(realtime.Done{Head: t.head(realtime.EventAudioTranscriptDone), Place: r.place(), Transcript: &text})
	default:
		it.Content = []realtime.Content{{Type: realtime.OutputText, Text: text}}
		t.Say(realtime.Done{Head: t.head(realtime.EventTextDone), Place: r.place(), Text: &text})
	}
	if r.order.call == nil {
		t.Say(realtime.PartEvent{Head: t.head(realtime.EventPartDone), Place: r.place(), Part: r.part(text)})
	}
	it.Status = status
	if !r.order.beside {
		t.itemDone(it, r.before)
	}
	t.Say(realtime.OutputItemEvent{Head: t.head(realtime.EventOutputItemDone), ResponseID: r.shown.ID, Item: t.item(it)})
}

// finish ends the response.
func (r *reply) finish(status, reason string) {
	t := r.session
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
	t.Say(realtime.ResponseEvent{Head: t.head(realtime.EventResponseDone), Response: r.response()})
	t.Say(realtime.RateLimits{Head: t.head(realtime.EventRateLimits), RateLimits: []realtime.RateLimit{t.used.spend(t.Loop.Now(), r.usage.Total)}})
	r.record(status, reason)
	if !r.order.beside {
		t.rest(r.entry.AudioOut)
	}
}

// stop takes the response out of those that are under way.
func (r *reply) stop() {
	t := r.session
	r.next.Stop()
	if r.voice != nil {
		r.voice.Clear()
	}
	t.replies = slices.DeleteFunc(t.replies, func(o *reply) bool { return o == r })
	if t.reply == r {
		t.reply = nil
	}
}

// count counts the tokens of the answer, and keeps the prompt with it for the next one.
func (r *reply) count() {
	parts := r.parts
	if r.item != nil {
		m := r.item.mass
		r.usage.Output, r.usage.OutputDetails = m.all(), realtime.OutputUsage{Text: m.text, Audio: m.audio}
		parts = append(parts, m)
	}
	r.usage.Total = r.usage.Input + r.usage.Output
	if !r.order.beside {
		r.session.context = parts
	}
}

// record tells the ledger.
func (r *reply) record(status, reason string) {
	e := &r.entry
	e.Ended, e.Generated = r.session.Loop.Now(), r.usage.Output
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
	r.session.service.Ledger.Add(*e)
}

// leave ends the response of a client that is gone.
func (r *reply) leave() {
	talk.Abandon(&r.entry, r.session.Loop.Now())
	r.stop()
	r.count()
	r.record(realtime.Cancelled, r.entry.Reason)
}
