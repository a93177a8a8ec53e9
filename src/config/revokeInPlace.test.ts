import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { address } from '../core/values/address.ts'
import { readConfig } from './readConfig.ts'
import { revokeInPlace } from './revokeInPlace.ts'

const home = mkdtempSync(join(tmpdir(), 'guard-revoke-'))
const file = join(home, 'guard.toml')
const one = address('0x00000000000000000000000000000000000000a1')
const two = address('0x00000000000000000000000000000000000000a2')
const three = address('0x00000000000000000000000000000000000000a3')
const text = [
  '# Größe: äöü €',
  'mode = "paper"',
  'account = "0x00000000000000000000000000000000000000ff"',
  '[clients]',
  `"${one}" = { name = "eins" }`,
  `  '${two}' = { name = "zwei" } # mine`,
  `"${three}" = { name = "drei" }`,
  '[rules]',
  `[client."${three}"]`,
  'risk_per_trade = "0.1%"',
  '',
].join('\n')

beforeEach(() => {
  writeFileSync(file, text)
})
afterAll(() => {
  rmSync(home, { recursive: true })
})

test.each([
  [one, `"${one}"`, `#${one}"`],
  [two, `'${two}'`, `#${two}'`],
])('one byte of the same file ends %s', (client, before, after) => {
  const { ino, size } = statSync(file)
  expect(revokeInPlace(file, home, client)).toBe(true)
  expect(statSync(file)).toMatchObject({ ino, size })
  const changed = readFileSync(file, 'utf8')
  expect(changed).toBe(text.replace(before, after))
  const config = readConfig(changed, home)
  expect(config.ok && [...config.value.clients.keys()]).toEqual(
    [one, two, three].filter((each) => each !== client),
  )
})

test.each([
  ['a client with rules of its own', three],
  ['no client', address('0x00000000000000000000000000000000000000a4')],
])('nothing changes for %s', (_name, client) => {
  expect(revokeInPlace(file, home, client)).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
