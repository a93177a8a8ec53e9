import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/protocol/action.ts'
import { millis } from '../core/values/millis.ts'
import type { Clock } from '../engine/ports.ts'
import { StoreError } from './storeSession.ts'
import type { StoreRow, StoreSession } from './storeSession.ts'
import { WriterKeeper } from './writerKeeper.ts'
import type { LeftWord } from './writerKeeper.ts'

let ms = 0
let aheadMs = 0
const clock: Clock = { now: () => millis(ms + aheadMs), monotonicMs: () => ms }
let lost: string[] = []
let word: JsonObject = { latch: null }
beforeEach(() => {
  ms = 1_000_000
  aheadMs = 0
  lost = []
  word = { latch: null }
})

const writer = (): WriterKeeper =>
  new WriterKeeper({
    ...{ clock, instance: 'home', word: () => word },
    onLost: (reason) => lost.push(reason),
  })

type Asked = readonly (string | number | boolean | null)[]
function sessionOf(...answers: (StoreRow | Error)[]): StoreSession & { readonly asked: Asked[] } {
  const asked: Asked[] = []
  return {
    ...{ asked, isOpen: true, close: () => undefined },
    query: async (_, values = []) => {
      asked.push(values)
      const answer = answers.shift() ?? {}
      if (answer instanceof Error) throw answer
      return await Promise.resolve([answer])
    },
  }
}
const held = (epoch = '4'): StoreRow => ({ outcome: 'held', epoch, is_own: true, host: 'here' })

