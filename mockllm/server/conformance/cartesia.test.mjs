import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { after, describe, test } from 'node:test'
import { bytesIn, loudest, paced, readWAV, silence, utterance, utteranceMs } from './audio.mjs'
import { allClosed, asksForKey, lockedURL, logged, secureURL, url } from './mock.mjs'

after(allClosed)

// As a module it finds no WebSocket before Node 22.
const { Cartesia, CartesiaError, BadRequestError } = createRequire(import.meta.url)('@cartesia/cartesia-js')
const client = new Cartesia({ apiKey: 'any', baseURL: url, maxRetries: 0 })
const secure = new Cartesia({ apiKey: 'any', baseURL: secureURL, maxRetries: 0 })
const rate = 16_000
const speech = { model_id: 'sonic-3', voice: { mode: 'id', id: 'voice' }, output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: rate } }

async function stretchesOf(stream) {
  const stretches = []
  for await (const bytes of stream) stretches.push(bytes)
  return stretches
}

let made
const spoken = () => made ??= client.tts.generate({ ...speech, transcript: utterance }).then(async (r) => Buffer.from(await r.arrayBuffer()))

const audioOf = (events) => Buffer.concat(events.filter((e) => e.type === 'chunk').map((e) => Buffer.from(e.data, 'base64')))
const wordsOf = (events) => events.filter((e) => e.type === 'timestamps').flatMap((e) => e.word_timestamps.words)
// order returns the types of events, those of one kind in a row once.
const order = (events) => events.map((e) => e.type).filter((type, i, all) => type !== all[i - 1])

// connect returns a socket for speech that is closed in the end, and checked.
async function connect(t) {
  const ws = await secure.tts.websocket()
  const errors = [], closed = once(ws.socket, 'close')
  ws.on('error', (e) => errors.push(e))
  t.after(() => ws.socket.terminate()) // of a test that has failed
  return { ws, errors, async end() {
    ws.close()
    assert.equal((await closed)[0], 1000)
    assert.deepEqual(errors, [])
  } }
}

// heardBy returns all messages of a socket for text, and with which code it was closed.
async function heardBy(socket) {
  const messages = []
  for await (const event of socket) {
    if (event.type === 'error') throw event.error
    if (event.type === 'message') messages.push(event.message)
    if (event.type === 'close') return { messages, code: event.code }
  }
}

