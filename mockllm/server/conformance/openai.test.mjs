import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

const client = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 })
const messages = [{ role: 'user', content: 'say it' }]
// Only one object is of this schema.
const schema = {
  type: 'object', additionalProperties: false, required: ['people', 'time'],
  properties: { people: { type: 'integer', minimum: 2, maximum: 2 }, time: { enum: ['seven'] } },
}
const booking = { people: 2, time: 'seven' }

test('chat, streamed', async () => {
  const stream = await client.chat.completions.create({
    model: 'm', messages, stream: true, stream_options: { include_usage: true }, mock_answer: 'one two three',
  })
  const texts = []
  let finish, usage
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) texts.push(chunk.choices[0].delta.content)
    finish = chunk.choices[0]?.finish_reason ?? finish
    usage = chunk.usage ?? usage
  }
  assert.deepEqual(texts, ['one', ' two', ' three'])
  assert.equal(finish, 'stop')
  assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [2, 3, 5])
})

test('chat, whole', async () => {
  const answer = await client.chat.completions.create({ model: 'm', messages, max_completion_tokens: 2, mock_answer: 'one two three' })
  assert.equal(answer.choices[0].message.content, 'one two')
  assert.equal(answer.choices[0].finish_reason, 'length')
})

test('chat, to a stop', async () => {
  const answer = await client.chat.completions.create({ model: 'm', messages, stop: ' three', mock_answer: 'one two three' })
  assert.deepEqual(answer.choices.map((c) => [c.index, c.message.content, c.finish_reason]), [[0, 'one two', 'stop']])
})

test('chat, with reasoning', async () => {
  const stream = await client.chat.completions.create({
    model: 'm', messages, stream: true, stream_options: { include_usage: true }, mock_thinking: 'first this', mock_answer: 'one two',
  })
  const deltas = []
  let usage
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta ?? {}
    if (delta.reasoning_content || delta.content) deltas.push([delta.reasoning_content, delta.content])
    usage = chunk.usage ?? usage
  }
  assert.deepEqual(deltas, [['first', undefined], [' this', undefined], [undefined, 'one'], [undefined, ' two']])
  assert.deepEqual([usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens], [4, 2])
})

test('chat, hung up', async () => {
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true, ignore_eos: true, max_tokens: 5000 })
  let n = 0, id
  for await (const chunk of stream) {
    id = chunk.id
    if (++n === 5) break
  }
  const entry = await logged((r) => r.id === id)
  assert.deepEqual([entry.outcome, entry.generated_after_left], ['cancelled', 0])
  assert.ok(entry.generated_tokens >= 4 && entry.generated_tokens < 5000, `${entry.generated_tokens} tokens`)
})

test('tools, streamed', async () => {
  const runner = client.chat.completions.stream({
    model: 'm', messages, tool_choice: 'required', tools: [{ type: 'function', function: { name: 'book', parameters: schema } }],
  })
  const answer = await runner.finalChatCompletion()
  const call = answer.choices[0].message.tool_calls[0]
  assert.equal(answer.choices[0].finish_reason, 'tool_calls')
  assert.equal(call.function.name, 'book')
  assert.deepEqual(JSON.parse(call.function.arguments), booking)
})

test('an object of a schema', async () => {
  const chat = await client.chat.completions.parse({
    model: 'm', messages, response_format: { type: 'json_schema', json_schema: { name: 'booking', strict: true, schema } },
  })
  assert.deepEqual(chat.choices[0].message.parsed, booking)
  const response = await client.responses.parse({ model: 'm', input: 'say it', text: { format: { type: 'json_schema', name: 'booking', strict: true, schema } } })
  assert.deepEqual(response.output_parsed, booking)
})

test('completions', async () => {
  const stream = await client.completions.create({ model: 'm', prompt: 'def f(', suffix: ')', stream: true, mock_answer: 'a, b' })
  let text = '', finish
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? ''
    finish = chunk.choices[0]?.finish_reason ?? finish
  }
  assert.deepEqual([text, finish], ['a, b', 'stop'])
})

test('responses, streamed', async () => {
  const stream = await client.responses.create({ model: 'm', input: 'say it', stream: true, mock_answer: 'one two three' })
  const events = []
  for await (const event of stream) events.push(event)
  assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i))
  assert.deepEqual(events.map((e) => e.type), [
    'response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added',
    'response.output_text.delta', 'response.output_text.delta', 'response.output_text.delta',
    'response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed',
  ])
  assert.equal(events.map((e) => e.type === 'response.output_text.delta' ? e.delta : '').join(''), 'one two three')
  const { response } = events.at(-1)
  assert.equal(response.output[0].content[0].text, 'one two three')
  assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens], [2, 3, 5])
})

test('responses, a call and what came of it', async () => {
  const tools = [{ type: 'function', name: 'book', strict: true, parameters: schema }]
  const stream = client.responses.stream({ model: 'm', input: 'say it', tools, tool_choice: 'required' })
  let text = ''
  stream.on('response.function_call_arguments.delta', (e) => text += e.delta)
  const asked = await stream.finalResponse()
  const [call] = asked.output
  assert.deepEqual([call.type, call.name, call.status, call.arguments], ['function_call', 'book', 'completed', text])
  assert.deepEqual(call.parsed_arguments, booking)
  const answer = await client.responses.create({
    model: 'm', tools, previous_response_id: asked.id, input: [{ type: 'function_call_output', call_id: call.call_id, output: 'done' }], mock_answer: 'it is booked',
  })
  assert.equal(answer.output_text, 'it is booked')
  assert.equal(answer.previous_response_id, asked.id)
  // What was said so far, and one word.
  assert.equal(answer.usage.input_tokens, asked.usage.total_tokens + 1)
  assert.equal((await client.responses.retrieve(answer.id)).output_text, 'it is booked')
})

test('responses, hung up', async () => {
  const stream = await client.responses.create({ model: 'm', input: 'say it', stream: true, ignore_eos: true, max_output_tokens: 5000 })
  let id
  for await (const event of stream) {
    id = event.response?.id ?? id
    if (event.type === 'response.output_text.delta') break
  }
  const entry = await logged((r) => r.id === id)
  assert.deepEqual([entry.outcome, entry.generated_after_left], ['cancelled', 0])
})

test('models', async () => {
  const names = []
  for await (const model of client.models.list()) names.push(model.id)
  assert.deepEqual(names, ['m'])
})

test('a key', () => asksForKey((apiKey) => new OpenAI({ apiKey, baseURL: `${lockedURL}/v1`, maxRetries: 0 }).models.list()))

test('errors', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'none', messages }), (e) =>
    e instanceof OpenAI.NotFoundError && e.code === 'model_not_found' && e.requestID.startsWith('req_'))
  await assert.rejects(client.chat.completions.create({ model: 'm', messages, max_tokens: -1 }), (e) =>
    e instanceof OpenAI.BadRequestError && e.type === 'invalid_request_error' && e.param === 'max_tokens')
  await assert.rejects(client.responses.create({ model: 'm', input: 'a', previous_response_id: 'resp_none' }), (e) =>
    e instanceof OpenAI.BadRequestError && e.code === 'previous_response_not_found' && e.param === 'previous_response_id')
})
