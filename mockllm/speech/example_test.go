package speech_test

import (
	"context"
	"fmt"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// A recognizer hears a second of silence, speech and silence, in chunks of 20 ms.
func ExampleRecognizer() {
	voice := speech.TTS{Lead: time.Second, Tail: time.Second}
	clip := speech.Say("Could you book a table for two?", voice, 16000)

	var loop pipeline.Virtual
	profile, _ := speech.FindSTT("nova-3")
	profile.Final = dist.Constant(247 * time.Millisecond)
	r := speech.NewRecognizer(&loop, speech.Hearing{
		Rate:    16000,
		Profile: profile,
		Script:  speech.Script{Texts: []string{"Could you book a table for two?"}},
		Turn:    speech.Turn{Silence: 300 * time.Millisecond},
	}, func(e speech.Event) {
		switch e.Kind {
		case speech.SpeechStarted:
			fmt.Println(loop.Now(), "speech since", e.Start)
		case speech.Final:
			fmt.Println(loop.Now(), e.Text(), e.Endpoint)
		}
	})
	const chunk = 320
	for at := 0; at+chunk <= len(clip.Samples); at += chunk {
		arrival := time.Duration(at/chunk+1) * 20 * time.Millisecond
		loop.At(arrival, pipeline.RankInput, func() { r.Feed(clip.Samples[at : at+chunk]) })
	}
	if err := loop.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1.08s speech since 1s
	// 2.98s Could you book a table for two? true
}
