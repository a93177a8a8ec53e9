import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { address } from '../../core/values/address.ts'
import type { HttpOutcome } from '../../venue/httpOutcome.ts'
import { checkAgent } from './agentCheck.ts'
import { askInfo } from './askInfo.ts'

const account = address(`0x${'aa'.repeat(20)}`)
const wallet = address(`0x${'bb'.repeat(20)}`)

/** A venue that answers what it is asked about roles in this way. */
function venueThat(status: number, role: Json): Parameters<typeof askInfo>[0] {
  return {
    post: (_path, body): Promise<HttpOutcome> => {
      const answer = body.includes('userRole') ? role : []
      const told = Buffer.from(JSON.stringify(answer))
      return Promise.resolve({ kind: 'answer', status, body: told })
    },
    close: () => undefined,
  }
}

test('an API wallet of the account is taken', async () => {
  const role = { role: 'agent', data: { user: account } }
  const facts = await checkAgent(askInfo(venueThat(200, role)), account, wallet)
  expect(facts).toEqual({ ok: true, value: { name: null, validUntil: null } })
})

test.each([
  [200, { role: 'user' }, true, /is not an API wallet of .* Approve it/],
  [200, { role: 'agent', data: { user: wallet } }, true, /is an API wallet of 0xbb/],
  [200, 'nonsense', false, /could not be asked about/],
  [429, null, false, /could not be asked about .*request weight .* a minute later/],
  [500, null, false, /could not be asked about .*HTTP 500/],
] as const)('HTTP %i, %j: refused by the venue is %s', async (status, role, isRefused, words) => {
  const facts = await checkAgent(askInfo(venueThat(status, role)), account, wallet)
  expect(facts).toMatchObject({ ok: false, error: { isRefused } })
  expect(facts.ok ? '' : facts.error.text).toMatch(words)
})

test("the account's own key is not taken, and nobody is asked", async () => {
  const facts = await checkAgent(askInfo(venueThat(500, null)), account, account)
  expect(facts).toMatchObject({ ok: false, error: { isRefused: true } })
})
