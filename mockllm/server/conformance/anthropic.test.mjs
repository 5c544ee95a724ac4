import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 })
const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'say it' }] }
const tools = [{
  name: 'book', input_schema: { type: 'object', required: ['people'], additionalProperties: false, properties: { people: { type: 'integer', minimum: 2, maximum: 2 } } },
}]

// typesOf returns the types of the events of a stream, those of one kind in a row once.
async function typesOf(stream) {
  const types = []
  for await (const event of stream) {
    const type = event.delta?.type ? `${event.type} ${event.delta.type}` : event.type
    if (type !== types.at(-1) && type !== 'ping') types.push(type)
  }
  return types
}

test('text, streamed', async () => {
  const stream = client.messages.stream({ ...ask, mock_answer: 'one two three' })
  const texts = []
  stream.on('text', (text) => texts.push(text))
  assert.deepEqual(await typesOf(stream), [
    'message_start', 'content_block_start', 'content_block_delta text_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ])
  assert.deepEqual(texts, ['one', ' two', ' three'])
  const message = await stream.finalMessage()
  assert.deepEqual(message.content, [{ type: 'text', text: 'one two three' }])
  assert.deepEqual([message.role, message.model, message.stop_reason, message.stop_sequence], ['assistant', 'm', 'end_turn', null])
  assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [2, 3])
})

test('text, whole', async () => {
  const message = await client.messages.create({ ...ask, max_tokens: 2, mock_answer: 'one two three' })
  assert.deepEqual(message.content, [{ type: 'text', text: 'one two' }])
  assert.deepEqual([message.stop_reason, message.usage.input_tokens, message.usage.output_tokens], ['max_tokens', 2, 2])
})

test('a stop sequence', async () => {
  const message = await client.messages.stream({ ...ask, stop_sequences: [' three'], mock_answer: 'one two three' }).finalMessage()
  assert.deepEqual([message.content[0].text, message.stop_reason, message.stop_sequence], ['one two', 'stop_sequence', ' three'])
})

test('thinking', async () => {
  const stream = client.messages.stream({ ...ask, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 }, mock_thinking: 'first this', mock_answer: 'one two' })
  let thought = '', signature
  stream.on('thinking', (delta) => thought += delta)
  stream.on('signature', (s) => signature = s)
  assert.deepEqual(await typesOf(stream), [
    'message_start', 'content_block_start', 'content_block_delta thinking_delta', 'content_block_delta signature_delta', 'content_block_stop',
    'content_block_start', 'content_block_delta text_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ])
  const message = await stream.finalMessage()
  assert.equal(thought, 'first this')
  assert.ok(signature.length > 10)
  assert.deepEqual(message.content, [{ type: 'thinking', thinking: thought, signature }, { type: 'text', text: 'one two' }])
  assert.deepEqual([message.usage.output_tokens, message.usage.output_tokens_details.thinking_tokens], [4, 2])
})

test('a tool, and what came of it', async () => {
  const stream = client.messages.stream({ ...ask, tools, tool_choice: { type: 'any' } })
  let json = ''
  stream.on('inputJson', (delta) => json += delta)
  const message = await stream.finalMessage()
  const [use] = message.content
  assert.deepEqual([use.type, use.name, use.input, message.stop_reason], ['tool_use', 'book', { people: 2 }, 'tool_use'])
  assert.deepEqual(JSON.parse(json), { people: 2 })
  const answer = await client.messages.create({
    ...ask, tools, mock_answer: 'it is booked',
    messages: [...ask.messages, { role: 'assistant', content: message.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'done' }] }],
  })
  assert.equal(answer.content[0].text, 'it is booked')
  assert.equal(answer.usage.input_tokens, message.usage.input_tokens + message.usage.output_tokens + 1)
})

test('count_tokens', async () => {
  const { input_tokens: tokens } = await client.messages.countTokens({ model: 'm', messages: ask.messages })
  assert.equal(tokens, 2)
})

test('hung up', async () => {
  const stream = client.messages.stream({ ...ask, max_tokens: 5000, ignore_eos: true })
  let id
  await assert.rejects(async () => {
    for await (const event of stream) {
      id = event.message?.id ?? id
      if (event.type === 'content_block_delta') stream.abort()
    }
  }, Anthropic.APIUserAbortError)
  const entry = await logged((r) => r.id === id)
  assert.deepEqual([entry.protocol, entry.outcome, entry.generated_after_left], ['anthropic messages', 'cancelled', 0])
})

test('models', async () => {
  const names = []
  for await (const model of client.models.list()) names.push(model.id)
  assert.deepEqual(names, ['m'])
})

test('a key, and a token', async () => {
  await asksForKey((apiKey) => new Anthropic({ apiKey, baseURL: lockedURL, maxRetries: 0 }).models.list())
  await asksForKey((authToken) => new Anthropic({ apiKey: null, authToken, baseURL: lockedURL, maxRetries: 0 }).models.list())
})

test('errors', async () => {
  await assert.rejects(client.messages.create({ ...ask, model: 'none' }), (e) =>
    e instanceof Anthropic.NotFoundError && e.type === 'not_found_error' && e.requestID.startsWith('req_'))
  await assert.rejects(client.messages.create({ ...ask, max_tokens: 0 }), (e) =>
    e instanceof Anthropic.BadRequestError && e.type === 'invalid_request_error')
  await assert.rejects(client.messages.stream({ ...ask, model: 'none' }).finalMessage(), Anthropic.NotFoundError)
})
