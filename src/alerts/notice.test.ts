import { expect, test } from 'vitest'
import type { EventBody } from '../core/events/guardEvent.ts'
import type { Json, WireAction } from '../core/protocol/action.ts'
import { meaningOf } from './notice.ts'

const client = `0x${'a'.repeat(40)}`
const stop = { type: 'order', orders: [{ t: { trigger: { tpsl: 'sl' } } }] } as WireAction
const close = { type: 'order', orders: [{ t: { limit: { tif: 'Ioc' } } }] } as WireAction
const cancel = { type: 'cancelByCloid', cancels: [] } as WireAction

const protect = (actions: readonly WireAction[], problems: string[], sent = true): EventBody => ({
  kind: 'protect',
  coins: ['SOL'],
  actions,
  problems,
  sent,
})
const risk = (state: 'active' | 'halted_for_day' | 'stopped'): EventBody => ({
  kind: 'risk',
  state,
  detail: state === 'active' ? null : { equity: '7400', peak: '10000', limit: '0.25' },
  equity: '7400',
  open_positions: 0,
  discrepancies: [],
  journal_error: null,
})
const sent = (ok: boolean, reply: Json): EventBody => ({
  kind: 'sent',
  decision: 3,
  index: 0,
  nonce: 1,
  ok,
  reply,
})
const recovered = (outcome: 'happened' | 'unknown'): EventBody => ({
  kind: 'recovered',
  of: 3,
  index: 1,
  outcome,
  evidence: 'no trace',
})

test.each<[EventBody, string | null]>([
  [protect([stop], []), 'protect SOL: a stop is placed'],
  [
    protect([close, cancel], ['refused']),
    'protect SOL: it is closed, an order is cancelled; problems: refused',
  ],
  [protect([stop], [], false), 'protect SOL: a stop is placed (paper mode: nothing was sent)'],
  [protect([], ['no price']), 'protect SOL: nothing could be done; problems: no price'],
  [{ kind: 'kill', reason: 'enough' }, 'kill enough'],
  [
    { kind: 'kill', reason: `all is well (command line) (client ${client})` },
    `kill client ${client} says: all is well (command line)`,
  ],
  [risk('stopped'), 'drawdown_halt equity 7,400.00 USD, peak 10,000.00 USD, limit 25%'],
  [risk('halted_for_day'), 'daily_loss_stop equity 7,400.00 USD, peak 10,000.00 USD, limit 25%'],
  [risk('active'), null],
  [sent(true, {}), null],
  [sent(false, { error: 'x' }), 'undelivered event 3: {"error":"x"}'],
  [recovered('happened'), null],
  [recovered('unknown'), 'recovered action 1 of event 3: no trace'],
  [{ kind: 'error', text: 'boom' }, 'error boom'],
  [{ kind: 'stopped', reason: 'SIGTERM' }, 'stopped SIGTERM'],
  [{ kind: 'reviewed', what: 'kill', reason: 'ok', equity: null }, 'reviewed kill: ok'],
])('%j means %j', (body, expected) => {
  const meaning = meaningOf({ seq: 1, at_ms: 5, ...body })
  const notice = meaning === null ? null : 'happened' in meaning ? meaning.happened : meaning.began
  expect(notice === null ? null : `${notice.kind} ${notice.text}`).toBe(expected)
})
