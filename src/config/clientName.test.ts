import { expect, test } from 'vitest'
import { clientNameFault } from './clientName.ts'
import { readConfig } from './readConfig.ts'

const account = '0x1111111111111111111111111111111111111111'
const client = '0x2222222222222222222222222222222222222222'
const rule = 'must be 1 to 64 printable characters, not only spaces'

test.each([
  ['grid bot', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['\u{1f916}'.repeat(40), true],
  ['\u{1f916}'.repeat(64), true],
  ['\u{1f916}'.repeat(65), false],
  ['', false],
])('%o is counted alike in guard.toml and in a flag', (name, isFine) => {
  const toml = `mode = "paper"\naccount = "${account}"\n[clients]\n"${client}" = { name = "${name}" }\n`
  const read = readConfig(toml, '/home/guard')
  expect(read.ok).toBe(isFine)
  if (!read.ok) expect(read.error.join()).toContain('must have 1 to 64 characters')
  expect(clientNameFault(name)).toBe(isFine ? null : rule)
})

test.each(['  ', 'a\nb', '\u001b]0;x\u0007', 'a\u202eb', '\ud83e'])(
  '%o is no name that can be seen',
  (name) => {
    expect(clientNameFault(name)).toBe(rule)
  },
)
