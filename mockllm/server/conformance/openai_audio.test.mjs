import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { bytesIn, loudest, readWAV, utterance, utteranceMs } from './audio.mjs'
import { allClosed, logged, url } from './mock.mjs'

after(allClosed)

const client = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 })
const speech = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: utterance }
const bytesOf = async (response) => Buffer.from(await response.arrayBuffer())
const rate = 24_000

describe('audio', { concurrency: true, timeout: 60_000 }, () => {
  test('speech, pcm, in stretches', async () => {
    const response = await client.audio.speech.create({ ...speech, response_format: 'pcm' })
    assert.equal(response.headers.get('content-type'), 'audio/pcm')
    const stretches = []
    for await (const bytes of response.body) stretches.push(bytes)
    assert.ok(stretches.length > 1)
    const pcm = Buffer.concat(stretches)
    assert.equal(pcm.length, bytesIn(utteranceMs, rate))
    assert.equal(loudest(pcm.subarray(0, bytesIn(200, rate))), 0)
    assert.ok(loudest(pcm) > 1000)
  })

  test('speech, wav', async () => {
    const wav = readWAV(await bytesOf(await client.audio.speech.create({ ...speech, response_format: 'wav' })))
    assert.deepEqual([wav.coding, wav.channels, wav.rate, wav.bits], [1, 1, rate, 16])
    assert.equal(wav.samples.length, bytesIn(utteranceMs, rate))
  })

  test('speech, mp3, at twice the speed', async () => {
    const response = await client.audio.speech.create({ ...speech, speed: 2 })
    assert.equal(response.headers.get('content-type'), 'audio/mpeg')
    const mp3 = await bytesOf(response)
    assert.equal(mp3.readUInt16BE(0) & 0xfffe, 0xfff2) // layer III of MPEG-2, which 24 kHz is
    // 29 characters at 36 a second and twice 200 ms of silence are 51 frames of 24 ms, and
    // the delay of a decoder makes it 53.
    const heard = await client.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(mp3, 'a.mp3'), response_format: 'verbose_json' })
    assert.equal(heard.text, utterance)
    assert.equal(heard.duration, 1.272)
  })

  test('speech, events', async () => {
    const response = await client.audio.speech.create({ ...speech, response_format: 'pcm', stream_format: 'sse' })
    const events = (await response.text()).split('\n\n').filter(Boolean).map((e) => JSON.parse(e.replace(/^data: /, '')))
    const last = events.pop()
    assert.ok(events.length > 1 && events.every((e) => e.type === 'speech.audio.delta'))
    assert.equal(Buffer.concat(events.map((e) => Buffer.from(e.audio, 'base64'))).length, bytesIn(utteranceMs, rate))
    // 7 words, and 2.011 s at 1,250 tokens a minute.
    assert.deepEqual(last, { type: 'speech.audio.done', usage: { input_tokens: 7, output_tokens: 42, total_tokens: 49 } })
  })

  test('speech, hung up', async () => {
    const hangUp = new AbortController()
    const { data, request_id: id } = await client.audio.speech.create({ ...speech, input: utterance.repeat(20), response_format: 'pcm' }, { signal: hangUp.signal }).withResponse()
    await assert.rejects(async () => {
      for await (const _ of data.body) hangUp.abort()
    }, { name: 'AbortError' })
    const entry = await logged((r) => r.id === id)
    assert.equal(entry.outcome, 'cancelled')
    assert.ok(entry.audio_out_ms < 20_000, `${entry.audio_out_ms} ms`)
  })

  test('speech, an error', async () => {
    await assert.rejects(client.audio.speech.create({ ...speech, speed: 9 }), (e) =>
      e instanceof OpenAI.BadRequestError && e.param === 'speed' && e.message === "400 Invalid 'speed': expected a number from 0.25 to 4, but got 9 instead.")
  })

  let uploaded
  const upload = () => uploaded ??= client.audio.speech.create({ ...speech, response_format: 'wav' }).then(async (r) => toFile(await bytesOf(r), 'a.wav'))
  // 2.011 s at ten tokens a second.
  const usage = { type: 'tokens', input_tokens: 20, input_token_details: { text_tokens: 0, audio_tokens: 20 }, output_tokens: 7, total_tokens: 27 }

  test('transcriptions, whole', async () => {
    const heard = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: await upload() })
    assert.deepEqual({ ...heard }, { text: utterance, usage })
  })

  test('transcriptions, streamed', async () => {
    const stream = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: await upload(), stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    assert.deepEqual(events.pop(), { type: 'transcript.text.done', text: utterance, usage })
    assert.deepEqual(events, utterance.split(' ').map((word, i) => ({ type: 'transcript.text.delta', delta: (i ? ' ' : '') + word })))
  })

  test('transcriptions, words with times', async () => {
    const heard = await client.audio.transcriptions.create({
      model: 'whisper-1', file: await upload(), response_format: 'verbose_json', timestamp_granularities: ['word'],
    })
    assert.equal(heard.duration, 2.011)
    assert.deepEqual(heard.usage, { type: 'duration', seconds: 3 })
    assert.deepEqual(heard.words.map((w) => w.word), utterance.split(' '))
    for (const [i, w] of heard.words.entries()) assert.ok(w.start < w.end && w.start >= (heard.words[i - 1]?.end ?? .2) && w.end <= 1.84, JSON.stringify(heard.words))
  })

  test('transcriptions, subtitles', async () => {
    const text = await client.audio.transcriptions.create({ model: 'whisper-1', file: await upload(), response_format: 'srt' })
    assert.match(text, new RegExp(`^1\n00:00:00,2\\d0 --> 00:00:01,8\\d\\d\n${utterance}\n\n$`))
  })

  test('transcriptions, hung up', async () => {
    const hangUp = new AbortController()
    const asked = client.audio.transcriptions.create({ model: 'whisper-slow', file: await upload() }, { signal: hangUp.signal })
    setTimeout(() => hangUp.abort(), 1000)
    await assert.rejects(asked, OpenAI.APIUserAbortError)
    const entry = await logged((r) => r.model === 'whisper-slow')
    assert.deepEqual([entry.outcome, entry.first_ms], ['cancelled', null])
  })

  test('transcriptions, an error', async () => {
    await assert.rejects(client.audio.transcriptions.create({ model: 'whisper-1', file: await toFile(Buffer.from('no audio'), 'a.wav') }), (e) =>
      e instanceof OpenAI.BadRequestError && e.param === 'file' && e.code === 'invalid_value')
  })
})