describe('cartesia', { concurrency: true, timeout: 60_000 }, () => {
  test('tts, bytes', async () => {
    const response = await client.tts.generate({ ...speech, transcript: utterance })
    const stretches = await stretchesOf(response.body)
    assert.ok(stretches.length > 1)
    const pcm = Buffer.concat(stretches)
    assert.equal(pcm.length, bytesIn(utteranceMs, rate))
    assert.ok(loudest(pcm.subarray(0, bytesIn(200, rate))) === 0 && loudest(pcm) > 1000)
  })

  test('tts, a file', async () => {
    const response = await client.tts.generate({ ...speech, transcript: utterance, output_format: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 44_100 } })
    assert.equal(response.headers.get('content-type'), 'audio/wav')
    const wav = readWAV(Buffer.from(await response.arrayBuffer()))
    assert.deepEqual([wav.coding, wav.channels, wav.rate, wav.bits, wav.samples.length], [1, 1, 44_100, 16, bytesIn(utteranceMs, 44_100)])
  })

  test('tts, events', async () => {
    const events = await stretchesOf(await client.tts.generateSSE({ ...speech, transcript: utterance, add_timestamps: true }))
    assert.equal(audioOf(events).length, bytesIn(utteranceMs, rate))
    assert.equal(wordsOf(events).join(' '), utterance)
    const last = events.pop()
    assert.deepEqual([last.type, last.done], ['done', true])
    assert.ok(events.every((e) => !e.done && ['chunk', 'timestamps'].includes(e.type)))
  })

  test('tts, a context', async (t) => {
    const { ws, end } = await connect(t)
    const context = ws.context({ ...speech, add_timestamps: true, max_buffer_delay_ms: 3000 })
    await context.push({ transcript: 'book a table ', flush: true })
    await context.push({ transcript: 'for two ' })
    await context.push({ transcript: 'at seven' })
    await context.no_more_inputs()
    const events = await stretchesOf(context.receive())
    assert.ok(events.every((e) => e.context_id === context.contextId))
    const flushed = events.findIndex((e) => e.type === 'flush_done')
    assert.equal(events[flushed].flush_id, 1)
    // 12 and 16 characters at 18 a second, each between silences of 200 ms.
    assert.equal(audioOf(events.slice(0, flushed)).length, bytesIn(200 + 667 + 200, rate))
    assert.equal(audioOf(events.slice(flushed)).length, bytesIn(200 + 889 + 200, rate))
    assert.equal(wordsOf(events.slice(0, flushed)).join(' '), 'book a table')
    assert.equal(wordsOf(events).join(' '), utterance)
    assert.equal(order(events).at(-1), 'done')
    await end()
  })

  test('tts, two contexts at once', async (t) => {
    const { ws, end } = await connect(t)
    const texts = ['one', 'one two']
    const heard = await Promise.all(texts.map(async (transcript) => {
      const context = ws.context(speech)
      await context.send({ transcript, continue: false })
      return stretchesOf(context.receive())
    }))
    assert.deepEqual(heard.map((events) => audioOf(events).length), [bytesIn(200 + 167 + 200, rate), bytesIn(200 + 389 + 200, rate)])
    assert.deepEqual(heard.map((events) => events.at(-1).type), ['done', 'done'])
    await end()
  })

  test('tts, a context that is cancelled', async (t) => {
    const { ws, end } = await connect(t)
    const context = ws.context(speech)
    await context.send({ transcript: utterance.repeat(10), continue: false })
    for await (const event of context.receive()) if (event.type === 'chunk') break
    await context.cancel()
    const events = await stretchesOf(ws.generate({ ...speech, transcript: 'one' }))
    assert.equal(audioOf(events).length, bytesIn(200 + 167 + 200, rate))
    await end()
  })

  test('tts, hung up', async (t) => {
    const { ws, end } = await connect(t)
    for await (const event of ws.generate({ ...speech, model_id: 'sonic-3-hung-up', transcript: utterance.repeat(20) })) if (event.type === 'chunk') break
    await end()
    const entry = await logged((r) => r.model === 'sonic-3-hung-up', secureURL)
    assert.deepEqual([entry.outcome, entry.protocol], ['cancelled', 'cartesia tts'])
    assert.ok(entry.audio_out_ms < 20_000, `${entry.audio_out_ms} ms`)
  })

  test('tts, a key', () => asksForKey(async (apiKey) => {
    const response = await new Cartesia({ apiKey, baseURL: lockedURL, maxRetries: 0 }).tts.generate({ ...speech, transcript: 'one' })
    return response.arrayBuffer()
  }))

  test('tts, errors', async (t) => {
    await assert.rejects(client.tts.generate({ ...speech, transcript: '' }), BadRequestError)
    const { ws, errors, end } = await connect(t)
    const context = ws.context(speech)
    await context.send({ transcript: '...', continue: false })
    await assert.rejects(stretchesOf(context.receive()), (e) => e instanceof CartesiaError && e.message === 'first transcript for WS is empty or contains only punctuation')
    assert.deepEqual(errors.splice(0).map((e) => [e.error.context_id, e.error.status_code]), [[context.contextId, 400]])
    assert.equal((await stretchesOf(ws.generate({ ...speech, transcript: 'one' }))).at(-1).type, 'done')
    await end()
  })

  const raw = { encoding: 'pcm_s16le', sample_rate: rate }
  const send = (socket) => (bytes) => socket.sendRaw(bytes)

  test('stt, finalized by hand', async () => {
    const pcm = await spoken()
    const socket = secure.stt.manualFinalize.websocket({ ...raw, model: 'ink-2' })
    const all = heardBy(socket)
    await paced(pcm, rate, send(socket))
    socket.send('finalize')
    socket.send('close')
    const { messages, code } = await all
    assert.equal(code, 1000)
    const finals = messages.filter((m) => m.is_final)
    assert.deepEqual(finals.map((m) => [m.text, m.words.length]), [[utterance, 7]])
    const before = messages.slice(0, messages.indexOf(finals[0]))
    assert.ok(before.length > 1 && before.every((m) => !m.is_final && utterance.startsWith(m.text)))
    assert.deepEqual(messages.slice(before.length + 1).map((m) => m.type), ['flush_done', 'done'])
  })

  test('stt, turns', async () => {
    const pcm = await spoken()
    const socket = secure.stt.autoFinalize.websocket({ ...raw, model: 'ink-2' })
    const all = heardBy(socket)
    const ended = new Promise((resolve) => socket.on('turn.end', resolve))
    await paced(Buffer.concat([pcm, silence(600, rate)]), rate, send(socket))
    await ended
    socket.send({ type: 'close' })
    const { messages, code } = await all
    assert.equal(code, 1000)
    assert.deepEqual(order(messages), ['connected', 'turn.start', 'turn.update', 'turn.eager_end', 'turn.end'])
    const [eager, end] = messages.slice(-2)
    assert.deepEqual([eager.transcript, end.transcript], [utterance, utterance])
    const updates = messages.filter((m) => m.type === 'turn.update').map((m) => m.transcript)
    assert.deepEqual(updates, updates.map((_, i) => utterance.split(' ').slice(0, i + 1).join(' ')))
  })

  test('stt, hung up', async () => {
    const pcm = await spoken()
    const socket = secure.stt.autoFinalize.websocket({ ...raw, model: 'ink-2-hung-up' })
    const all = heardBy(socket)
    await paced(pcm.subarray(0, bytesIn(1000, rate)), rate, send(socket))
    socket.close()
    assert.equal((await all).code, 1000)
    const entry = await logged((r) => r.model === 'ink-2-hung-up', secureURL)
    assert.deepEqual([entry.outcome, entry.audio_in_ms], ['cancelled', 1000])
  })

  test('stt, a key', () => asksForKey((apiKey) => new Promise((resolve, reject) => {
    const socket = new Cartesia({ apiKey, baseURL: lockedURL }).stt.autoFinalize.websocket({ ...raw, model: 'ink-2' })
    socket.on('error', reject)
    socket.on('connected', () => socket.close())
    socket.on('close', resolve)
  })))

  test('stt, errors', async () => {
    const refused = secure.stt.manualFinalize.websocket({ ...raw, model: '' })
    await assert.rejects(heardBy(refused), { message: 'Unexpected server response: 400' })
    const socket = secure.stt.autoFinalize.websocket({ ...raw, model: 'ink-2' })
    const all = heardBy(socket)
    socket.send({ type: 'config', turn: { end_threshold: 7 } })
    await assert.rejects(all, (e) => e.error?.type === 'error' && /end_threshold is 7/.test(e.error.message))
    socket.close()
  })
})
