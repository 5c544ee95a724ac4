import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { DeepgramClient, DeepgramError } from '@deepgram/sdk'
import { bytesIn, loudest, paced, readWAV, silence, utterance, utteranceMs } from './audio.mjs'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

// clientOf returns a client of a mock that is at some URL.
function clientOf(url, apiKey) {
  const ws = url.replace('http', 'ws')
  return new DeepgramClient({ apiKey, maxRetries: 0, environment: { base: url, production: ws, agent: ws, agentRest: url } })
}

const client = clientOf(url, 'any')
const rate = 16_000
const raw = { encoding: 'linear16', sample_rate: rate }
const connection = { ...raw, Authorization: 'Token any', reconnectAttempts: 0 }
const say = async (text, of = { ...raw, container: 'none' }) =>
  Buffer.from(await (await client.speak.v1.audio.generate({ text, model: 'aura-2-thalia-en', ...of })).arrayBuffer())

let made
const spoken = () => made ??= say(utterance)

// Talk is a connection with all that came over it.
class Talk {
  messages = []
  waiting = []

  constructor(t, socket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.on('close', (e) => resolve(e.code)))
    socket.on('message', (m) => {
      this.messages.push(m)
      this.waiting = this.waiting.filter((w) => !w())
    })
    socket.on('error', (e) => this.error = e)
    t.after(() => socket.close()) // of a test that has failed
    socket.connect()
  }

  async open() {
    await this.socket.waitForOpen()
    return this
  }

  // said returns the first message that matches, waiting for it if need be.
  said(matches) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.messages.find(matches)
        if (found) resolve(found)
        return found
      }
      if (!look()) this.waiting.push(look)
    })
  }

  of(type) { return this.messages.filter((m) => m.type === type) }

  hear(pcm) { return paced(pcm, rate, (b) => this.socket.sendMedia(b)) }
}

const text = (results) => results.channel.alternatives[0].transcript

