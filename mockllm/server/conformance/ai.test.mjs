import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

const provider = createOpenAICompatible({ name: 'mock', apiKey: 'any', baseURL: `${url}/v1`, includeUsage: true })
const model = provider('m')
// told returns options that tell the mock what to answer.
const told = (mock) => ({ maxRetries: 0, providerOptions: { mock } })
const schema = jsonSchema({
  type: 'object', required: ['people'], additionalProperties: false, properties: { people: { type: 'integer', minimum: 2, maximum: 2 } },
})

test('text, streamed', async () => {
  const result = streamText({ model, prompt: 'say it', ...told({ mock_answer: 'one two three' }) })
  const texts = []
  for await (const text of result.textStream) texts.push(text)
  assert.deepEqual(texts, ['one', ' two', ' three'])
  assert.equal(await result.finishReason, 'stop')
  const usage = await result.usage
  assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.totalTokens], [2, 3, 5])
})

test('parts of a stream, with reasoning', async () => {
  const result = streamText({ model, prompt: 'say it', ...told({ mock_thinking: 'first this', mock_answer: 'one two' }) })
  const types = []
  for await (const part of result.fullStream) if (part.type !== types.at(-1)) types.push(part.type)
  assert.deepEqual(types, [
    'start', 'start-step', 'reasoning-start', 'reasoning-delta', 'reasoning-end', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish',
  ])
  assert.deepEqual([await result.reasoningText, await result.text], ['first this', 'one two'])
  const usage = await result.usage
  assert.deepEqual([usage.outputTokens, usage.outputTokenDetails.reasoningTokens], [4, 2])
})

test('a tool, and what came of it', async () => {
  const booked = []
  const book = tool({ inputSchema: schema, execute: async (input) => { booked.push(input); return 'done' } })
  const result = await generateText({
    model, prompt: 'say it', tools: { book }, stopWhen: stepCountIs(3), ...told({ mock_tool: 'book' }),
  })
  assert.deepEqual(booked, [{ people: 2 }])
  assert.deepEqual(result.steps.map((s) => s.finishReason), ['tool-calls', 'stop'])
  assert.deepEqual(result.steps[0].toolCalls.map((c) => [c.toolName, c.input]), [['book', { people: 2 }]])
  const [first, last] = result.steps.map((s) => s.usage)
  assert.equal(last.inputTokens, first.totalTokens + 1)
  assert.equal(result.totalUsage.totalTokens, first.totalTokens + last.totalTokens)
})

test('an object of a schema', async () => {
  const structured = createOpenAICompatible({ name: 'mock', baseURL: `${url}/v1`, supportsStructuredOutputs: true })
  const result = await generateText({ model: structured('m'), prompt: 'say it', maxRetries: 0, output: Output.object({ schema }) })
  assert.deepEqual(result.output, { people: 2 })
})

test('to a limit', async () => {
  const result = await generateText({ model, prompt: 'say it', maxOutputTokens: 2, ...told({ mock_answer: 'one two three' }) })
  assert.deepEqual([result.text, result.finishReason], ['one two', 'length'])
})

test('aborted', async () => {
  const hangUp = new AbortController()
  const prompt = 'say it, and go on and on until told to stop' // twelve tokens, by which the log knows it
  const result = streamText({ model, prompt, abortSignal: hangUp.signal, maxOutputTokens: 5000, ...told({ ignore_eos: true }) })
  const types = []
  for await (const part of result.fullStream) {
    types.push(part.type)
    if (part.type === 'text-delta') hangUp.abort()
  }
  assert.equal(types.at(-1), 'abort')
  const entry = await logged((r) => r.path === '/v1/chat/completions' && r.prompt_tokens === 12)
  assert.deepEqual([entry.outcome, entry.generated_after_left], ['cancelled', 0])
})

test('a key', () => asksForKey((apiKey) => generateText({
  model: createOpenAICompatible({ name: 'mock', apiKey, baseURL: `${lockedURL}/v1` })('m'), prompt: 'say it', maxRetries: 0, maxOutputTokens: 1,
})))

test('an error', async () => {
  await assert.rejects(generateText({ model: provider('none'), prompt: 'say it', maxRetries: 0 }), (e) =>
    APICallError.isInstance(e) && e.statusCode === 404 && !e.isRetryable && e.message.startsWith('The model `none` does not exist'))
})
