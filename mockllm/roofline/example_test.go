package roofline_test

import (
	"fmt"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// One H100 serving Llama-3.1-8B: a prompt of 1,000 tokens, then eight
// conversations at once.
func Example() {
	model, _ := catalog.FindModel("Llama-3.1-8B")
	hardware, _ := catalog.FindHardware("H100-SXM")
	plan, err := roofline.New(roofline.Deployment{Model: model, Hardware: hardware})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("prefill:", plan.Prefill(1000))
	fmt.Println("decode step:", plan.Decode(8, 1000))
	fmt.Println("bound by:", plan.Explain(roofline.DecodeBatch(8, 1000)).BoundBy())
	// Output:
	// prefill: 23.058509ms
	// decode step: 6.824495ms
	// bound by: memory
}
