package streamcase

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// CompareSpeech is Compare for speech that was made of a text. Failure is what was reported
// as wrong, if something was. A voice budget is judged on the first sample that can be
// heard.
func CompareSpeech(expect map[string]any, r *pipeline.Speech, failure *reply.Failure) []string {
	got := map[string]any{
		"outcome": r.Outcome.String(), "error": failureFigures(failure),
		"ttfb_ms": ms(r.TTFB()), "ttfa_ms": ms(r.TTFA()), "ttaa_ms": ms(r.TTAA()), "stream_end_ms": ms(r.End),
		"sample_rate": nil, "channels": nil, "bits": nil, "audio_ms": nil, "flags": list(r.Flags),
	}
	if r.FirstAudio != pipeline.Unknown {
		got["sample_rate"], got["channels"], got["bits"] = float64(r.Rate), float64(r.Channels), float64(r.Bits)
		got["audio_ms"] = ms(r.Length())
	}
	return compare(expect, got, func(limits map[string]any) []string {
		return verdicts(limits, []string{"voice_first_audio"}, r.Outcome, r.TTAA())
	})
}

// CompareTranscription is Compare for speech that was written down. A voice budget is
// judged on the last final text since the end of speech.
func CompareTranscription(expect map[string]any, r *pipeline.Transcription, failure *reply.Failure) []string {
	got := map[string]any{
		"outcome": r.Outcome.String(), "error": failureFigures(failure), "text": r.Text,
		"ttfp_ms": ms(r.TTFP()), "ttfs_ms": ms(r.TTFS()), "partials": float64(r.Partials), "flags": list(r.Flags),
	}
	return compare(expect, got, func(limits map[string]any) []string {
		return verdicts(limits, []string{"voice_final_text"}, r.Outcome, r.TTFS())
	})
}
