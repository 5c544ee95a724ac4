// Where the mock is, what it has in its log, and what holds for every library.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

export const url = `http://${process.env.MOCK}`
export const secureURL = `https://${process.env.MOCK_TLS}`
// One that asks for a key, which is "secret".
export const lockedURL = `https://${process.env.MOCK_LOCKED}`

// logged returns the request of the log that matches, once it has ended.
export async function logged(matches, of = url) {
  for (let tries = 0; tries < 100; tries++) {
    const { requests } = await (await fetch(`${of}/v1/halfsecond/requests`)).json()
    const found = requests.find(matches)
    if (found) return found
    await sleep(50)
  }
  throw new Error(`no request in the log of the mock matches ${matches}`)
}

// allClosed fails when a connection is still in use: to be run after all tests.
export async function allClosed() {
  let open
  for (let tries = 0; tries < 60; tries++) {
    open = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TLSWrap')
    if (open.length === 0) return
    await sleep(50)
  }
  throw new Error(`${open.length} connections are left open`)
}

// asksForKey checks that what a function asks for is given to those with the right key.
export async function asksForKey(ask) {
  await ask('secret')
  await assert.rejects(async () => ask('wrong'), (e) =>
    (e.status ?? e.statusCode ?? e.status_code) === 401 || e.message.includes('Unexpected server response: 401'))
}
