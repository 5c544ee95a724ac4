package talk

import "testing"

// TestComplaint: errors in the shapes that services give them.
func TestComplaint(t *testing.T) {
	for data, want := range map[string]string{
		`{"error_code":"internal_error","title":"Internal Server Error","message":"an error"}`: "the server reports error internal_error: an error",
		`{"error_code":"internal_error","title":"Internal Server Error"}`:                      "the server reports error internal_error: Internal Server Error",
		`{"err_code":"DATA-0001","err_msg":"bad"}`:                                             "the server reports error DATA-0001: bad",
		`{"error":{"message":"no","code":"c"}}`:                                                "the server reports error c: no",
		`{"error":"no"}`:                                                                       "the server reports an error: no",
		`{"error":"input_timeout_exceeded","message":"too long","code":1008}`:                  "the server reports error input_timeout_exceeded: too long",
		`{"error":{"code":"c"},"message":"no"}`:                                                "the server reports error c: no",
		`{"detail":{"status":"s","message":"no"}}`:                                             "the server reports error s: no",
		`{"detail":"no"}`:                    "the server reports an error: no",
		`{"error_code":4008,"message":"no"}`: "the server reports error 4008: no",
		`{"message":"all is well","title":"so it is","error":null,"detail":false,"error_code":""}`: "",
		`{"type":"stats","detail":{"latency":3}}`:                                                  "",
		`{"detail":{"latency":3}}`:                                                                 "",
		`{"type":"x","error_code":0,"message":"ok"}`:                                               "",
		`{"type":"pong","detail":"all well"}`:                                                      "",
		`{"type":"x","error":0,"message":"ok"}`:                                                    "",
		`{"type":"auth_error","detail":"who are you?"}`:                                            "the server reports an error: who are you?",
		`{"type":"x","error":"no","detail":{"a":1}}`:                                               "the server reports an error: no",
		`{"detail":{"latency":3},"message":"ok"}`:                                                  "",
		`{"detail":{"status":"s"},"message":"no"}`:                                                 "the server reports error s: no",
		`{"type":"x","error_code":"0","message":"ok"}`:                                             "",
		`{"type":"x","error":{ },"message":"ok"}`:                                                  "",
		`{"error":[]}`:            "",
		`{"type":7,"error":"no"}`: "the server reports an error: no",
		`{"type":"Metadata"}`:     "",
		`"error"`:                 "",
		`{`:                       "",
	} {
		got := ""
		if f := Complaint([]byte(data)); f != nil {
			got = f.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
