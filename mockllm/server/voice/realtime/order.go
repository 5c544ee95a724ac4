package realtime

import (
	"encoding/json"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

// order is a response that is asked for.
type order struct {
	session  *realtime.Session // as it holds for this one
	beside   bool              // it does not belong to the conversation
	input    []*item
	metadata json.RawMessage
	dictated string // what to answer, or the arguments of the call

	text string         // of the answer, or the arguments
	call *realtime.Tool // nil for an answer in words
}

// order returns the response that nobody has asked for in particular.
func (t *session) order() order {
	return order{session: t.config, input: t.items}
}

// ordered returns the response that a client asks for.
func (t *session) ordered(p *realtime.ResponseParams) (order, *refusal) {
	o := t.order()
	if p == nil {
		return o, nil
	}
	o.session, o.metadata, o.dictated = copied(t.config), p.Metadata, p.MockAnswer
	switch p.Conversation {
	case "none":
		o.beside = true
	case "", "auto":
	default:
		return o, notOneOf("response.conversation", p.Conversation, "auto", "none")
	}
	if fault := override(o.session, p); fault != nil {
		return o, fault
	}
	if p.Input != nil {
		var fault *refusal
		if o.input, fault = t.gathered(*p.Input); fault != nil {
			return o, fault
		}
	}
	return o, checkSession(o.session, "response", t.beta)
}

// override gives a session what one response has differently.
func override(s *realtime.Session, p *realtime.ResponseParams) *refusal {
	if p.OutputModalities != nil {
		s.OutputModalities = p.OutputModalities
	}
	if p.Modalities != nil {
		if fault := checkBetaModalities(p.Modalities, "response.modalities"); fault != nil {
			return fault
		}
		s.OutputModalities = []string{realtime.Text}
		if realtime.Speaks(p.Modalities) {
			s.OutputModalities = []string{realtime.Audio}
		}
	}
	if p.Instructions != nil {
		s.Instructions = *p.Instructions
	}
	if p.Tools != nil {
		s.Tools = p.Tools
	}
	if p.ToolChoice != nil {
		s.ToolChoice = p.ToolChoice
	}
	for _, limit := range []*realtime.Limit{p.MaxOutputTokens, p.MaxResponseTokens} {
		if limit != nil {
			s.MaxOutputTokens = *limit
		}
	}
	return overrideVoice(&s.Audio.Output, p)
}

func overrideVoice(out *realtime.AudioOutput, p *realtime.ResponseParams) *refusal {
	if p.Voice != "" {
		out.Voice = p.Voice
	}
	if p.OutputFormat != "" {
		format, known := realtime.FormatOfBeta(p.OutputFormat)
		if !known {
			return notOneOf("response.output_audio_format", p.OutputFormat, realtime.BetaFormats()...)
		}
		out.Format = format
	}
	if p.Audio == nil {
		return nil
	}
	if f := p.Audio.Output.Format; f != nil {
		out.Format = *f
	}
	if v := p.Audio.Output.Voice; v != "" {
		out.Voice = v
	}
	return nil
}

// gathered returns the input that a client gives instead of the conversation, some of
// which may be items that are there.
func (t *session) gathered(input []realtime.Item) ([]*item, *refusal) {
	items := []*item{}
	for i := range input {
		if input[i].Type == realtime.Reference {
			at := t.find(input[i].ID)
			if at < 0 {
				return nil, faulty("item_not_found", "response.input", "Item with ID '%s' not found in conversation.", input[i].ID)
			}
			items = append(items, t.items[at])
			continue
		}
		it, fault := t.made(&input[i], "response.input")
		if fault != nil {
			return nil, fault
		}
		items = append(items, it)
	}
	return items, nil
}

// replyTokens is the length of an answer that nobody dictates: two spoken sentences, as
// voice agents are told to keep to; assumed.
const (
	replyTokens    = 30
	sentenceTokens = 12
)

// compose decides what is answered.
func (t *session) compose(o *order) *refusal {
	seed := t.service.Seed
	o.call = t.called(o)
	replies := t.service.config.Replies
	switch {
	case o.dictated != "":
		o.text = o.dictated
	case o.call != nil:
		return t.argue(o)
	case len(replies) > 0:
		o.text = replies[t.asked%len(replies)]
	default:
		said := token.Sentences(
			token.Name(seed, "realtime/reply", t.number, t.asked), token.Name(seed, "realtime/more", t.number, t.asked),
			replyTokens, sentenceTokens)
		o.text = token.Passage(said[:]).Text()
	}
	return nil
}

// called returns the function that is called, or nil: the mock answers in words where it
// has the choice.
func (t *session) called(o *order) *realtime.Tool {
	var choice wire.ToolChoice
	if json.Unmarshal(o.session.ToolChoice, &choice) != nil {
		return nil // checkTools has seen it
	}
	var functions []*realtime.Tool
	for i := range o.session.Tools {
		if f := &o.session.Tools[i]; f.Type == "function" && (choice.Name == "" || choice.Name == f.Name) {
			functions = append(functions, f)
		}
	}
	if len(functions) == 0 || choice.Name == "" && choice.Mode != wire.ChoiceRequired {
		return nil
	}
	dice := dist.Stream(t.service.Seed, "realtime/tool", t.number, t.asked)
	return functions[dice.IntN(len(functions))]
}

// argue makes the arguments of a call.
func (t *session) argue(o *order) *refusal {
	o.text = "{}"
	if t.service.config.Arguments == nil {
		return nil
	}
	text, err := t.service.config.Arguments(o.call.Parameters, dist.Stream(t.service.Seed, "realtime/arguments", t.number, t.asked))
	if err != nil {
		return faulty("invalid_function_parameters", "tools", "Invalid schema for function '%s': %v.", o.call.Name, err)
	}
	o.text = text
	return nil
}
