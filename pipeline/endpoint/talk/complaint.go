package talk

import (
	"cmp"
	"encoding/json"

	"halfsecond/pipeline/endpoint/reply"
)

// Complaint reads what a message complains of that is none of a protocol's own, in the
// members that services have for it: error, an object, a text or a code; error_code or
// err_code; detail, an object, whose status is a code, or a text; and beside these message,
// description, err_msg or title. It returns nil when none of the first is there.
func Complaint(data []byte) *reply.Failure {
	var e struct {
		Error       json.RawMessage `json:"error"`
		Detail      json.RawMessage `json:"detail"`
		ErrorCode   any             `json:"error_code"`
		ErrCode     any             `json:"err_code"`
		Message     any             `json:"message"`
		Description any             `json:"description"`
		ErrMsg      any             `json:"err_msg"`
		Title       any             `json:"title"`
	}
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	words := cmp.Or(text(e.Message), text(e.Description), text(e.ErrMsg), text(e.Title))
	for _, member := range []json.RawMessage{e.Error, e.Detail} {
		f := reply.MemberFailure(member)
		switch {
		case f == nil:
			continue
		case f.Code == nil && words != "" && f.Message != "": // it was a code
			f.Code, f.Message = f.Message, words
		}
		f.Message = cmp.Or(f.Message, words)
		var detail struct {
			Status any `json:"status"`
		}
		if f.Code == nil && json.Unmarshal(member, &detail) == nil && text(detail.Status) != "" {
			f.Code = detail.Status
		}
		return f
	}
	for _, code := range []any{e.ErrorCode, e.ErrCode} {
		if _, number := code.(float64); number || text(code) != "" {
			return &reply.Failure{Kind: reply.InBand, Message: words, Code: code}
		}
	}
	return nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
