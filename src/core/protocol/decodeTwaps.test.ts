import { expect, test } from 'vitest'
import { decodeFrame } from './decodeFrame.ts'
import { decodeRunningTwaps, decodeTwapHistory } from './decodeTwaps.ts'

const user = '0x00000000000000000000000000000000000000aa'
const state = {
  ...{ coin: 'ETH', user, side: 'A', sz: '1.2', executedSz: '0.0402', executedNtl: '74.9' },
  ...{ minutes: 1440, reduceOnly: false, randomize: false, timestamp: 1_785_700_000_000 },
  ...{ trigger: { px: '2900.0', above: true }, stopPx: null },
}
const fill = {
  ...{ coin: 'ETH', px: '1863.2', sz: '0.0067', side: 'A', time: 1_785_771_742_030 },
  ...{ startPosition: '1.7028', dir: 'Close Long', closedPnl: '-0.19564', crossed: true },
  ...{ hash: `0x${'0'.repeat(64)}`, oid: 57_382_705_518, fee: '0.005617', tid: 723_598_915 },
  ...{ feeToken: 'USDC', twapId: null },
}

test('running TWAPs, with those that wait for a price', () => {
  const states = [[16_928, state]]
  const frame = decodeFrame({ channel: 'twapStates', data: { dex: '', user, states } })
  const twap = { id: 16_928, coin: 'ETH', isBuy: false, isReduceOnly: false }
  expect(frame).toMatchObject({ ok: true, value: { channel: 'twapStates', twaps: [twap] } })
  expect(decodeRunningTwaps({ twapStates: states })).toMatchObject({ ok: true, value: [twap] })
  expect(decodeRunningTwaps({ twapStates: [[state]] }).ok).toBe(false)
  expect(decodeRunningTwaps({}).ok).toBe(false)
})

test('the fills of slices are fills', () => {
  const twapSliceFills = [{ fill, twapId: 16_928 }]
  const data = { user, twapSliceFills, isSnapshot: true }
  const frame = decodeFrame({ channel: 'userTwapSliceFills', data })
  const told = { coin: 'ETH', isBuy: false, oid: 57_382_705_518, twapId: 16_928 }
  expect(frame).toMatchObject({ ok: true, value: { isSnapshot: true, fills: [told] } })
})

test('a slice without the number of its TWAP is still a fill', () => {
  const data = { user, twapSliceFills: [{ fill }] }
  const frame = decodeFrame({ channel: 'userTwapSliceFills', data })
  expect(frame).toMatchObject({ ok: true, value: { fills: [{ coin: 'ETH' }] } })
})

test('the history tells which trade no more; the number is left out by most rows', () => {
  const row = (status: string, more = {}) => ({ time: 1, state, status: { status }, ...more })
  const rows = [row('activated'), row('waitingForTrigger', { twapId: 7 }), row('terminated')]
  const decoded = decodeTwapHistory([...rows, row('error', { twapId: null }), row('new status')])
  if (!decoded.ok) throw new Error(decoded.error)
  expect(decoded.value.map(({ id, isOver }) => [id, isOver])).toEqual([
    [null, false],
    [7, false],
    [null, true],
    [null, true],
    [null, false],
  ])
  expect(decodeTwapHistory([{ time: 1, state }]).ok).toBe(false)
})
