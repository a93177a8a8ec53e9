import { expect, test } from 'vitest'
import { accountWith, stopOrder } from '../account/account.fixture.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const own = (oid: number, size: string, trigger: string) =>
  stopOrder({ coin: 'ETH', oid, size, trigger, cloid: guardId('stop', oid) })

test.each([
  ['the looser of two, whichever is older', [own(1, '1', '2450'), own(2, '1', '2400')], [2]],
  ['the looser of two, whichever is newer', [own(1, '1', '2400'), own(2, '1', '2450')], [1]],
  ['the smaller, though it is tighter', [own(1, '0.5', '2450'), own(2, '1', '2400')], [1]],
  ['none that is needed', [own(1, '0.5', '2450'), own(2, '0.5', '2400')], []],
])('of Guard’s own stops over one position goes %s', (_, orders, removed) => {
  const { steps } = plan(accountWith({ positions: { ETH: { size: '1' } }, orders }))
  expect(steps.map((step) => ('oids' in step ? step.oids : []))).toEqual(
    removed.length === 0 ? [] : [removed],
  )
  for (const { why } of steps) expect(why).toBe('covered without it')
})
