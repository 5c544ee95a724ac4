package seen

import "regexp"

// aboutModel finds the words by which servers say that they do not know a model, or were
// not told of one: those of OpenAI, vLLM, Ollama, Anthropic, Gemini and Mistral.
var aboutModel = regexp.MustCompile(`(?i)\bmodel\b[^/?]{0,120}\b(not found|not exist|not available|required|unknown)|\bmodels/\S+ is not found|^model: |invalid model`)

// AboutModel reports whether the words of an error say that the model is not known.
func AboutModel(message string) bool { return aboutModel.MatchString(message) }
