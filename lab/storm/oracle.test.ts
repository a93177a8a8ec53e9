import { expect, test } from 'vitest'
import type { Json } from '../../src/core/protocol/action.ts'
import { Oracle } from './oracle.ts'
import type { Request, VenueRequest } from './oracle.ts'
import type { DiskRecord } from './watchedDisk.ts'

/** What the oracle of the disk's traffic tells apart; `rules.test.ts` breaks every rule once. */

const entry = { a: 1, b: true, p: '4000', s: '1', r: false, t: { limit: { tif: 'Ioc' } } }
const orders = (...list: readonly Json[]): Json => ({ type: 'order', orders: list, grouping: 'na' })
const exit = orders({ ...entry, b: false, r: true })

function decision(seq: number, nonce: number, forward: Json, request: Json = forward): DiskRecord {
  return {
    ...{ seq, at_ms: 1, kind: 'decision', client: '0xa', nonce, action: 'order', verdict: 'allow' },
    ...{ code: 'allowed', request, pre: [], forward, forward_more: [], post: [] },
  }
}

function sent(action: Json): VenueRequest {
  return { action, nonce: 1, expiresAfter: 10_001 }
}

function request(nonce: number, code: string): Request {
  return {
    ...{
      id: 1,
      client: '0xa',
      nonce,
      action: exit,
      at: 0,
      life: 1,
      isValid: true,
      text: '',
      fate: 'whole',
    },
    answer: { status: 200, body: { status: 'ok', code }, at: 1 },
  }
}

test('what is sent was on disk first, and once', () => {
  const oracle = new Oracle()
  expect(() => oracle.onSend(sent(exit))).toThrow('intent_first')
  oracle.onDisk(decision(1, 7, exit))
  oracle.onSend(sent(exit))
  expect(() => oracle.onSend(sent(exit))).toThrow('intent_first')
})

test('what an opening writes once more is no news, and what it adds is', () => {
  const oracle = new Oracle()
  const risk = { kind: 'risk', state: 'active', at_ms: 1 }
  expect(oracle.onDisk({ seq: 1, ...risk })).toBe(true)
  expect(oracle.onDisk({ seq: 2, ...risk, state: 'stopped' })).toBe(true)
  oracle.isOpening = true
  expect(oracle.onDisk({ seq: 1, ...risk })).toBe(false)
  expect(oracle.onDisk({ seq: 2, ...risk, state: 'stopped' })).toBe(false)
  expect(oracle.riskState).toBe('stopped')
  expect(oracle.onDisk({ seq: 3, ...risk })).toBe(true)
})

test('with a broken disk what lowers risk goes, and nothing else', () => {
  const oracle = new Oracle()
  oracle.isDiskBad = true
  oracle.onSend(sent(exit))
  expect(() => oracle.onSend(sent(orders(entry)))).toThrow('intent_first')
})

test('a request is let through once', () => {
  const oracle = new Oracle()
  oracle.onDisk(decision(1, 7, exit))
  const other = orders({ ...entry, b: false, r: true, s: '2' })
  expect(() => oracle.onDisk(decision(2, 7, other))).toThrow('one_execution')
})

test('nothing opens while latched or halted', () => {
  for (const stop of [
    (oracle: Oracle) => {
      oracle.killedAt = 5
    },
    (oracle: Oracle) => {
      oracle.onDisk({ seq: 2, at_ms: 1, kind: 'risk', state: 'halted_for_day' })
    },
  ]) {
    const oracle = new Oracle()
    oracle.onDisk(decision(1, 7, orders(entry)))
    stop(oracle)
    expect(() => oracle.onSend(sent(orders(entry)))).toThrow(/latched|halted/)
  }
})

test('nothing forwarded is larger or worse than asked', () => {
  const larger = orders({ ...entry, s: '1.1' })
  const worse = orders({ ...entry, p: '4000.1' })
  expect(() => new Oracle().onDisk(decision(1, 7, larger, orders(entry)))).toThrow('not_larger')
  expect(() => new Oracle().onDisk(decision(1, 7, worse, orders(entry)))).toThrow('not_worse')
})

test('every answer has its decision', () => {
  const oracle = new Oracle()
  expect(() => oracle.onAnswer(request(7, 'allowed'))).toThrow('one_decision')
  oracle.onDisk(decision(1, 7, exit))
  oracle.onAnswer(request(7, 'allowed'))
  expect(() => oracle.onAnswer(request(7, 'flip'))).toThrow('one_decision')
})

test('records are numbered without gaps, stay, and are shown only once they are on disk', () => {
  const oracle = new Oracle()
  oracle.onDisk(decision(1, 7, exit))
  expect(() => oracle.onDisk(decision(3, 8, exit))).toThrow('gap')
  // The same record may be written once more, another one under its number may not.
  expect(oracle.onDisk(decision(1, 7, exit))).toBe(false)
  expect(() => oracle.onDisk(decision(1, 8, exit))).toThrow('gap')
  expect(() => {
    oracle.onShown(2)
  }).toThrow('shown')
  oracle.onShown(1)
  expect(() => {
    oracle.onCut(0)
  }).toThrow('durable')
  expect(() => {
    oracle.onOpened(0, true)
  }).toThrow('durable')
})

test('what a start read from the kernel, and could not write again, is not on disk', () => {
  const oracle = new Oracle()
  oracle.onDisk(decision(1, 7, exit))
  // A process was killed before its sync, the next one met a disk that takes nothing, then the power went.
  oracle.onOpened(3, false)
  oracle.onOpened(1, true)
  expect(oracle.onDisk(decision(2, 8, exit))).toBe(true)
  oracle.onOpened(4, true)
  expect(() => {
    oracle.onOpened(3, true)
  }).toThrow('durable')
})
