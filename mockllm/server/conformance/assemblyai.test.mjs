import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AssemblyAI } from 'assemblyai'
import { bytesIn, paced, silence, utterance } from './audio.mjs'
import { allClosed, asksForKey, lockedURL, logged, secureURL, url } from './mock.mjs'

after(allClosed)

const rate = 24_000
const client = new AssemblyAI({ apiKey: 'any' })
const params = { websocketBaseUrl: `${secureURL.replace('https', 'wss')}/v3/ws`, sampleRate: rate, maxConnectionRetries: 0, connectTimeout: 20_000 }

let made
// spoken returns an utterance and a silence that ends any turn, as long as whole messages.
const spoken = () => made ??= fetch(`${url}/v1/audio/speech`, {
  method: 'POST', body: JSON.stringify({ model: 'tts-1', voice: 'alloy', input: utterance, response_format: 'pcm' }),
}).then(async (r) => Buffer.concat([Buffer.from(await r.arrayBuffer()), silence(1439, rate)]))

// Session is a session with all that came over it.
class Session {
  turns = []
  errors = []

  constructor(t, more = {}) {
    this.transcriber = client.streaming.transcriber({ ...params, speechModel: 'universal-streaming-english', ...more })
    this.transcriber.on('turn', (turn) => this.turns.push(turn))
    this.transcriber.on('error', (e) => this.errors.push(e))
    this.transcriber.on('speechStarted', (e) => this.started = e)
    this.closed = new Promise((resolve) => this.transcriber.on('close', (code) => resolve(code)))
    t.after(() => this.transcriber.close(false)) // of a test that has failed
  }

  hear(pcm) { return paced(pcm, rate, (b) => this.transcriber.sendAudio(b)) }

  // end terminates the session; the library tells nobody what came of that.
  async end(id) {
    await this.transcriber.close()
    assert.deepEqual(this.errors, [])
    return logged((r) => r.id === id, secureURL)
  }
}

describe('streaming', { concurrency: true, timeout: 60_000 }, () => {
  test('a turn', async (t) => {
    const pcm = await spoken()
    const session = new Session(t, { formatTurns: true })
    const { id, expires_at: expires } = await session.transcriber.connect()
    assert.ok(expires > Date.now() / 1000)
    await session.hear(pcm)
    const entry = await session.end(id)
    assert.deepEqual([entry.protocol, entry.outcome, entry.audio_in_ms], ['assemblyai', 'ok', 3450])
    assert.equal(session.started.timestamp, 200)
    const ends = session.turns.filter((m) => m.end_of_turn)
    assert.deepEqual(ends.map((m) => [m.turn_order, m.turn_is_formatted, m.transcript]), [[0, false, utterance], [0, true, utterance]])
    assert.ok(ends[0].end_of_turn_confidence >= .4)
    assert.deepEqual(ends[0].words.map((w) => w.text), utterance.split(' '))
    assert.ok(ends[0].words.every((w) => w.word_is_final))
    assert.deepEqual([ends[0].words[0].start, ends[0].words.at(-1).end], [200, 1820])
    const before = session.turns.slice(0, session.turns.indexOf(ends[0]))
    // Each word is final once the next has been heard.
    assert.deepEqual([...new Set(before.map((m) => m.transcript))], utterance.split(' ').map((_, i, all) => all.slice(0, i).join(' ')))
    assert.equal(before.at(-1).utterance, utterance)
  })

  test('a turn of Universal-3 Pro', async (t) => {
    const pcm = await spoken()
    const session = new Session(t, { speechModel: 'u3-rt-pro' })
    const { id } = await session.transcriber.connect()
    await session.hear(pcm)
    assert.equal((await session.end(id)).outcome, 'ok')
    const ends = session.turns.filter((m) => m.end_of_turn)
    assert.deepEqual(ends.map((m) => [m.turn_is_formatted, m.transcript, m.end_of_turn_confidence]), [[true, utterance, 1]])
    assert.ok(session.turns.every((m) => utterance.startsWith(m.transcript)))
  })

  test('a turn that is forced to end', async (t) => {
    const pcm = await spoken()
    const session = new Session(t)
    const { id } = await session.transcriber.connect()
    await session.hear(pcm.subarray(0, bytesIn(1000, rate)))
    session.transcriber.updateConfiguration({ min_turn_silence: 500 })
    session.transcriber.forceEndpoint()
    assert.equal((await session.end(id)).outcome, 'ok')
    const [end, ...more] = session.turns.filter((m) => m.end_of_turn)
    assert.ok(end.transcript && utterance.startsWith(end.transcript) && end.transcript !== utterance)
    assert.deepEqual(more, [])
  })

  test('hung up', async (t) => {
    const pcm = await spoken()
    const session = new Session(t)
    const { id } = await session.transcriber.connect()
    await session.hear(pcm.subarray(0, bytesIn(1000, rate)))
    await session.transcriber.close(false)
    const entry = await logged((r) => r.id === id, secureURL)
    assert.deepEqual([entry.outcome, entry.audio_in_ms], ['cancelled', 1000])
  })

  test('a key', () => asksForKey(async (apiKey) => {
    const websocketBaseUrl = `${lockedURL.replace('https', 'wss')}/v3/ws`
    const transcriber = new AssemblyAI({ apiKey }).streaming.transcriber({ ...params, websocketBaseUrl, speechModel: 'universal-streaming-english' })
    await transcriber.connect()
    await transcriber.close()
  }))

  test('errors', async (t) => {
    const refused = new Session(t, { endOfTurnConfidenceThreshold: 7 })
    await assert.rejects(refused.transcriber.connect(), /end_of_turn_confidence_threshold is "7"/)
    const session = new Session(t)
    await session.transcriber.connect()
    session.transcriber.sendAudio(Buffer.alloc(bytesIn(10, rate)))
    assert.equal(await session.closed, 3007)
    assert.match(session.errors[0].message, /Input Duration Violation: 10.0 ms. Expected between 50 and 1000 ms/)
  })
})
