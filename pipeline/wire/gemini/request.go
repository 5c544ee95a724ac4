package gemini

import (
	"encoding/json"

	"halfsecond/pipeline/wire"
)

// Path is the path of the API below its base, which ends in /v1beta: a list of models,
// and below it each of them, with a colon and a method behind its name.
const Path = "/models"

// Methods of a model.
const (
	Generate    = "generateContent"
	Stream      = "streamGenerateContent" // with the query alt=sse in events, else as a JSON array
	CountTokens = "countTokens"
)

// GenerateRequest is the body of generateContent and streamGenerateContent. A nil
// pointer is a field that was not sent.
type GenerateRequest struct {
	Contents          []Content         `json:"contents"`
	SystemInstruction *Content          `json:"systemInstruction,omitempty"`
	GenerationConfig  *GenerationConfig `json:"generationConfig,omitempty"`
	Tools             []Tool            `json:"tools,omitempty"`
	ToolConfig        *ToolConfig       `json:"toolConfig,omitempty"`
	// What follows is as in wire.Mock.
	MockAnswer   string     `json:"mockAnswer,omitempty"`
	MockThinking string     `json:"mockThinking,omitempty"`
	MockTool     wire.Names `json:"mockTool,omitempty"`
}

// Content is one turn of a conversation, or a part of an answer.
type Content struct {
	Role  string `json:"role,omitempty"` // "user" or "model"
	Parts []Part `json:"parts,omitempty"`
}

// Part is a piece of a Content: one of its members is set.
type Part struct {
	Text             *string           `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"` // the text is reasoning
	FunctionCall     *FunctionCall     `json:"functionCall,omitempty"`
	FunctionResponse *FunctionResponse `json:"functionResponse,omitempty"`
	InlineData       *Blob             `json:"inlineData,omitempty"`
}

// Blob is an image, audio or the like.
type Blob struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"` // base64
}

// FunctionCall is a call that the model makes.
type FunctionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // an object
}

// FunctionResponse is the result of a call.
type FunctionResponse struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response,omitempty"` // an object
}

// GenerationConfig says how to generate.
type GenerationConfig struct {
	MaxOutputTokens    *int            `json:"maxOutputTokens,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
	TopP               *float64        `json:"topP,omitempty"`
	TopK               *float64        `json:"topK,omitempty"`
	CandidateCount     *int            `json:"candidateCount,omitempty"`
	StopSequences      []string        `json:"stopSequences,omitempty"`
	Seed               *int64          `json:"seed,omitempty"`
	ResponseMimeType   string          `json:"responseMimeType,omitempty"`
	ResponseSchema     json.RawMessage `json:"responseSchema,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	ThinkingConfig     *ThinkingConfig `json:"thinkingConfig,omitempty"`
}

// ThinkingConfig says how much to reason. A budget of 0 is none, -1 as much as the model
// sees fit.
type ThinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"` // tokens
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

// Tool holds functions that the model may call.
type Tool struct {
	FunctionDeclarations []FunctionDeclaration `json:"functionDeclarations,omitempty"`
}

// FunctionDeclaration describes one function.
type FunctionDeclaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a schema whose types are in capitals
	// ParametersJSONSchema is a JSON schema in place of Parameters.
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

// ToolConfig says whether functions may or must be called.
type ToolConfig struct {
	FunctionCallingConfig *FunctionCallingConfig `json:"functionCallingConfig,omitempty"`
}

// FunctionCallingConfig is a ToolConfig of functions.
type FunctionCallingConfig struct {
	Mode                 string   `json:"mode,omitempty"` // AUTO, ANY, NONE or VALIDATED; "" is AUTO
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
}

// CountTokensRequest is the body of countTokens: contents, or a whole request.
type CountTokensRequest struct {
	Contents               []Content        `json:"contents,omitempty"`
	GenerateContentRequest *GenerateRequest `json:"generateContentRequest,omitempty"`
}

// ShowsThoughts reports whether the client wants to see the reasoning.
func (q *GenerateRequest) ShowsThoughts() bool {
	c := q.GenerationConfig
	return c != nil && c.ThinkingConfig != nil && c.ThinkingConfig.IncludeThoughts
}
