package seen

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

func TestAboutModel(t *testing.T) {
	for message, want := range map[string]bool{
		"The model `gpt-5x` does not exist or you do not have access to it.": true,
		"model 'llama9' not found, try pulling it first":                     true,
		"model: claude-9": true,
		"models/gemini-9 is not found for API version v1beta": true,
		"Invalid model: codestral-9":                          true,
		"model is required":                                   true,
		"Unknown request URL: POST /v2/chat/completions. Please check the URL, such as /v1/models, for what is not found": false,
		"404 page not found":                         false,
		"Invalid URL (POST /v1/v1/chat/completions)": false,
		"": false,
	} {
		if got := AboutModel(message); got != want {
			t.Errorf("AboutModel(%q) = %v, want %v", message, got, want)
		}
	}
}

func TestRequest(t *testing.T) {
	r := Request{Record: pipeline.NewRequest(1, 0), Headers: [][2]string{{"Server", "nginx"}}}
	if r.Refused() || r.OK() != (r.Record.Outcome == pipeline.OK) || r.Outputs() != nil || r.Since(time.Second) != pipeline.Unknown {
		t.Error("a request that was not sent says something")
	}
	if r.Header("server") != "nginx" || r.Header("Via") != "" {
		t.Errorf("headers %q and %q, want nginx and none", r.Header("server"), r.Header("Via"))
	}
	r.Record.Sent, r.Record.Transport.Status = time.Second, 404
	r.Reply = &reply.Reply{Failure: &reply.Failure{Kind: reply.HTTPStatus, Message: "not here"}}
	if !r.Refused() || !r.Missing() || r.Since(3*time.Second) != 2*time.Second {
		t.Error("want an answer of 404 to be a refusal, and the place to be missing")
	}
	r.Reply.Failure.Message = "model 'm' not found"
	if r.Missing() {
		t.Error("a model that is not known is no missing place")
	}
}
