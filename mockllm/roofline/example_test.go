package roofline_test

import (
	"fmt"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// What no engine can beat on one H100 with Llama-3.1-8B: a prompt of 1,000 tokens,
// then eight conversations at once. Without Constants, those of vLLM are used.
func Example() {
	model, _ := catalog.FindModel("Llama-3.1-8B")
	hardware, _ := catalog.FindHardware("H100-SXM")
	plan, err := roofline.New(roofline.Deployment{Model: model, Hardware: hardware, Constants: roofline.Ideal()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("prefill:", plan.Prefill(1000))
	fmt.Println("decode step:", plan.Decode(8, 1000))
	fmt.Println("bound by:", plan.Explain(plan.DecodeBatch(8, 1000)).BoundBy())
	// Output:
	// prefill: 14.380019ms
	// decode step: 4.793401ms
	// bound by: memory
}
