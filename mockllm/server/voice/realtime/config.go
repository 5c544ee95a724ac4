package realtime

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/realtime"
)

// Limits of a session (openai-openapi, Realtime schemas, read 2026-11-29).
const (
	leastIdle, mostIdle   = 5_000, 30_000 // ms
	leastSpeed, mostSpeed = .25, 1.5
	mostOutput            = 4096 // tokens
	leastTemperature      = .6
	mostTemperature       = 1.2
	mostSilence           = 600_000 // ms; ours, the schema has none
)

// newConfig returns a session as it is before anything is agreed on.
func newConfig(kind, id, model string) *realtime.Session {
	turn := realtime.NewTurnDetection(realtime.ServerVAD)
	pcm := realtime.Format{Type: realtime.PCM, Rate: realtime.PCMRate}
	s := &realtime.Session{
		Type: kind, Object: realtime.SessionObject, ID: id, Model: model,
		OutputModalities: []string{realtime.Audio},
		Instructions:     "You are a friendly assistant who talks with its user.",
		Tools:            []realtime.Tool{}, ToolChoice: json.RawMessage(`"auto"`), Truncation: json.RawMessage(`"auto"`),
	}
	s.Temperature = realtime.DefaultTemperature
	s.Audio.Input = realtime.AudioInput{Format: pcm, TurnDetection: &turn}
	s.Audio.Output = realtime.AudioOutput{Format: pcm, Voice: "alloy", Speed: 1}
	if kind == realtime.Transcription {
		s.Object, s.Model, s.Instructions = realtime.TranscriptionObject, "", ""
	}
	return s
}

// revised returns a session as it is after an update, which counts as a whole or not at
// all. The update is in the shape of the beta or not.
func revised(now *realtime.Session, update json.RawMessage, beta bool) (*realtime.Session, *refusal) {
	if len(update) == 0 || string(update) == "null" {
		return nil, missing("session")
	}
	next := copied(now)
	decode := decodeSession
	if beta {
		decode = decodeBetaSession
	}
	if fault := decode(next, update); fault != nil {
		return nil, fault
	}
	next.Type, next.Object, next.ID, next.Model, next.ExpiresAt = now.Type, now.Object, now.ID, now.Model, now.ExpiresAt
	return next, checkSession(next, "session", beta)
}

func copied(s *realtime.Session) *realtime.Session {
	c, err := s.Clone()
	if err != nil {
		panic(fmt.Sprintf("realtime: %v", err)) // a session always encodes
	}
	return c
}

// decodeSession applies an update in the shape of today.
func decodeSession(s *realtime.Session, update json.RawMessage) *refusal {
	var asked struct {
		Type  *string `json:"type"`
		Model string  `json:"model"`
	}
	if err := json.Unmarshal(update, &asked); err != nil {
		return undecodable(err, "session")
	}
	kinds := []string{realtime.Conversation, realtime.Transcription}
	switch {
	case asked.Type == nil:
		return missing("session.type")
	case !slices.Contains(kinds, *asked.Type):
		return notOneOf("session.type", *asked.Type, kinds...)
	case *asked.Type != s.Type:
		return faulty("invalid_value", "session.type", "Passing a %s session update event to a %s session is not allowed.", *asked.Type, s.Type)
	case asked.Model != "" && s.Model != "" && asked.Model != s.Model:
		return faulty("invalid_value", "session.model", "The model of a session cannot be changed: it is '%s'.", s.Model)
	}
	fields := reflect.TypeFor[realtime.Session]()
	if s.Type == realtime.Transcription {
		fields = reflect.TypeFor[realtime.TranscriptionSession]()
	}
	if name := unknownField(update, fields, "session"); name != "" {
		return faulty("unknown_parameter", name, "Unknown parameter: '%s'.", name)
	}
	if err := json.Unmarshal(update, s); err != nil {
		return undecodable(err, "session")
	}
	return nil
}

// decodeBetaSession applies an update in the shape of the beta.
func decodeBetaSession(s *realtime.Session, update json.RawMessage) *refusal {
	if name := unknownField(update, reflect.TypeFor[realtime.BetaSession](), "session"); name != "" {
		return faulty("unknown_parameter", name, "Unknown parameter: '%s'.", name)
	}
	b := s.Beta()
	if err := json.Unmarshal(update, b); err != nil {
		return undecodable(err, "session")
	}
	if fault := checkBetaModalities(b.Modalities, "session.modalities"); fault != nil {
		return fault
	}
	for _, f := range []struct {
		name, word string
		to         *realtime.Format
	}{{"input_audio_format", b.InputFormat, &s.Audio.Input.Format}, {"output_audio_format", b.OutputFormat, &s.Audio.Output.Format}} {
		format, known := realtime.FormatOfBeta(f.word)
		if !known {
			return notOneOf("session."+f.name, f.word, realtime.BetaFormats()...)
		}
		*f.to = format
	}
	s.Set(b)
	return outside("session.temperature", "decimal", b.Temperature, leastTemperature, mostTemperature)
}

