import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ollama } from 'ollama'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

const client = new Ollama({ host: url })
const messages = [{ role: 'user', content: 'say it' }]

async function all(stream) {
  const parts = []
  for await (const part of stream) parts.push(part)
  return parts
}

// ended checks the last part of an answer of three tokens.
function ended(last) {
  assert.deepEqual([last.done, last.done_reason, last.prompt_eval_count, last.eval_count], [true, 'stop', 2, 3])
  // The first token after 30 ms, two more 5 ms apart.
  assert.deepEqual([last.prompt_eval_duration, last.eval_duration], [30e6, 10e6])
  assert.equal(last.total_duration, 40e6)
}

test('chat, streamed', async () => {
  const parts = await all(await client.chat({ model: 'm', messages, stream: true, mock_answer: 'one two three' }))
  const last = parts.pop()
  assert.deepEqual(parts.map((p) => [p.message.role, p.message.content, p.done]), [['assistant', 'one', false], ['assistant', ' two', false], ['assistant', ' three', false]])
  assert.equal(last.message.content, '')
  ended(last)
})

test('chat, whole', async () => {
  const answer = await client.chat({ model: 'm', messages, mock_answer: 'one two three' })
  assert.deepEqual([answer.model, answer.message.content], ['m', 'one two three'])
  ended(answer)
})

test('a tool, and what came of it', async () => {
  const parameters = { type: 'object', required: ['people'], properties: { people: { type: 'integer', minimum: 2, maximum: 2 } } }
  const tools = [{ type: 'function', function: { name: 'book', parameters } }]
  const parts = await all(await client.chat({ model: 'm', messages, stream: true, tools, mock_tool: 'book' }))
  const calls = parts.flatMap((p) => p.message.tool_calls ?? [])
  assert.deepEqual(calls.map((c) => [c.function.name, c.function.arguments]), [['book', { people: 2 }]])
  assert.equal(parts.at(-1).done_reason, 'stop')
  const answer = await client.chat({
    model: 'm', tools, mock_answer: 'it is booked',
    messages: [...messages, { role: 'assistant', content: '', tool_calls: calls }, { role: 'tool', tool_name: 'book', content: 'done' }],
  })
  assert.equal(answer.message.content, 'it is booked')
})

test('thinking', async () => {
  const parts = await all(await client.chat({ model: 'm', messages, stream: true, think: true, mock_thinking: 'first this', mock_answer: 'one two' }))
  assert.deepEqual(parts.map((p) => [p.message.thinking, p.message.content]), [
    ['first', ''], [' this', ''], [undefined, 'one'], [undefined, ' two'], [undefined, ''],
  ])
  assert.equal(parts.at(-1).eval_count, 4)
})

test('an object of a schema', async () => {
  const format = { type: 'object', required: ['people'], additionalProperties: false, properties: { people: { type: 'integer', minimum: 2, maximum: 2 } } }
  const answer = await client.chat({ model: 'm', messages, format })
  assert.deepEqual(JSON.parse(answer.message.content), { people: 2 })
})

test('generate, streamed', async () => {
  const parts = await all(await client.generate({ model: 'm', prompt: 'say it', stream: true, mock_answer: 'one two three' }))
  const last = parts.pop()
  assert.deepEqual(parts.map((p) => [p.response, p.done]), [['one', false], [' two', false], [' three', false]])
  ended(last)
})

test('generate, whole', async () => {
  const answer = await client.generate({ model: 'm', prompt: 'def f(', suffix: ')', options: { num_predict: 2 }, mock_answer: 'a b c' })
  assert.deepEqual([answer.response, answer.done_reason, answer.eval_count], ['a b', 'length', 2])
})

test('list, show, ps and version', async () => {
  assert.deepEqual((await client.list()).models.map((m) => m.name), ['m:latest'])
  const shown = await client.show({ model: 'm' })
  assert.deepEqual(shown.capabilities, ['completion', 'insert', 'tools'])
  assert.equal(shown.model_info['halfsecond.context_length'], 10_000)
  assert.deepEqual((await client.ps()).models.map((m) => [m.name, m.context_length]), [['m:latest', 10_000]])
  assert.match((await client.version()).version, /^\d+\.\d+\.\d+$/)
})

test('aborted', async () => {
  const stream = await client.chat({ model: 'm', messages, stream: true, options: { num_predict: 4321 }, ignore_eos: true })
  await assert.rejects(async () => {
    let n = 0
    for await (const _ of stream) if (++n === 3) stream.abort()
  }, { name: 'AbortError' })
  const entry = await logged((r) => r.protocol === 'ollama' && r.outcome === 'cancelled')
  assert.equal(entry.generated_after_left, 0)
})

test('a key', () => asksForKey((key) => new Ollama({ host: lockedURL, headers: { Authorization: `Bearer ${key}` } }).list()))

test('errors', async () => {
  await assert.rejects(client.chat({ model: 'none', messages }), { name: 'ResponseError', status_code: 404, error: "model 'none' not found" })
  await assert.rejects(client.generate({ model: 'none', prompt: 'a', stream: true }), { name: 'ResponseError', status_code: 404 })
})
