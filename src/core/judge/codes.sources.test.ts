import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codes } from './codes.ts'

test('are all said somewhere, and nothing is said that is not in the table', () => {
  const root = join(import.meta.dirname, '..', '..')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/\.(test|fixture|d)\.ts$/.test(file))
    .filter((file) => !file.endsWith('judge/codes.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const isSaid = (code: string, where: RegExp): boolean =>
    sources.some(({ file, text }) => where.test(file) && text.includes(`'${code}'`))
  for (const { code, by } of codes) {
    const where = by === 'judge' ? /^core\/judge\// : /./
    expect(isSaid(code, where), `${code} is said by ${by}`).toBe(true)
  }
  const known = new Set<string>(codes.map((row) => row.code))
  const said = sources
    .filter(({ file }) => file.startsWith('core/judge/'))
    .flatMap(({ text }) => [...text.matchAll(/code: '([a-z_]+)'|refuse\(\s*'([a-z_]+)'/g)])
    .map((match) => match[1] ?? match[2] ?? '')
  expect(said.filter((code) => !known.has(code))).toEqual([])
})
