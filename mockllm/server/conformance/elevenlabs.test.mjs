import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { bytesIn, loudest, readWAV, utterance, utteranceMs } from './audio.mjs'
import { allClosed, asksForKey, lockedURL, logged, url } from './mock.mjs'

after(allClosed)

const client = new ElevenLabsClient({ apiKey: 'any', baseUrl: url, environment: url, maxRetries: 0 })
const rate = 16_000
const speech = { text: utterance, modelId: 'eleven_flash_v2_5', outputFormat: 'pcm_16000' }

async function stretchesOf(stream) {
  const stretches = []
  for await (const bytes of stream) stretches.push(bytes)
  return stretches
}

describe('text to speech', { concurrency: true, timeout: 60_000 }, () => {
  test('converted', async () => {
    const { data, rawResponse } = await client.textToSpeech.convert('voice', speech).withRawResponse()
    assert.equal(rawResponse.headers.get('x-character-count'), String(utterance.length))
    const pcm = Buffer.concat(await stretchesOf(data))
    assert.equal(pcm.length, bytesIn(utteranceMs, rate))
    assert.ok(loudest(pcm.subarray(0, bytesIn(200, rate))) === 0 && loudest(pcm) > 1000)
  })

  test('converted to a file', async () => {
    const wav = readWAV(Buffer.concat(await stretchesOf(await client.textToSpeech.convert('voice', { ...speech, outputFormat: 'wav_22050' }))))
    const bytes = bytesIn(utteranceMs, 22_050)
    assert.deepEqual([wav.rate, wav.channels, wav.bits, wav.size, wav.samples.length], [22_050, 1, 16, bytes, bytes])
  })

  test('streamed', async () => {
    const { data, rawResponse } = await client.textToSpeech.stream('voice', { ...speech, outputFormat: 'ulaw_8000' }).withRawResponse()
    assert.equal(rawResponse.headers.get('content-type'), 'audio/basic')
    const stretches = await stretchesOf(data)
    assert.ok(stretches.length > 1)
    assert.equal(Buffer.concat(stretches).length, utteranceMs * 8)
  })

  test('streamed at another speed', async () => {
    const pcm = Buffer.concat(await stretchesOf(await client.textToSpeech.stream('voice', { ...speech, voiceSettings: { speed: 1.2 } })))
    // 29 characters at 18 times 1.2 a second.
    assert.equal(pcm.length, bytesIn(200 + 1343 + 200, rate))
  })

  test('streamed with times', async () => {
    const parts = await stretchesOf(await client.textToSpeech.streamWithTimestamps('voice', speech))
    assert.ok(parts.length > 1)
    assert.equal(Buffer.concat(parts.map((p) => Buffer.from(p.audioBase64, 'base64'))).length, bytesIn(utteranceMs, rate))
    const all = (name) => parts.flatMap((p) => p.alignment?.[name] ?? [])
    assert.equal(all('characters').join(''), utterance)
    const starts = all('characterStartTimesSeconds'), ends = all('characterEndTimesSeconds')
    assert.deepEqual([starts[0], ends.at(-1)], [.2, 1.811])
    assert.deepEqual(starts.slice(1), ends.slice(0, -1))
  })

  test('converted with times', async () => {
    const whole = await client.textToSpeech.convertWithTimestamps('voice', { ...speech, text: 'one' })
    assert.equal(Buffer.from(whole.audioBase64, 'base64').length, bytesIn(200 + 167 + 200, rate))
    assert.deepEqual(whole.alignment, { characters: ['o', 'n', 'e'], characterStartTimesSeconds: [.2, .256, .311], characterEndTimesSeconds: [.256, .311, .367] })
  })

  test('hung up', async () => {
    const hangUp = new AbortController()
    const stream = await client.textToSpeech.stream('voice', { ...speech, modelId: 'eleven_flash_v2_5.hung-up', text: utterance.repeat(20) }, { abortSignal: hangUp.signal })
    await assert.rejects(async () => {
      for await (const _ of stream) hangUp.abort()
    }, { name: 'AbortError' })
    const entry = await logged((r) => r.model === 'eleven_flash_v2_5.hung-up')
    assert.equal(entry.outcome, 'cancelled')
    assert.ok(entry.audio_out_ms < 20_000, `${entry.audio_out_ms} ms`)
  })

  test('voices', async () => {
    const { voices } = await client.voices.getAll()
    assert.deepEqual(voices.map((v) => v.voiceId), ['halfsecond'])
  })

  test('a key', () => asksForKey((apiKey) => new ElevenLabsClient({ apiKey, baseUrl: lockedURL, environment: lockedURL, maxRetries: 0 }).voices.getAll()))

  test('errors', async () => {
    await assert.rejects(client.textToSpeech.convert('voice', { ...speech, text: '' }), (e) =>
      e instanceof ElevenLabsError && e.statusCode === 400 && e.body.detail.status === 'input_text_empty')
    await assert.rejects(client.textToSpeech.stream('voice', { ...speech, voiceSettings: { speed: 9 } }), (e) =>
      e.statusCode === 422 && e.body.detail[0].loc.join('.') === 'body.voice_settings.speed')
  })
})
