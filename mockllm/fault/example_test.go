package fault_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"halfsecond/mockllm/fault"
)

func Example() {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello\n")
	})
	rules, err := fault.Parse("faults.yaml", []byte(`rules:
  - name: flaky
    match: {first: 2}
    status: {code: 503, message: "Try again."}
`))
	if err != nil {
		panic(err)
	}
	faults := fault.New(fault.Config{})
	if err := faults.Replace(rules...); err != nil {
		panic(err)
	}
	server := faults.Middleware(hello)
	for range 3 {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
		fmt.Print(w.Code, " ", w.Body)
	}
	_, hits := faults.Rules()
	fmt.Println(hits)
	// Output:
	// 503 {"error":{"message":"Try again.","type":"server_error","param":null,"code":null}}
	// 503 {"error":{"message":"Try again.","type":"server_error","param":null,"code":null}}
	// 200 hello
	// [{flaky 3 2}]
}

func ExampleParse_problems() {
	_, err := fault.Parse("faults.yaml", []byte(`rules:
  - stall: {at: five, fr: 2s}
`))
	fmt.Println(err)
	// Output:
	// faults.yaml:2:12: rules[0].stall: for is missing: want a duration with its unit, such as 200ms
	// faults.yaml:2:17: rules[0].stall.at: want the number of a token, event or frame, from 1; found "five"
	// faults.yaml:2:23: rules[0].stall.fr: unknown key; nearest: for
}
