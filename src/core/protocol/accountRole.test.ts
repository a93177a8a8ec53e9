import { expect, test } from 'vitest'
import { address } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import { judgeRole } from './accountRole.ts'
import { decodeLeadingVaults } from './decodeInfoAccount.ts'
import type { UserRole } from './decodeInfoAccount.ts'

const account = address(`0x${'aa'.repeat(20)}`)
const master = address(`0x${'bb'.repeat(20)}`)
const other = address(`0x${'cc'.repeat(20)}`)
const sub: UserRole = { role: 'subAccount', master }
const vault: UserRole = { role: 'vault' }

const right = (kind: string): object => ({ ok: true, kind })
const wrong = (text: string, via: string | null = null): object => ({
  ...{ ok: false, via, fact: expect.any(String) as string },
  text: expect.stringContaining(text) as string,
})

test.each<[string, UserRole, Address | null, Address[], object]>([
  ['an account', { role: 'user' }, null, [], right('own')],
  ['an account nobody has used', { role: 'missing' }, null, [], right('own')],
  ['a role that is not known', { role: 'unknown' }, null, [], right('own')],
  ['an account with an owner', { role: 'user' }, master, [], wrong('leave venue.via out')],
  ['nobody with an owner', { role: 'missing' }, master, [], wrong('leave venue.via out')],
  ['an API wallet with an owner', { role: 'agent', user: other }, master, [], wrong('"agent"')],
  ['a sub-account of its master', sub, master, [], right('subAccount')],
  ['a sub-account of nobody', sub, null, [], wrong(`set via = "${master}"`, master)],
  ['a sub-account of another', sub, other, [], wrong(`and venue.via is ${other}`, master)],
  ['a vault of its leader', vault, master, [other, account], right('vault')],
  ['a vault of nobody', vault, null, [], wrong('the address of its leader')],
  ['a vault of another', vault, master, [other], wrong('does not lead')],
])('%s', (_, role, via, led, verdict) => {
  expect(judgeRole(role, account, via, led)).toEqual(verdict)
})

test('the vaults that an account leads', () => {
  const told = decodeLeadingVaults([
    { address: account.toUpperCase().replace('0X', '0x'), name: 'v' },
  ])
  expect(told).toEqual({ ok: true, value: [account] })
  expect(decodeLeadingVaults([]).ok).toBe(true)
  expect(decodeLeadingVaults(null).ok).toBe(false)
})
