import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow, openOrder } from '../../core/account/account.fixture.ts'
import { address } from '../../core/values/address.ts'
import { millis } from '../../core/values/millis.ts'
import { answerOwnRead } from './ownReads.ts'
import type { SnapshotKind } from '../ports.ts'

const own = address(`0x${'a'.repeat(40)}`)
const body = { told: 'as the venue wrote it' }

interface Case {
  readonly snapshotAgeMs?: number
  readonly answeredAgeMs?: number
  readonly kinds?: readonly SnapshotKind[]
}

function ask(request: object, given: Case = {}): unknown {
  const account = accountWith()
  const now = millis(fixtureNow + 1_000)
  const kinds = given.kinds ?? ['clearinghouseState', 'openOrders', 'spotState']
  return answerOwnRead(
    {
      account,
      address: own,
      clock: { now: () => now, monotonicMs: () => 0 },
      dispatcher:
        given.answeredAgeMs === undefined
          ? null
          : { lastAnswerAt: millis(now - given.answeredAgeMs) },
      stream: {
        latest: (kind) =>
          kinds.includes(kind)
            ? { body: () => body, at: millis(now - (given.snapshotAgeMs ?? 100)) }
            : null,
      },
    },
    request as never,
  )
}

describe('the account’s own reads', () => {
  test.each([
    [{ type: 'clearinghouseState', user: own }, {}, body],
    [
      { type: 'clearinghouseState', user: own.toUpperCase().replace('0X', '0x'), dex: '' },
      {},
      body,
    ],
    [{ type: 'frontendOpenOrders', user: own }, { snapshotAgeMs: 5_900 }, body],
    [{ type: 'spotClearinghouseState', user: own }, {}, body],
    [{ type: 'openOrders', user: own }, { kinds: [] }, []],
    // Another account, another dex, another question: the venue is asked.
    [{ type: 'clearinghouseState', user: `0x${'b'.repeat(40)}` }, {}, null],
    [{ type: 'clearinghouseState', user: own, dex: 'xyz' }, {}, null],
    [{ type: 'userFills', user: own }, {}, null],
    [{ type: 'clearinghouseState' }, {}, null],
    // Too old, not told yet, or told before the venue's last answer to an action.
    [{ type: 'clearinghouseState', user: own }, { snapshotAgeMs: 3_001 }, null],
    [{ type: 'frontendOpenOrders', user: own }, { snapshotAgeMs: 6_001 }, null],
    [{ type: 'clearinghouseState', user: own }, { snapshotAgeMs: -1 }, null],
    [{ type: 'clearinghouseState', user: own }, { kinds: [] }, null],
    [{ type: 'clearinghouseState', user: own }, { answeredAgeMs: 100 }, null],
    [{ type: 'clearinghouseState', user: own }, { answeredAgeMs: 101 }, body],
  ] satisfies [object, Case, unknown][])('%j, %j', (request, given, expected) => {
    expect(ask(request, given)).toEqual(expected)
  })
})

test('the open orders are those of the main dex: others are asked for by their dex', () => {
  const resting = (name: string, oid: number) =>
    openOrder({ coin: name, oid, isBuy: true, price: '100', size: '1' })
  const account = accountWith({ orders: [resting('ETH', 1)] })
  const at = millis(fixtureNow)
  const orders = [resting('xyz:TSLA', 2)]
  account.apply({ kind: 'orders', orders, dex: 'xyz', source: 'read', at })
  const input = {
    ...{ account, address: own, dispatcher: null, stream: { latest: () => null } },
    clock: { now: () => at, monotonicMs: () => 0 },
  }
  const told = answerOwnRead(input, { type: 'openOrders', user: own })
  expect(told).toMatchObject([{ coin: 'ETH', oid: 1 }])
  expect(answerOwnRead(input, { type: 'openOrders', user: own, dex: 'xyz' })).toBeNull()
  // Of orders on spot pairs Guard knows how many there are: the venue is asked what they are.
  account.apply({ kind: 'orders', orders: [], elsewhere: 1, source: 'read', at })
  expect(answerOwnRead(input, { type: 'openOrders', user: own })).toBeNull()
})
