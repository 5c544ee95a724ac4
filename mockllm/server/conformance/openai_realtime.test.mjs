import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { bytesIn, loudest, paced, silence, utterance } from './audio.mjs'
import { allClosed, asksForKey, lockedURL, logged, secureURL, url } from './mock.mjs'

after(allClosed)

const rate = 24_000
const client = new OpenAI({ apiKey: 'any', baseURL: `${secureURL}/v1`, maxRetries: 0 })
const voice = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 })
const session = {
  type: 'realtime', instructions: 'Be brief.', audio: {
    input: { transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } },
  },
}

let made
// spoken returns an utterance, and the silence after which it has ended.
const spoken = () => made ??= voice.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: utterance, response_format: 'pcm' })
  .then(async (r) => Buffer.concat([Buffer.from(await r.arrayBuffer()), silence(600, rate)]))

// Call is a session with all that the server has said.
class Call {
  events = []
  errors = []

  constructor(t) {
    this.rt = new OpenAIRealtimeWS({ model: 'gpt-realtime' }, client)
    this.rt.on('event', (e) => this.events.push(e))
    this.rt.on('error', (e) => this.errors.push(e))
    this.closed = once(this.rt.socket, 'close')
    t.after(() => this.rt.socket.terminate()) // of a test that has failed
  }

  // said returns the first event of a type, of those that match, waiting for it if need be.
  said(type, matches = () => true) {
    return new Promise((resolve) => {
      const past = this.events.find((e) => e.type === type && matches(e))
      if (past) return resolve(past)
      const listener = (e) => {
        if (!matches(e)) return
        this.rt.off(type, listener)
        resolve(e)
      }
      this.rt.on(type, listener)
    })
  }

  of(type) { return this.events.filter((e) => e.type === type) }

  async begin(update = session) {
    await this.said('session.created')
    this.rt.send({ type: 'session.update', session: update })
    await this.said('session.updated')
    return this
  }

  speak(pcm) { return paced(pcm, rate, (b) => this.rt.send({ type: 'input_audio_buffer.append', audio: b.toString('base64') })) }

  audio() { return Buffer.concat(this.of('response.output_audio.delta').map((e) => Buffer.from(e.delta, 'base64'))) }

  async end() {
    this.rt.close()
    const [code] = await this.closed
    assert.equal(code, 1000)
    assert.deepEqual(this.errors, [])
  }
}

// order returns the types of events, those that come often once each.
const order = (events) => events.map((e) => e.type).filter((type, i, all) => all.indexOf(type) === i)

