import { expect, test } from 'vitest'
import { keptName } from '../../core/judge/keptName.ts'
import { readNames } from './engineMemory.ts'
import { NamesLeft } from './nameMemory.ts'
import { keyOf } from './openIntents.ts'

const place = (c: string): { type: string; orders: { c: string }[] } => ({
  type: 'order',
  orders: [{ c }],
})
const changes = (id: string) => [keptName('the modify', 'mine', id).record]

test('a bot’s id names the order whose action the venue took, as the records have it', () => {
  const left = new NamesLeft(undefined)
  left.decided(1, [place('a'), { type: 'cancel' }], changes('a'), false)
  expect(left.rows()).toEqual([['a', 'mine', 'waiting']])
  left.taken(keyOf(1, 1))
  expect(left.rows()).toEqual([['a', 'mine', 'waiting']])
  left.taken(keyOf(1, 0))
  expect(left.rows()).toEqual([['a', 'mine', 'current']])
  left.decided(2, [place('mine')], undefined, false)
  expect(left.rows()).toEqual([['a', 'mine', 'past']])
})

test('what was saved is not decided again, and what came of it since counts', () => {
  const left = new NamesLeft([
    ['a', 'mine', 'current'],
    ['b', 'mine', 'waiting'],
  ])
  left.decided(1, [place('mine')], [], true)
  left.decided(2, [place('b')], changes('b'), true)
  expect(left.rows()[0]).toEqual(['a', 'mine', 'current'])
  left.taken(keyOf(2, 0))
  expect(left.rows()).toEqual([
    ['a', 'mine', 'past'],
    ['b', 'mine', 'current'],
  ])
})

test('rows that cannot be read are left out', () => {
  const good = ['a', 'mine', 'past']
  expect(readNames([good, ['a', 'mine', 'new'], ['a', 1, 'past'], [1, 'mine', 'past'], 7])).toEqual(
    [good],
  )
  expect(readNames(undefined)).toEqual([])
})