describe('the right to act', () => {
  test('is not there before the store gave it', () => {
    const one = writer()
    expect(one.missing).toContain('has not told since the start')
    expect(one.mayCopy).toBe(false)
    expect(one.status()).toMatchObject({ state: 'waits', held: false, epoch: null, until_ms: null })
  })

  test('lasts ten seconds from before it was asked for, and is renewed every two', async () => {
    const one = writer()
    const quick = sessionOf(held(), held())
    const slow = async (...values: Parameters<StoreSession['query']>) => {
      ms += 1_500
      return await quick.query(...values)
    }
    await one.attend({ ...quick, query: slow })
    expect(one.status()).toMatchObject({ state: 'held', held: true, epoch: 4, until_ms: 1_010_000 })
    expect(one.mayCopy).toBe(true)
    ms += 499
    await one.attend(quick)
    expect(quick.asked).toHaveLength(1)
    ms += 1
    await one.attend(quick)
    expect(quick.asked.map((each) => each[2])).toEqual([0, 4])
    ms += 9_999
    expect(one.missing).toBe(null)
    ms += 1
    expect(one.missing).toContain('was last given 10 s ago')
  })

  test('ends by the venue’s time, too: a suspended machine stops the other clock', async () => {
    const one = writer()
    await one.attend(sessionOf(held()))
    aheadMs = 9_999
    expect(one.missing).toBe(null)
    aheadMs = 10_000
    expect(one.missing).toContain('the right to act for this account')
  })

  test('is another’s: nothing opens and nothing is copied, until it is free', async () => {
    const one = writer()
    const other = { outcome: 'waits', epoch: '9', is_own: false, host: 'there', wait_ms: '4000' }
    const session = sessionOf(other, { ...other, is_own: true, host: null }, held('10'))
    await one.attend(session)
    expect(one.missing).toContain('another Guard, at there, has the right to act')
    expect(one.mayCopy).toBe(false)
    ms += 2_000
    await one.attend(session)
    expect(one.missing).toContain('is free in 4 s')
    expect(one.mayCopy).toBe(true)
    ms += 2_000
    await one.attend(session)
    expect(one.missing).toBe(null)
    expect(lost).toEqual([])
  })

  test('was taken: this run ends, once, and asks no more', async () => {
    const one = writer()
    const taken = { outcome: 'lost', epoch: '5', is_own: false, host: 'there' }
    const session = sessionOf(held(), taken)
    await one.attend(session)
    ms += 2_000
    await one.attend(session)
    expect(lost).toEqual([
      'another Guard acts for this account (at there, writer epoch 5; this one had 4)',
    ])
    // Though it was given it two seconds ago.
    expect(one.missing).toBe(lost[0])
    ms += 2_000
    await one.attend(session)
    expect(session.asked).toHaveLength(2)
  })

  test('a store that refuses ends nothing early, and is told once it has ended', async () => {
    const one = writer()
    await one.attend(sessionOf(held()))
    ms += 2_000
    await one.attend(sessionOf(new StoreError('refused', 'no room', '53100')))
    expect(one.missing).toBe(null)
    ms += 8_000
    expect(one.missing).toContain('no room')
    const old = writer()
    const unknown = (): StoreError => new StoreError('refused', 'no function', '42883')
    await old.attend(sessionOf(unknown(), unknown(), unknown()))
    // Its records are copied as before; it opens nothing.
    expect([old.mayCopy, old.missing]).toEqual([true, expect.stringContaining('no function')])
    await expect(writer().attend(sessionOf(new Error('broke')))).rejects.toThrow('broke')
  })

  test('its word goes with each renewal, and at once where the latch or a halt changed', async () => {
    const one = writer()
    const session = sessionOf(held(), held(), held(), held())
    await one.attend(session)
    ms += 500
    word = { latch: null, risk: { risk: { state: 'active', bases: 'others' } } }
    await one.attend(session)
    ms += 100
    word = { latch: null, risk: { risk: { state: 'active', bases: 'and others' } } }
    await one.attend(session)
    expect(session.asked.map((each) => each[5])).toEqual([
      '{"latch":null}',
      '{"latch":null,"risk":{"risk":{"state":"active","bases":"others"}}}',
    ])
    word = { latch: { reason: 'enough', at: 1 } }
    await one.attend(session)
    expect(session.asked.at(-1)?.[5]).toBe('{"latch":{"reason":"enough","at":1}}')
  })

  test('a store of an earlier version is asked without a word, until the connection is a new one', async () => {
    const one = writer()
    const unknown = new StoreError('refused', 'no function', '42883')
    const session = sessionOf(unknown, unknown, held(), held(), held())
    await one.attend(session)
    expect(one.missing).toBe(null)
    ms += 2_000
    await one.attend(session)
    await one.handOver(session, '{}')
    one.begin()
    ms += 2_000
    await one.attend(session)
    expect(session.asked.map((each) => each.length)).toEqual([7, 4, 3, 3, 7])
    await one.handOver(session, '{}')
    expect(session.asked.at(-1)).toEqual([expect.any(String), 4, '{}'])
  })

  test('taken over by a standby it is renewed by the same run and epoch', async () => {
    const taken = { run: 'run-9', epoch: 9 }
    const deps = { clock, instance: 'home', word: () => word, onLost: () => undefined, taken }
    const one = new WriterKeeper(deps)
    expect(one.status()).toMatchObject({ state: 'waits', held: false, epoch: 9 })
    const session = sessionOf(held('9'))
    await one.attend(session)
    expect(session.asked).toEqual([['home', 'run-9', 9, false, false, '{"latch":null}', 0]])
    expect(one.status()).toMatchObject({ state: 'held', epoch: 9 })
  })

  test('says whether it holds it by its own clocks when it asks', async () => {
    const one = writer()
    const session = sessionOf(held(), held(), held())
    await one.attend(session)
    ms += 9_999
    await one.attend(session)
    ms += 10_000
    await one.attend(session)
    expect(session.asked.map((each) => each[3])).toEqual([false, true, false])
  })

  test('says the number of the last answer that gave it, whatever the store has lost since', async () => {
    const one = writer()
    const waits = { outcome: 'waits', epoch: '4', is_own: true, host: null, wait_ms: '9000' }
    const session = sessionOf(
      ...[{ ...held(), answer: '7' }, new StoreError('refused', 'no room', '53100')],
      ...[waits, { ...held(), answer: '8' }, held()],
    )
    for (let asked = 0; asked < 5; asked += 1) {
      await one.attend(session)
      ms += 2_000
    }
    expect(session.asked.map((each) => each[6])).toEqual([0, 7, 7, 7, 8])
  })

  test('of another home: what that left is heeded before anything may open, and told until it is', async () => {
    const told: LeftWord[] = []
    let heed: () => void = () => undefined
    const onLeft = (left: LeftWord): Promise<void> => {
      expect(one.missing).not.toBe(null)
      told.push(left)
      return new Promise((resolve) => (heed = resolve))
    }
    const deps = { clock, instance: 'home', word: () => word, onLost: () => undefined, onLeft }
    const one = new WriterKeeper(deps)
    const left = { left_word: '{"latch":{"reason":"x","at":1}}', left_known: true, left_host: 'b' }
    const session = sessionOf({ ...held(), ...left }, { ...held(), ...left }, held())
    await one.attend(session)
    expect(one.missing).toBe(null)
    ms += 2_000
    await one.attend(session)
    heed()
    await Promise.resolve()
    ms += 2_000
    await one.attend(session)
    expect(told).toEqual([{ word: { latch: { reason: 'x', at: 1 } }, isKnown: true, host: 'b' }])
    expect(session.asked.map((each) => each[4])).toEqual([false, false, true])
  })

  test('given back, nothing opens from that moment on', async () => {
    const one = writer()
    const session = sessionOf(held())
    await one.attend(session)
    const given = one.release(session)
    expect(one.missing).toContain('is leaving')
    await given
    expect(session.asked.at(-1)).toEqual([expect.any(String), 4, '{"latch":null}'])
    const never = writer()
    const silent = sessionOf()
    await never.release(silent)
    expect(silent.asked).toEqual([])
  })
})
