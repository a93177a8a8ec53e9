import { request } from 'node:http'
import type { SimControl } from '../demo/simControl.ts'
import { HttpLine } from './httpLine.ts'

const readers = 8
const pollMs = 20
const actMs = 100

/** What goes on around the orders: event streams, polls, reads, and an account that changes. */
export async function startTraffic(
  url: string,
  control: SimControl,
  account: string,
): Promise<() => void> {
  const since = await latestSeq(url)
  const streams = Array.from({ length: readers }, () => openStream(url, since))
  const line = await HttpLine.open(url)
  let isBusy = false
  let round = 0
  const poll = setInterval(() => {
    if (isBusy) return
    isBusy = true
    round += 1
    const read =
      round % 2 === 0
        ? line.get('/guard/status')
        : line.post('/info', JSON.stringify({ type: 'clearinghouseState', user: account }))
    read.then(
      () => {
        isBusy = false
      },
      () => undefined,
    )
  }, pollMs)
  const act = setInterval(() => {
    control.flow(account, '1').catch(() => undefined)
  }, actMs)
  return () => {
    clearInterval(poll)
    clearInterval(act)
    line.close()
    for (const close of streams) close()
  }
}

/** Readers follow from now on: what is measured is not how fast they read the past. */
export async function latestSeq(url: string): Promise<number> {
  const response = await fetch(`${url}/guard/status`)
  const status = (await response.json()) as { readonly last_seq: number }
  return status.last_seq
}

export function openStream(url: string, since: number): () => void {
  const stream = request(`${url}/guard/events?since=${since}`, {
    headers: { accept: 'text/event-stream' },
  })
  stream.on('response', (response) => response.resume())
  stream.on('error', () => undefined)
  stream.end()
  return () => {
    stream.destroy()
  }
}
