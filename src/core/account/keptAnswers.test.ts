import { expect, test } from 'vitest'
import { KeptAnswers } from './keptAnswers.ts'

test('the last six answers are kept, and no other', () => {
  const kept = new KeptAnswers<number, string>((one, other) => one === other)
  const asked: number[] = []
  const ask = (of: number): string =>
    kept.of(of, () => {
      asked.push(of)
      return `answer ${of}`
    })
  for (const of of [1, 2, 3, 4, 5, 6, 6, 1]) expect(ask(of)).toBe(`answer ${of}`)
  expect(asked).toEqual([1, 2, 3, 4, 5, 6])
  for (const of of [7, 2, 1]) expect(ask(of)).toBe(`answer ${of}`)
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 1])
})
