package openai

import (
	"fmt"
	"net/http"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire"
)

// refusal is why a request is refused, in the shape of the OpenAI API.
type refusal struct {
	status int
	wire.ErrorBody
}

// refuse returns a refusal; param and code may be "".
func refuse(param, code, format string, args ...any) *refusal {
	e := wire.APIError{Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		e.Param = &param
	}
	if code != "" {
		e.Code = &code
	}
	return &refusal{http.StatusBadRequest, wire.ErrorBody{Error: e}}
}

func (f *refusal) write(w http.ResponseWriter) { talk.WriteJSON(w, f.status, f.ErrorBody) }
