// Samples of 16 bits and one channel, as bytes: what they last, and how they are sent.
import { setTimeout as sleep } from 'node:timers/promises'

// What Config.Transcript has, which the mock hears in speech of any words, and how many
// ms it takes to say: 200 of silence, 29 characters at 18 a second, 200 of silence.
export const utterance = 'book a table for two at seven'
export const utteranceMs = 200 + 1611 + 200

// bytesIn returns how many bytes so many ms of audio have at a rate in Hz.
export const bytesIn = (ms, rate) => Math.floor(ms * rate / 1000) * 2

export const silence = (ms, rate) => Buffer.alloc(bytesIn(ms, rate))

// loudest returns the largest sample.
export function loudest(pcm) {
  let most = 0
  for (let i = 0; i + 1 < pcm.length; i += 2) most = Math.max(most, Math.abs(pcm.readInt16LE(i)))
  return most
}

// paced sends audio at the pace of speech, in pieces of so many ms.
export async function paced(pcm, rate, send, ms = 50) {
  const size = bytesIn(ms, rate), began = performance.now()
  for (let i = 0; i * size < pcm.length; i++) {
    await sleep(Math.max(0, began + i * ms - performance.now()))
    send(pcm.subarray(i * size, (i + 1) * size))
  }
}

// readWAV returns the format and the samples of a WAV file, whose sizes may be unknown as
// those of a stream are.
export function readWAV(file) {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 16) !== 'WAVEfmt ') throw new Error('no WAV file')
  const data = 20 + file.readUInt32LE(16)
  if (file.toString('latin1', data, data + 4) !== 'data') throw new Error('no data behind the format')
  return {
    coding: file.readUInt16LE(20), channels: file.readUInt16LE(22), rate: file.readUInt32LE(24), bits: file.readUInt16LE(34),
    size: file.readUInt32LE(data + 4), samples: file.subarray(data + 8),
  }
}
