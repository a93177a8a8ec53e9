import { describe, expect, test } from 'vitest'
import { limits } from '../values/limits.ts'
import { KeptNames } from './keptNames.ts'

function names(...steps: readonly (readonly ['intend' | 'taken', string])[]): KeptNames {
  const made = new KeptNames()
  for (const [step, id] of steps) {
    if (step === 'intend') made.intend('mine', id)
    else made.taken(id)
  }
  return made
}

describe('a bot’s id', () => {
  test('names the new order once the venue has taken it', () => {
    const made = names(['intend', 'a'])
    expect([made.idOf('mine'), made.nameOf('a')]).toEqual([null, 'mine'])
    made.taken('a')
    expect([made.idOf('mine'), made.nameOf('a'), made.idOf('a')]).toEqual(['a', 'mine', null])
  })

  test('names the last of several in a row, and is shown on all of them', () => {
    const made = names(['intend', 'a'], ['taken', 'a'], ['intend', 'b'], ['taken', 'b'])
    // That an earlier one is told of once more changes nothing.
    made.taken('a')
    made.intend('mine', 'b')
    expect([made.idOf('mine'), made.nameOf('a'), made.nameOf('b')]).toEqual(['b', 'mine', 'mine'])
  })

  test('goes on naming the order before where the venue does not take the new one', () => {
    const made = names(['intend', 'a'], ['taken', 'a'], ['intend', 'b'])
    made.forget('b')
    made.taken('b')
    expect([made.idOf('mine'), made.nameOf('b')]).toEqual(['a', null])
    made.forget('a')
    expect(made.idOf('mine')).toBe('a')
  })

  test('names another order that goes out under it', () => {
    const made = names(['intend', 'a'], ['taken', 'a'], ['intend', 'b'])
    made.release('other')
    expect(made.idOf('mine')).toBe('a')
    made.release('mine')
    made.taken('b')
    expect([made.idOf('mine'), made.nameOf('a')]).toEqual([null, 'mine'])
  })
})

test('a next start takes them up as they were, and what it knows already stays', () => {
  const made = names(['intend', 'a'], ['taken', 'a'], ['intend', 'b'], ['taken', 'b'])
  made.intend('mine', 'c')
  expect(made.rows()).toEqual([
    ['a', 'mine', 'past'],
    ['b', 'mine', 'current'],
    ['c', 'mine', 'waiting'],
  ])
  const next = new KeptNames()
  next.restore(made.rows())
  expect(next.rows()).toEqual(made.rows())
  next.taken('c')
  next.restore(made.rows())
  expect(next.idOf('mine')).toBe('c')
})

test('so many are kept: the oldest goes, but for one whose order still rests', () => {
  const made = new KeptNames((id) => id === 'id0')
  for (let n = 0; n <= limits.keptNamesMax + 1; n += 1) {
    made.intend(`name${n}`, `id${n}`)
    made.taken(`id${n}`)
  }
  expect(made.rows()).toHaveLength(limits.keptNamesMax)
  expect(['name0', 'name1', 'name2', 'name3'].map((name) => made.idOf(name))).toEqual([
    'id0',
    null,
    null,
    'id3',
  ])
  expect(made.nameOf('id1')).toBe(null)
})
