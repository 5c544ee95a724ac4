package recount

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// What a record of a speech service is of.
const (
	hearing = "hearing"
	saying  = "saying"
	answer  = "answer"
)

// record is what a trace, or the bytes of a session, say of one thing that a speech service
// did: a pipeline.Transcription, a pipeline.Speech or a pipeline.Answered.
type record struct {
	of    string
	id    int64
	value reflect.Value
}

func recordOf[T any](of string, id int64, value T) record {
	return record{of, id, reflect.ValueOf(value)}
}

// records returns those of traces that went over a wire, by their IDs.
func records(traces []pipeline.Trace, r *Result) map[int64]record {
	all := map[int64]record{}
	add := func(x record, simulated bool, o pipeline.Outcome, begun time.Duration) {
		switch {
		case simulated:
		case begun == pipeline.Unknown && (o == pipeline.Dropped || o == pipeline.Cancelled):
			r.Unsent++
		default:
			all[x.id] = x
		}
	}
	for i := range traces {
		t := &traces[i]
		for _, h := range t.Hearings {
			add(recordOf(hearing, h.ID, h), h.Simulated, h.Outcome, h.FirstFrame)
		}
		for _, s := range t.Sayings {
			add(recordOf(saying, s.ID, s), s.Simulated, s.Outcome, s.Sent)
		}
		for _, a := range t.Answers {
			add(recordOf(answer, a.ID, a), a.Simulated, a.Outcome, a.FirstFrame)
		}
	}
	return all
}

// spoken returns what the session of a protocol is made of, "" for that of a language model.
func spoken(protocol string) string {
	switch {
	case slices.Contains(listen.Protocols(), protocol):
		return hearing
	case slices.Contains(speak.Protocols(), protocol):
		return saying
	case protocol == converse.Name, protocol == phone.Name:
		return answer
	}
	return ""
}

// retold returns the records that the bytes of a session make: one of each turn in it.
func retold(of string, x *exchange.Exchange) (all []record, err error) {
	switch {
	case of == hearing:
		turns, failed := listen.RetellAll(x, nil)
		for _, r := range turns {
			all = append(all, recordOf(of, r.ID, r))
		}
		err = failed
	case of == saying:
		r, failed := speak.Retell(x, nil)
		all, err = []record{recordOf(of, r.ID, r)}, failed
	default:
		tell := converse.RetellAll
		if x.Protocol == phone.Name {
			tell = phone.RetellAll
		}
		turns, failed := tell(x, nil)
		for _, r := range turns {
			all = append(all, recordOf(of, r.ID, r))
		}
		err = failed
	}
	return all, err
}

// compareSpeech compares a session with those of the records that it made, which are then not
// left any more.
func (r *Result) compareSpeech(of string, left map[int64]record, x *exchange.Exchange, says *told, early bool) error {
	again, err := retold(of, x)
	known := false
	if errors.Is(err, talk.ErrTextless) {
		for _, id := range inSession(x) {
			if _, ours := left[id]; ours {
				known = true
				delete(left, id)
				r.Wordless++
			}
		}
		if !known {
			r.other(early)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range again {
		a, ours := left[b.id]
		if !ours || a.of != of {
			continue
		}
		known = true
		delete(left, b.id)
		r.spoke(of)
		says.add(b)
		for i, f := range fieldsOf(a.value) {
			if g := fieldsOf(b.value)[i]; f.value != g.value {
				r.Differ = append(r.Differ, Difference{of, b.id, f.name, f.value, g.value})
			}
		}
	}
	if !known {
		r.other(early)
	}
	return nil
}

// beginTurn are the notes of a session that another turn began in it, with the ID of its
// record, as package listen, converse and phone write them.
var beginTurn = []string{"turn", "onset"}

// inSession returns the IDs of the turns of a session whose words were not kept: its notes,
// which are, name those after the first.
func inSession(x *exchange.Exchange) []int64 {
	all := []int64{x.Request}
	for _, n := range x.Notes {
		if slices.Contains(beginTurn, n.Name) && !slices.Contains(all, n.N) {
			all = append(all, n.N)
		}
	}
	return all
}

func (r *Result) spoke(of string) {
	switch of {
	case hearing:
		r.Hearings++
	case saying:
		r.Sayings++
	default:
		r.Answers++
	}
}

// field is a member of a record, by its name in a trace file.
type field struct{ name, value string }

// unsaid are members that no byte tells: how a record came to be.
var unsaid = []string{"Simulated"}

// fieldsOf returns the members of a record, in order.
func fieldsOf(v reflect.Value) (all []field) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch x := v.Field(i).Interface().(type) {
		case pipeline.Transport:
			for _, f := range fieldsOf(v.Field(i)) {
				all = append(all, field{"transport." + f.name, f.value})
			}
		case time.Duration:
			all = append(all, field{wireName(name) + "_ns", nanos(x)})
		case string:
			all = append(all, field{wireName(name), strconv.Quote(strings.ToValidUTF8(x, "\ufffd"))})
		case []string:
			all = append(all, field{wireName(name), fmt.Sprintf("%q", x)})
		case []pipeline.Mark:
			all = append(all, field{wireName(name), marks(x)})
		default:
			if !slices.Contains(unsaid, name) {
				all = append(all, field{wireName(name), fmt.Sprint(x)})
			}
		}
	}
	return all
}

func nanos(d time.Duration) string {
	if d == pipeline.Unknown {
		return unknown
	}
	return strconv.FormatInt(int64(d), 10)
}

func marks(all []pipeline.Mark) string {
	words := make([]string, len(all))
	for i, m := range all {
		words[i] = strconv.Quote(strings.ToValidUTF8(m.Name, "\ufffd")) + " at " + nanos(m.At)
	}
	return strings.Join(words, ", ")
}

// wireName returns the name that a trace file has for a member: FirstFrame is first_frame.
func wireName(name string) string {
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