describe('realtime', { concurrency: true, timeout: 60_000 }, () => {
  test('a turn of speech', async (t) => {
    const pcm = await spoken()
    const call = await new Call(t).begin()
    const speaking = call.speak(pcm)
    const { response } = await call.said('response.done')
    await speaking
    await call.said('rate_limits.updated')

    // The speech begins within the 300 ms of padding, and ends 1,811 ms later or at the
    // frame of 10 ms there, and 300 ms of silence.
    assert.equal((await call.said('input_audio_buffer.speech_started')).audio_start_ms, 0)
    assert.equal((await call.said('input_audio_buffer.speech_stopped')).audio_end_ms, 2120)
    const heard = await call.said('conversation.item.input_audio_transcription.completed')
    assert.equal(heard.transcript, utterance)
    assert.equal(call.of('conversation.item.input_audio_transcription.delta').map((e) => e.delta).join(''), utterance)

    const text = call.of('response.output_audio_transcript.delta').map((e) => e.delta).join('')
    assert.equal(response.status, 'completed')
    assert.deepEqual(response.output.map((i) => [i.role, i.status, i.content[0].type, i.content[0].transcript]), [['assistant', 'completed', 'output_audio', text]])
    assert.ok(text.length > 20 && loudest(call.audio()) > 1000)
    const { audio_tokens: audio, text_tokens: words } = response.usage.output_token_details
    assert.equal(audio, Math.floor(call.audio().length / bytesIn(50, rate)))
    assert.equal(words, call.of('response.output_audio_transcript.delta').length)
    assert.equal(response.usage.total_tokens, response.usage.input_tokens + audio + words)

    const turn = order(call.events.filter((e) => !e.type.includes('transcription')))
    assert.deepEqual(turn, [
      'session.created', 'session.updated', 'input_audio_buffer.speech_started', 'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed', 'conversation.item.added', 'conversation.item.done', 'response.created',
      'response.output_item.added', 'response.content_part.added', 'response.output_audio.delta',
      'response.output_audio_transcript.delta', 'response.output_audio.done', 'response.output_audio_transcript.done',
      'response.content_part.done', 'response.output_item.done', 'response.done', 'rate_limits.updated',
    ])
    const user = await call.said('input_audio_buffer.committed')
    assert.deepEqual(call.of('conversation.item.added').map((e) => [e.previous_item_id, e.item.role]), [[null, 'user'], [user.item_id, 'assistant']])
    await call.end()
  })

  test('an answer that was asked for', async (t) => {
    const call = await new Call(t).begin()
    call.rt.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'say it' }] } })
    call.rt.send({ type: 'response.create', response: { mock_answer: 'one, two' } })
    const { response } = await call.said('response.done')
    assert.equal(response.output[0].content[0].transcript, 'one, two')
    // 341 ms of silence, which gpt-realtime begins with, eight characters at 18 a second,
    // of which the comma is as long as three, and 200 ms of silence.
    assert.equal(call.audio().length, bytesIn(341 + 556 + 200, rate))
    assert.deepEqual(call.of('response.output_audio_transcript.delta').map((e) => e.delta), ['one', ',', ' two'])
    await call.end()
  })

  test('an answer in text, and calls', async (t) => {
    const parameters = {
      type: 'object', required: ['people'], additionalProperties: false, properties: { people: { type: 'integer', minimum: 2, maximum: 2 } },
    }
    const call = await new Call(t).begin({ ...session, output_modalities: ['text'], tools: [{ type: 'function', name: 'book', parameters }, { type: 'function', name: 'ring' }] })
    call.rt.send({ type: 'response.create', response: { mock_answer: 'one two' } })
    await call.said('response.done')
    assert.equal((await call.said('response.output_text.done')).text, 'one two')
    for (const [name, given] of [['book', { people: 2 }], ['ring', {}]]) {
      call.rt.send({ type: 'response.create', response: { tool_choice: { type: 'function', name } } })
      const { response } = await call.said('response.done', (e) => e.response.output[0].name === name)
      const [asked] = response.output
      assert.deepEqual([response.status, asked.type, JSON.parse(asked.arguments)], ['completed', 'function_call', given])
      assert.equal((await call.said('response.function_call_arguments.done', (e) => e.name === name)).arguments, asked.arguments)
    }
    await call.end()
  })

  test('cancelled', async (t) => {
    const call = await new Call(t).begin()
    call.rt.send({ type: 'response.create', response: { mock_answer: utterance.repeat(10) } })
    await call.said('response.output_audio.delta')
    call.rt.send({ type: 'response.cancel' })
    const { response } = await call.said('response.done')
    assert.deepEqual([response.status, response.status_details.reason, response.output[0].status], ['cancelled', 'client_cancelled', 'incomplete'])
    assert.ok(call.audio().length < bytesIn(10_000, rate))
    await call.end()
  })

  test('interrupted', async (t) => {
    const pcm = await spoken()
    const call = await new Call(t).begin()
    call.rt.send({ type: 'response.create', response: { mock_answer: utterance.repeat(20) } })
    await call.said('response.output_audio.delta')
    const speaking = call.speak(pcm)
    const { response } = await call.said('response.done')
    assert.deepEqual([response.status, response.status_details.reason], ['cancelled', 'turn_detected'])
    assert.equal(call.events.findIndex((e) => e.type === 'input_audio_buffer.speech_started') < call.events.findIndex((e) => e.type === 'response.done'), true)
    const item = response.output[0].id
    call.rt.send({ type: 'conversation.item.truncate', item_id: item, content_index: 0, audio_end_ms: 100 })
    assert.equal((await call.said('conversation.item.truncated')).item_id, item)
    await speaking
    assert.equal((await call.said('conversation.item.input_audio_transcription.completed')).transcript, utterance)
    await call.said('response.created', (e) => e.response.id !== response.id)
    await call.end()
  })

  test('hung up', async (t) => {
    const call = await new Call(t).begin()
    call.rt.send({ type: 'response.create', response: { mock_answer: utterance.repeat(10) } })
    const { response_id: id } = await call.said('response.output_audio.delta')
    await call.end()
    const entry = await logged((r) => r.id === id, secureURL)
    assert.deepEqual([entry.protocol, entry.outcome], ['openai realtime', 'cancelled'])
    assert.ok(entry.audio_out_ms < 10_000, `${entry.audio_out_ms} ms`)
  })

  test('a key', () => asksForKey((apiKey) => new Promise((resolve, reject) => {
    const rt = new OpenAIRealtimeWS({ model: 'gpt-realtime' }, new OpenAI({ apiKey, baseURL: `${lockedURL}/v1` }))
    rt.on('error', reject)
    rt.on('session.created', () => rt.close())
    rt.socket.on('close', resolve)
  })))

  test('an error', async (t) => {
    const call = await new Call(t).begin()
    call.rt.send({ type: 'response.cancel', event_id: 'mine' })
    const { error } = await call.said('error')
    assert.deepEqual([error.code, error.event_id], ['response_cancel_not_active', 'mine'])
    assert.equal(call.errors.splice(0).length, 1)
    call.rt.send({ type: 'response.create', response: { output_modalities: ['text'], mock_answer: 'one' } })
    assert.equal((await call.said('response.done')).response.status, 'completed')
    await call.end()
  })

})