// unknownField returns the path of a member that a struct has no field for, or "". It
// looks into structs that are decoded field by field.
func unknownField(raw json.RawMessage, t reflect.Type, path string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return ""
	}
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i).Type
	}
	for _, name := range sortedKeys(members) {
		field, ok := fields[name]
		if !ok {
			return path + "." + name
		}
		if field.Kind() == reflect.Struct && !reflect.PointerTo(field).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			if found := unknownField(members[name], field, path+"."+name); found != "" {
				return found
			}
		}
	}
	return ""
}

func sortedKeys(m map[string]json.RawMessage) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// checkSession says what a session has that cannot be; within is the name of the object
// that set it.
func checkSession(s *realtime.Session, within string, beta bool) *refusal {
	path := func(today, before string) string {
		if beta {
			return within + "." + before
		}
		return within + "." + today
	}
	checks := []func() *refusal{
		func() *refusal {
			return checkModalities(s.OutputModalities, path("output_modalities", "modalities"))
		},
		func() *refusal {
			return checkFormat(s.Audio.Input.Format, path("audio.input.format", "input_audio_format"))
		},
		func() *refusal {
			return checkFormat(s.Audio.Output.Format, path("audio.output.format", "output_audio_format"))
		},
		func() *refusal {
			return checkTurn(s.Audio.Input.TurnDetection, path("audio.input.turn_detection", "turn_detection"))
		},
		func() *refusal {
			return outside(path("audio.output.speed", "speed"), "decimal", s.Audio.Output.Speed, leastSpeed, mostSpeed)
		},
		func() *refusal {
			return outside(path("max_output_tokens", "max_response_output_tokens"), "integer", int(s.MaxOutputTokens), 0, mostOutput)
		},
		func() *refusal { return checkTools(s, within) },
	}
	for _, check := range checks {
		if fault := check(); fault != nil {
			return fault
		}
	}
	return nil
}

func checkModalities(modalities []string, param string) *refusal {
	if m := modalities; len(m) == 1 && (m[0] == realtime.Audio || m[0] == realtime.Text) {
		return nil
	}
	return faulty("invalid_value", param, "Invalid modalities: %q. Supported combinations are: ['text'] and ['audio'].", modalities)
}

// checkBetaModalities checks those of the beta, where audio comes with its text.
func checkBetaModalities(modalities []string, param string) *refusal {
	m := slices.Sorted(slices.Values(modalities))
	if slices.Equal(m, []string{realtime.Text}) || slices.Equal(m, []string{realtime.Audio, realtime.Text}) {
		return nil
	}
	return faulty("invalid_value", param, "Invalid modalities: %q. Supported combinations are: ['text'] and ['audio', 'text'].", modalities)
}

func checkFormat(f realtime.Format, param string) *refusal {
	switch f.Type {
	case realtime.PCM:
		return outside(param+".rate", "integer", f.Rate, realtime.PCMRate, realtime.PCMRate)
	case realtime.PCMU, realtime.PCMA:
		return nil
	}
	return notOneOf(param+".type", f.Type, realtime.PCM, realtime.PCMU, realtime.PCMA)
}

func checkTurn(t *realtime.TurnDetection, param string) *refusal {
	switch {
	case t == nil:
		return nil
	case t.Type == realtime.SemanticVAD:
		levels := []string{"low", "medium", "high", "auto"}
		if !slices.Contains(levels, t.Eagerness) {
			return notOneOf(param+".eagerness", t.Eagerness, levels...)
		}
		return nil
	case t.Type != realtime.ServerVAD:
		return notOneOf(param+".type", t.Type, realtime.ServerVAD, realtime.SemanticVAD)
	}
	if fault := outside(param+".threshold", "decimal", t.Threshold, 0, 1); fault != nil {
		return fault
	}
	if fault := outside(param+".prefix_padding_ms", "integer", t.PrefixPadding, 0, mostSilence); fault != nil {
		return fault
	}
	if fault := outside(param+".silence_duration_ms", "integer", t.Silence, 0, mostSilence); fault != nil {
		return fault
	}
	if t.IdleTimeout == nil {
		return nil
	}
	return outside(param+".idle_timeout_ms", "integer", *t.IdleTimeout, leastIdle, mostIdle)
}

func checkTools(s *realtime.Session, within string) *refusal {
	var names []string
	for i, t := range s.Tools {
		if t.Type == "function" && t.Name == "" {
			return missing(fmt.Sprintf("%s.tools[%d].name", within, i))
		}
		names = append(names, t.Name)
	}
	var choice wire.ToolChoice
	if err := json.Unmarshal(s.ToolChoice, &choice); err != nil {
		return undecodable(err, within)
	}
	words := []string{wire.ChoiceNone, wire.ChoiceAuto, wire.ChoiceRequired}
	switch {
	case choice.Name != "" && !slices.Contains(names, choice.Name):
		return faulty("invalid_value", within+".tool_choice", "Invalid value for '%s.tool_choice': there is no tool '%s' among the tools, which are: %s.", within, choice.Name, enumerated(names))
	case choice.Name == "" && choice.Mode != "" && !slices.Contains(words, choice.Mode):
		return notOneOf(within+".tool_choice", choice.Mode, words...)
	}
	return nil
}
