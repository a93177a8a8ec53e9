import { expect, test } from 'vitest'
import type { DecisionBody } from '../../core/events/guardEvent.ts'
import type { Address } from '../../core/values/address.ts'
import type { Asker } from './authenticate.ts'
import { nobody } from './authenticate.ts'
import { Heartbeats } from './heartbeats.ts'

const one: Asker = { ...nobody, client: `0x${'1'.repeat(40)}` as Address, type: 'noop' }
const two: Asker = { ...one, client: `0x${'2'.repeat(40)}` as Address }

function setUp() {
  let nowMs = 0
  const recorded: DecisionBody[] = []
  const heartbeats = new Heartbeats({
    clock: { monotonicMs: () => nowMs },
    observer: { decided: () => undefined },
    recorder: {
      recordRefusal: (body) => {
        recorded.push(body)
        return null
      },
      waitBriefly: () => Promise.resolve(),
    },
  })
  const beat = async (asker: Asker, atMs: number): Promise<void> => {
    nowMs = atMs
    expect(await heartbeats.answer(asker, 'http')).toEqual({
      status: 200,
      body: {
        status: 'ok',
        response: { type: 'default' },
        code: 'heartbeat',
        verdict: 'allow',
      },
    })
  }
  return { heartbeats, recorded, beat }
}

test('an unbroken row is one record a minute, with how many there were', async () => {
  const { recorded, beat } = setUp()
  for (const atMs of [0, 20_000, 40_000, 59_999, 60_000, 61_000]) await beat(one, atMs)
  expect(recorded.map(({ heartbeats }) => heartbeats)).toEqual([1, 4])
  expect(recorded[0]).toMatchObject({
    ...{ kind: 'decision', client: one.client, action: 'noop', forward: null },
    ...{ verdict: 'allow', code: 'heartbeat' },
  })
})

test('each client has its own row, and anything else of it ends the row', async () => {
  const { heartbeats, recorded, beat } = setUp()
  await beat(one, 0)
  await beat(two, 1)
  await beat(one, 2)
  heartbeats.end(null)
  heartbeats.end(two.client)
  await beat(one, 3)
  heartbeats.end(one.client)
  await beat(one, 4)
  expect(recorded.map(({ client, heartbeats: count }) => [client, count])).toEqual([
    [one.client, 1],
    [two.client, 1],
    [one.client, 3],
  ])
})
