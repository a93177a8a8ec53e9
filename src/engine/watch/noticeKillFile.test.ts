import { expect, test } from 'vitest'
import { noticeKillFile } from './noticeKillFile.ts'

test.each([
  ['with its text: at once', { firstLine: 'smoke' }, ['checked']],
  ['without a text: a moment later, when whoever makes it has written', { firstLine: '' }, []],
  ['none', null, ['checked']],
])('a kill file %s', (_what, seen, atOnce) => {
  const told: string[] = []
  const later: (() => void)[] = []
  const after = (_ms: number, task: () => void): (() => void) => {
    later.push(task)
    return () => undefined
  }
  noticeKillFile({ seen: () => seen }, { checkFile: () => void told.push('checked') }, { after })
  expect(told).toEqual(atOnce)
  for (const task of later) task()
  expect(told).toEqual(['checked'])
})