describe('deepgram', { concurrency: true, timeout: 60_000 }, () => {
  test('listen, live', async (t) => {
    const pcm = await spoken(), thanks = await say('thank you')
    const talk = await new Talk(t, await client.listen.v1.connect({
      ...connection, model: 'nova-3', interim_results: 'true', utterance_end_ms: 1000, vad_events: 'true', endpointing: 300,
    })).open()
    await talk.hear(Buffer.concat([pcm, silence(1100, rate)]))
    const end = await talk.said((m) => m.type === 'UtteranceEnd')
    // The speech ends after 200 and 1,611 ms, or at the frame of 10 ms there, and 300 ms
    // after that the utterance does.
    const final = talk.of('Results').find((m) => m.speech_final)
    assert.deepEqual([text(final), final.is_final, final.start, final.duration, final.channel_index], [utterance, true, 0, 2.12, [0, 1]])
    assert.deepEqual(final.channel.alternatives[0].words.map((w) => w.word), utterance.split(' '))
    assert.equal(final.channel.alternatives[0].words.at(-1).end, 1.82)
    assert.deepEqual([end.last_word_end, end.channel], [1.82, [0, 1]])
    assert.equal(talk.of('SpeechStarted')[0].timestamp, .2)
    const before = talk.messages.slice(0, talk.messages.indexOf(final)).filter((m) => m.type === 'Results')
    assert.ok(before.length > 0 && before.every((m) => !m.is_final && text(m) && utterance.startsWith(text(m))))

    await talk.hear(thanks.subarray(0, bytesIn(700, rate)))
    talk.socket.sendFinalize({ type: 'Finalize' })
    const asked = await talk.said((m) => m.from_finalize)
    assert.deepEqual([text(asked), asked.is_final, asked.speech_final], ['thank you', true, false])
    talk.socket.sendKeepAlive({ type: 'KeepAlive' })
    talk.socket.sendCloseStream({ type: 'CloseStream' })
    assert.equal(await talk.closed, 1000)
    const last = talk.messages.at(-1)
    assert.deepEqual([last.type, last.duration, last.channels, last.request_id], ['Metadata', 2.011 + 1.1 + .7, 1, final.metadata.request_id])
    assert.equal(talk.of('Results').filter((m) => m.is_final).map(text).filter(Boolean).join('. '), `${utterance}. thank you`)
    const entry = await logged((r) => r.id === last.request_id)
    assert.deepEqual([entry.protocol, entry.outcome, entry.audio_in_ms], ['deepgram listen', 'ok', 3811])
  })

  test('listen, flux', async (t) => {
    const pcm = await spoken()
    const talk = await new Talk(t, await client.listen.v2.connect({ ...connection, model: 'flux-general-en', eot_threshold: .8, eager_eot_threshold: .4 })).open()
    await talk.hear(Buffer.concat([pcm, silence(600, rate)]))
    const end = await talk.said((m) => m.event === 'EndOfTurn')
    assert.deepEqual([end.transcript, end.turn_index, end.trigger, end.words.length], [utterance, 0, 'model', 7])
    assert.ok(end.end_of_turn_confidence >= .8)
    const turn = talk.messages.filter((m) => m.turn_index === 0 && m.words.length > 0)
    assert.deepEqual(turn.map((m) => m.event).filter((e) => e !== 'Update'), ['StartOfTurn', 'EagerEndOfTurn', 'EndOfTurn'])
    assert.equal(turn.find((m) => m.event === 'EagerEndOfTurn').transcript, utterance)
    assert.ok(turn.length > 5 && turn.every((m) => utterance.startsWith(m.transcript)))
    talk.socket.sendConfigure({ type: 'Configure', thresholds: { eot_threshold: .9 } })
    assert.equal((await talk.said((m) => m.type === 'ConfigureSuccess')).thresholds.eot_threshold, .9)
    talk.socket.sendCloseStream({ type: 'CloseStream' })
    assert.equal(await talk.closed, 1005)
    assert.deepEqual(talk.messages.map((m) => m.sequence_id), talk.messages.map((_, i) => i))
    assert.equal(talk.messages[0].type, 'Connected')
  })

  test('listen, a turn that is forced to end', async (t) => {
    const pcm = await spoken()
    const talk = await new Talk(t, await client.listen.v2.connect({ ...connection, model: 'flux-general-en' })).open()
    await talk.hear(pcm.subarray(0, bytesIn(1000, rate)))
    await talk.said((m) => m.event === 'StartOfTurn')
    talk.socket.sendForceEndTurn({ type: 'ForceEndTurn' })
    const end = await talk.said((m) => m.event === 'EndOfTurn')
    assert.equal(end.trigger, 'manual')
    assert.ok(end.transcript && utterance.startsWith(end.transcript) && end.transcript !== utterance)
    talk.socket.sendCloseStream({ type: 'CloseStream' })
    await talk.closed
  })

  test('listen, messages in a loop', async () => {
    const pcm = await spoken()
    const socket = await client.listen.v1.connect({ ...connection, model: 'nova-3', endpointing: 300 })
    socket.connect()
    await socket.waitForOpen()
    const speaking = paced(Buffer.concat([pcm, silence(400, rate)]), rate, (b) => socket.sendMedia(b))
      .then(() => socket.sendCloseStream({ type: 'CloseStream' }))
    const messages = []
    for await (const m of socket) messages.push(m)
    await speaking
    assert.deepEqual(messages.filter((m) => m.type === 'Results').map((m) => [text(m), m.is_final, m.speech_final]).filter(([said]) => said), [[utterance, true, true]])
    assert.equal(messages.at(-1).type, 'Metadata')
  })

  test('listen, hung up', async (t) => {
    const pcm = await spoken()
    const talk = await new Talk(t, await client.listen.v1.connect({ ...connection, model: 'nova-2-hung-up', interim_results: 'true', reconnectAttempts: 0 })).open()
    await talk.hear(pcm)
    talk.socket.close()
    const entry = await logged((r) => r.model === 'nova-2-hung-up')
    assert.deepEqual([entry.outcome, entry.audio_in_ms], ['cancelled', 2011])
  })

  test('listen, a file', async () => {
    const file = await say(utterance, { container: 'wav', sample_rate: rate, encoding: 'linear16' })
    const { metadata, results } = await client.listen.v1.media.transcribeFile(file, { model: 'nova-3', smart_format: true, utterances: true })
    assert.deepEqual([metadata.duration, metadata.channels], [2.011, 1])
    const [heard] = results.channels[0].alternatives
    assert.equal(heard.transcript, utterance)
    assert.deepEqual(heard.words.map((w) => w.punctuated_word), utterance.split(' '))
    assert.deepEqual(results.utterances.map((u) => [u.transcript, u.words.length]), [[utterance, 7]])
    const samples = await client.listen.v1.media.transcribeFile(await spoken(), { model: 'nova-3', encoding: 'linear16' }, { queryParams: { sample_rate: rate } })
    assert.equal(samples.results.channels[0].alternatives[0].transcript, utterance)
  })

  test('listen, errors', async (t) => {
    const talk = new Talk(t, await client.listen.v1.connect({ ...connection, model: 'nova-3', sample_rate: 'many' }))
    await assert.rejects(talk.socket.waitForOpen(), (e) => e.message === 'Unexpected server response: 400')
    await assert.rejects(client.listen.v1.media.transcribeFile(Buffer.from('no audio'), { model: 'nova-3' }), (e) =>
      e instanceof DeepgramError && e.statusCode === 400 && e.body.err_code === 'Bad Request' && e.body.err_msg.includes('corrupt or unsupported data'))
  })

  test('listen, what cannot be decoded', async (t) => {
    const talk = await new Talk(t, await client.listen.v1.connect({ Authorization: 'Token any', reconnectAttempts: 0, model: 'nova-3' })).open()
    talk.socket.sendMedia(Buffer.from('this is no audio file, however long it is'))
    assert.equal(await talk.closed, 1008)
  })

  test('speak, a file', async () => {
    const response = await client.speak.v1.audio.generate({ text: utterance, model: 'aura-2-thalia-en', encoding: 'linear16' })
    const wav = readWAV(Buffer.from(await response.arrayBuffer()))
    assert.deepEqual([wav.rate, wav.channels, wav.samples.length], [24_000, 1, bytesIn(utteranceMs, 24_000)])
  })

  test('speak, live', async (t) => {
    const talk = await new Talk(t, await client.speak.v1.connect({ ...connection, model: 'aura-2-thalia-en' })).open()
    talk.socket.sendText({ type: 'Speak', text: 'book a table for ' })
    talk.socket.sendText({ type: 'Speak', text: 'two at seven' })
    talk.socket.sendFlush({ type: 'Flush' })
    await talk.said((m) => m.type === 'Flushed')
    const metadata = talk.messages.shift()
    assert.deepEqual([metadata.type, metadata.model_name], ['Metadata', 'aura-2-thalia-en'])
    const flushed = talk.messages.pop()
    assert.deepEqual([flushed.type, flushed.sequence_id], ['Flushed', 0])
    const stretches = talk.messages.splice(0)
    assert.ok(stretches.length > 1 && stretches.every((m) => m instanceof Blob))
    const pcm = Buffer.from(await new Blob(stretches).arrayBuffer())
    assert.equal(pcm.length, bytesIn(utteranceMs, rate))
    assert.ok(loudest(pcm.subarray(0, bytesIn(200, rate))) === 0 && loudest(pcm) > 1000)

    talk.socket.sendText({ type: 'Speak', text: utterance.repeat(5) })
    talk.socket.sendFlush({ type: 'Flush' })
    await talk.said((m) => m instanceof Blob)
    talk.socket.sendClear({ type: 'Clear' })
    assert.equal((await talk.said((m) => m.type === 'Cleared')).sequence_id, 1)
    const n = talk.messages.length
    talk.socket.sendClose({ type: 'Close' })
    assert.equal(await talk.closed, 1000)
    assert.equal(talk.messages.length, n)
    assert.equal(talk.error, undefined)
  })

  test('speak, hung up', async (t) => {
    const talk = await new Talk(t, await client.speak.v1.connect({ ...connection, model: 'aura-2-hung-up' })).open()
    talk.socket.sendText({ type: 'Speak', text: utterance.repeat(20) })
    talk.socket.sendFlush({ type: 'Flush' })
    await talk.said((m) => m instanceof Blob)
    talk.socket.close()
    const entry = await logged((r) => r.model === 'aura-2-hung-up')
    assert.equal(entry.outcome, 'cancelled')
    assert.ok(entry.audio_out_ms < 20_000, `${entry.audio_out_ms} ms`)
  })

  test('speak, a key', async () => {
    await asksForKey(async (key) => (await clientOf(lockedURL, key).speak.v1.audio.generate({ text: 'one' })).arrayBuffer())
    await asksForKey(async (key) => {
      const socket = await clientOf(lockedURL, key).speak.v1.connect({ ...connection, Authorization: `Token ${key}` })
      socket.on('error', () => {})
      socket.connect()
      await socket.waitForOpen()
      socket.close()
    })
  })

  test('speak, an error', async () => {
    await assert.rejects(client.speak.v1.audio.generate({ text: 'a', model: 'aura-2-thalia-en', encoding: 'linear16', sample_rate: 12345 }), (e) =>
      e instanceof DeepgramError && e.statusCode === 400 && e.body.err_code === 'INVALID_QUERY_PARAMETER')
  })
})
