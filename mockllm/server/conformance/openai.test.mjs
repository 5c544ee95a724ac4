import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'any', baseURL: `http://${process.env.MOCK}/v1`, maxRetries: 0 })
const messages = [{ role: 'user', content: 'say it' }]

test('chat, streamed', async () => {
  const stream = await client.chat.completions.create({
    model: 'm', messages, stream: true, stream_options: { include_usage: true }, mock_answer: 'one two three',
  })
  let text = '', finish, usage, chunks = 0
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) chunks++
    text += chunk.choices[0]?.delta.content ?? ''
    finish = chunk.choices[0]?.finish_reason ?? finish
    usage = chunk.usage ?? usage
  }
  assert.equal(text, 'one two three')
  assert.equal(chunks, 3)
  assert.equal(finish, 'stop')
  assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [2, 3, 5])
})

test('chat, whole', async () => {
  const answer = await client.chat.completions.create({ model: 'm', messages, max_completion_tokens: 2, mock_answer: 'one two three' })
  assert.equal(answer.choices[0].message.content, 'one two')
  assert.equal(answer.choices[0].finish_reason, 'length')
})

test('chat, cancelled', async () => {
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true, ignore_eos: true, max_tokens: 5000 })
  let n = 0
  for await (const _ of stream) if (++n === 5) break
  assert.equal(n, 5)
})

test('tools, streamed', async () => {
  const runner = client.chat.completions.stream({
    model: 'm', messages, tool_choice: 'required',
    tools: [{ type: 'function', function: { name: 'book', parameters: { type: 'object', required: ['people'], properties: { people: { type: 'integer' } } } } }],
  })
  const answer = await runner.finalChatCompletion()
  const call = answer.choices[0].message.tool_calls[0]
  assert.equal(answer.choices[0].finish_reason, 'tool_calls')
  assert.equal(call.function.name, 'book')
  assert.equal(typeof JSON.parse(call.function.arguments).people, 'number')
})

test('completions', async () => {
  const stream = await client.completions.create({ model: 'm', prompt: 'def f(', suffix: ')', stream: true, mock_answer: 'a, b' })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.text ?? ''
  assert.equal(text, 'a, b')
})

test('responses, streamed', async () => {
  const stream = await client.responses.create({ model: 'm', input: 'say it', stream: true, mock_answer: 'one two three' })
  let text = '', last, sequence = -1
  for await (const event of stream) {
    assert.equal(event.sequence_number, ++sequence)
    if (event.type === 'response.output_text.delta') text += event.delta
    last = event
  }
  assert.equal(text, 'one two three')
  assert.equal(last.type, 'response.completed')
  assert.equal(last.response.output_text ?? last.response.output[0].content[0].text, 'one two three')
  assert.equal(last.response.usage.output_tokens, 3)
})

test('models', async () => {
  const names = []
  for await (const model of client.models.list()) names.push(model.id)
  assert.deepEqual(names, ['m'])
})

test('an error', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'none', messages }), (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found')
})
