package main

import (
	"fmt"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// addFirstToken adds how long one request alone waits for its first token, where the
// engine would run it: what its API server takes and the steps of the prompt. An engine
// may take the prompt in several.
func (r *prediction) addFirstToken(plan *roofline.Plan) {
	replica := engine.Replica{Plan: plan}
	if len(plan.Missing()) > 0 || replica.Validate() != nil || r.PromptTokens+1 > replica.Context() {
		return
	}
	e := plan.Deployment().Engine
	front := milliseconds(e.RequestFixed) + float64(r.PromptTokens)*milliseconds(e.TokenizeToken)
	prompt := milliseconds(replica.First(r.PromptTokens))
	ttft := front + prompt
	r.TTFTMS, r.FrontEndMS, r.PromptMS = &ttft, &front, &prompt
}

// firstToken says of what the time to the first token is made.
func (r *prediction) firstToken() string {
	text := "one request alone: prefill"
	if *r.PromptMS != *r.PrefillMS {
		text = fmt.Sprintf("one request alone: %s for the prompt in the steps that the engine cuts it into", inTime(*r.PromptMS, significant))
	}
	if *r.FrontEndMS == 0 {
		return text
	}
	return text + fmt.Sprintf(", and %s in the API server before it", inTime(*r.FrontEndMS, significant))
}
