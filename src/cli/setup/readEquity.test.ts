import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { address } from '../../core/values/address.ts'
import { err, ok } from '../../core/values/result.ts'
import { readEquity } from './readEquity.ts'

const user = address(`0x${'a'.repeat(40)}`)
const state = (accountValue: string): Json => ({
  marginSummary: { accountValue },
  crossMarginSummary: { accountValue },
  ...{ withdrawable: '0.0', assetPositions: [], time: 1 },
})
const spot = { balances: [{ coin: 'USDC', token: 0, total: '900.0', hold: '0.0' }] }

/** A venue with two builder dexes, of which one cannot be read if so wished. */
function venue(mode: string, unreadable = '') {
  return (request: Json) => {
    const { type, dex = '' } = request as JsonObject
    const worth = dex === 'xyz' ? '250.5' : dex === 'abc' ? '0.0' : '1000.0'
    const answers: { readonly [type: string]: Json } = {
      userAbstraction: mode,
      perpDexs: [null, { name: 'xyz' }, null, { name: 'abc' }],
      clearinghouseState: state(worth),
      spotClearinghouseState: spot,
    }
    const isLost = unreadable !== '' && unreadable === dex
    return Promise.resolve(isLost ? err('lost') : ok(answers[String(type)] ?? null))
  }
}

test.each([
  ['disabled', '1250.5'],
  ['default', '1250.5'],
  ['unifiedAccount', '900'],
])('an account of the mode %s', async (mode, is) => {
  const equity = await readEquity(venue(mode), user)
  expect(equity.ok && equity.value.toString()).toBe(is)
})

test('a dex that cannot be read leaves the equity unknown', async () => {
  expect(await readEquity(venue('disabled', 'xyz'), user)).toEqual(err('lost'))
})
