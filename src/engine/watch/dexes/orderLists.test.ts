import { expect, test } from 'vitest'
import type { ClearinghouseState } from '../../../core/protocol/venueState.ts'
import { millis } from '../../../core/values/millis.ts'
import type { VenueNews } from '../../ports.ts'
import { OrderLists } from './orderLists.ts'

const at = millis(9_000)
const list = (source: 'stream' | 'read', dex?: string): VenueNews => ({
  ...{ kind: 'orders', orders: [], source, at },
  ...(dex === undefined ? {} : { dex }),
})
const toldAt = (time: number, dex: string, source: 'stream' | 'read' = 'stream'): VenueNews => {
  const state = { time: millis(time) } as ClearinghouseState
  return { kind: 'dex_states', states: new Map([[dex, state]]), source, at }
}
const main = (time: number): VenueNews => {
  const state = { time: millis(time) } as ClearinghouseState
  return { kind: 'state', state, source: 'stream', at }
}

/** `failed`: a read of the orders on xyz failed. */
test.each<[string, number | null, string, readonly (VenueNews | 'failed')[], boolean]>([
  ['nothing was told', null, 'xyz', [], false],
  ['the stream listed them, and no run was before', null, 'xyz', [list('stream', 'xyz')], true],
  ['they were read', 5_000, 'xyz', [list('read', 'xyz')], true],
  ['those of another dex were read', 5_000, 'xyz', [list('read')], false],
  [
    'the stream listed them and goes on, and nobody has tried to read them',
    ...([5_000, 'xyz', [toldAt(5_000, 'xyz'), list('stream', 'xyz')], false] as const),
  ],
  [
    'the same, and the read failed',
    ...([5_000, 'xyz', [toldAt(5_000, 'xyz'), list('stream', 'xyz'), 'failed'], true] as const),
  ],
  [
    'the stream stands still since before the end of the last run, and the read failed',
    ...([5_000, 'xyz', [toldAt(4_999, 'xyz'), list('stream', 'xyz'), 'failed'], false] as const),
  ],
  [
    'only a read shows the dex as it is now',
    5_000,
    'xyz',
    [toldAt(6_000, 'xyz', 'read'), list('stream', 'xyz'), 'failed'],
    false,
  ],
  ['the stream lists the main dex', 5_000, '', [list('stream'), main(5_000)], true],
  ['it lists the main dex as it was before', 5_000, '', [main(4_999), list('stream')], false],
])('whether orders are listed where %s', (_, endedAt, dex, news, isListed) => {
  const lists = new OrderLists()
  lists.restore(endedAt)
  for (const each of news) {
    if (each === 'failed') lists.failed('xyz')
    else lists.told(each)
  }
  expect(lists.has(dex)).toBe(isListed)
})

test('what is missing is what is wanted or was expected, and not listed', () => {
  const lists = new OrderLists()
  lists.expect(['abc', 'gone'])
  const missing = () => lists.missing(['xyz', 'abc', 'tok'], () => ['xyz'])
  expect(missing()).toEqual(['xyz', 'abc'])
  lists.told(list('stream', 'xyz'))
  expect(missing()).toEqual(['abc'])
  lists.told(list('read', 'abc'))
  expect(missing()).toEqual([])
})
