package talk

import (
	"cmp"
	"encoding/json"
	"strings"

	"halfsecond/pipeline/endpoint/reply"
)

// Complaint reads what a message complains of that is none of a protocol's own, in the
// members that services have for it: error, an object, a text or a code; error_code or
// err_code; detail, a text, or an object with a status, which is a code, or a message; and
// beside these message, description, err_msg or title. It returns nil when none of the first
// is there, or it is a code of 0 or has nothing in it. In a message of a type, unless that is error, a detail is
// one of what the message is about.
func Complaint(data []byte) *reply.Failure {
	var e struct {
		Type        any             `json:"type"`
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
	if f := member(e.Error, words); f != nil {
		return f
	}
	kind := strings.ToLower(text(e.Type))
	typed := kind != "" && !strings.Contains(kind, "error")
	if f := member(e.Detail, ""); f != nil && !typed && (f.Code != nil || f.Message != "") {
		f.Message = cmp.Or(f.Message, words)
		return f
	}
	for _, code := range []any{e.ErrorCode, e.ErrCode} {
		if n, number := code.(float64); number && n != 0 || text(code) != "" && text(code) != "0" {
			return &reply.Failure{Kind: reply.InBand, Message: words, Code: code}
		}
	}
	return nil
}

// member reads a member that holds an error, with the words beside it; nil when it holds none.
func member(raw json.RawMessage, words string) *reply.Failure {
	f := reply.MemberFailure(raw)
	if f == nil {
		return nil
	}
	if raw[0] != '{' && f.Code == nil && words != "" && f.Message != "" { // it was a code
		f.Code, f.Message = f.Message, words
	}
	f.Message = cmp.Or(f.Message, words)
	var detail struct {
		Status any `json:"status"`
	}
	if f.Code == nil && json.Unmarshal(raw, &detail) == nil && text(detail.Status) != "" {
		f.Code = detail.Status
	}
	return f
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
