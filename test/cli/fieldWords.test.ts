import { expect, test } from 'vitest'
import { readAlerts } from '../../src/alerts/alertsConfig.ts'
import { readConfig } from '../../src/config/readConfig.ts'

const account = `account = "0x${'a'.repeat(40)}"`
const paper = `mode = "paper"\n${account}`

test.each([
  [account, 'mode: is missing; it must be "paper" or "testnet" or "mainnet"'],
  [`mode = "Testnet"\n${account}`, 'mode: must be "paper" or "testnet" or "mainnet"'],
  ['mode = "paper"', 'account: is missing; it must be a text'],
  [`mode = "paper"\naccount = 1`, 'account: must be a text'],
  [`${paper}\nstate_dir = ""`, 'state_dir: must not be empty'],
  [`${paper}\nlisten = "${'1'.repeat(101)}"`, 'listen: is longer than 100'],
  [`${paper}\nexpose = true`, 'expose: must be "other machines may reach Guard"'],
  [`${paper}\nexpose_hosts = "a"`, 'expose_hosts: must be a list'],
  [`${paper}\nexpose_hosts = [${'"a",'.repeat(17)}]`, 'expose_hosts: is longer than 16'],
  [`${paper}\nvenue = 1`, 'venue: must be a section'],
])('what is wrong with %j is told in words', (text, told) => {
  const read = readConfig(text, '/home')
  expect(read.ok ? [] : read.error.map((line) => line.replace(/^line \d+: /, ''))).toContain(told)
})

test('a chat without its number is told what to write', () => {
  const read = readAlerts({ telegram: { token_file: 'token' } })
  expect(read).toEqual({
    ok: false,
    error: [
      { path: ['alerts', 'telegram', 'chat_id'], text: 'must be a chat number or an @channel' },
    ],
  })
})
