import { expect, test } from 'vitest'
import type { Json } from '../core/protocol/action.ts'
import type { AgentContext } from './context.ts'
import type { Status } from './guardPort.ts'
import { lookedUp } from './lookUp.ts'
import type { Outcome } from './outcome.ts'

const sentMs = 1_800_000_000_000
const recorded: Outcome = {
  ...{ state: 'unknown', verdict: 'allow', code: 'ok', reason: null },
  ...{ changes: [], statuses: [], venueWords: [] },
}

/** What is found out `agoMs` after an order was sent whose status the venue answers so. */
async function found(agoMs: number, answer: Json): Promise<Outcome> {
  const context = {
    reads: { infoToAct: async () => answer },
    port: { events: async () => ({ events: [] }) },
  } as unknown as AgentContext
  const decision = { seq: 1, at_ms: sentMs - 5_000, pre: [], forward: null, forward_more: [] }
  const record = { decision, sent: [{ at_ms: sentMs }] } as never
  const status = { account: '0xa', now_ms: sentMs + agoMs } as Status
  return lookedUp(context, status, record, '0xc', recorded)
}

test.each([
  [0, 'unknown'],
  [14_999, 'unknown'],
  [15_001, 'not_sent'],
  [3_599_999, 'not_sent'],
  [3_600_000, 'unknown'],
] as const)('%i ms later an order that the venue does not know is %s', async (agoMs, state) => {
  expect((await found(agoMs, { status: 'unknownOid' })).state).toBe(state)
})

test.each([
  ['no answer at all', null],
  ['an answer of another shape', 'busy'],
  ['an order without its status', { status: 'order', order: {} }],
])('%s says nothing', async (_what, answer) => {
  expect((await found(60_000, answer)).state).toBe('unknown')
})
