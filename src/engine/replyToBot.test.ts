import { describe, expect, test } from 'vitest'
import type { Decision, ReplyPlan } from '../core/judge/decision.ts'
import type { Json } from '../core/protocol/action.ts'
import { Decimal } from '../core/values/decimal.ts'
import type { ActionResult } from './dispatcher.ts'
import { forwardedReply } from './replyToBot.ts'
import { isRefused, isWhole, readVenueReply, statusAt } from './venueReply.ts'

const leverage = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 } as const
const forward = { type: 'order', orders: [], grouping: 'na', builder: null } as const

function decision(reply: Partial<ReplyPlan>, more: Partial<Decision> = {}): Decision {
  return {
    verdict: 'resize',
    code: 'resized',
    text: '',
    changes: [],
    changeRecords: [],
    pre: [],
    forward,
    forwardMore: [],
    post: [],
    entries: [],
    exits: [],
    reservations: [],
    needs: [],
    lane: 'entry',
    entryCount: 0,
    reply: { kind: 'statuses', responseType: 'order', slots: [], stripCloids: [], ...reply },
    ...more,
  }
}

const answered = (raw: Json): ActionResult => ({
  kind: 'answered',
  reply: readVenueReply(raw),
  raw,
})
const statuses = (...list: Json[]): Json => ({
  status: 'ok',
  response: { type: 'order', data: { statuses: list } },
})
const first = { kind: 'status', action: 0, index: 0 } as const
const second = { kind: 'status', action: 1, index: 0 } as const

describe('what a bot is told', () => {
  const resting = { resting: { oid: 1, cloid: '0xguard' } }

  test("Guard's own ids and orders are not in it", () => {
    const plan = decision({ slots: [first], stripCloids: ['0xguard'] })
    expect(forwardedReply(plan, [answered(statuses(resting, 'waitingForFill'))])).toEqual({
      status: 'ok',
      response: { type: 'order', data: { statuses: [{ resting: { oid: 1 } }] } },
      code: 'resized',
      verdict: 'resize',
    })
  })

  test('one entry has its sizes, several have a list', () => {
    const entry = {
      coin: 'ETH',
      side: 'buy',
      requestedSize: Decimal.of('2'),
      size: Decimal.of('1.5'),
      code: 'resized',
    } as Decision['entries'][number]
    const results = [answered(statuses(resting))]
    expect(
      forwardedReply(decision({ slots: [first] }, { entries: [entry] }), results),
    ).toMatchObject({ requested_size: '2', size: '1.5' })
    const two = forwardedReply(decision({ slots: [first] }, { entries: [entry, entry] }), results)
    expect(two['entries']).toEqual([
      { requested_size: '2', size: '1.5', code: 'resized' },
      { requested_size: '2', size: '1.5', code: 'resized' },
    ])
    expect(two['size']).toBeUndefined()
  })

  const settled = Promise.resolve(false)
  const failures: [string, ActionResult, string, RegExp][] = [
    [
      'no answer',
      { kind: 'unknown', error: 'gone', settled },
      'venue_unreachable',
      /may have arrived/,
    ],
    [
      'not sent',
      { kind: 'not_sent', error: 'refused', held: null },
      'venue_unreachable',
      /did not arrive/,
    ],
    [
      'held back by a latch',
      { kind: 'not_sent', error: 'x', held: { code: 'kill_switch', text: 'latched' } },
      'kill_switch',
      /^Guard veto \[kill_switch\]: latched$/,
    ],
  ]
  test.each(failures)('%s', (_, result, code, text) => {
    const reply = forwardedReply(decision({ slots: [first] }), [result])
    expect(reply).toMatchObject({ status: 'err', code })
    expect(reply['response']).toMatch(text)
  })

  test('an entry whose leverage was refused was not sent, and the bot learns why', () => {
    const plan = decision({ slots: [second] }, { pre: [leverage] })
    const refused = answered({ status: 'err', response: 'Invalid leverage value' })
    expect(forwardedReply(plan, [refused, { kind: 'skipped' }])).toEqual({
      status: 'err',
      response:
        'Guard [venue_refused_leverage]: the venue refused the leverage the entry needs: Invalid leverage value',
      code: 'venue_refused_leverage',
    })
  })

  test('of several actions each has its own answer in its own place', () => {
    const plan = decision(
      { slots: [second, { kind: 'veto', text: 'Guard veto [flip]: no' }, first] },
      { forwardMore: [forward] },
    )
    const reply = forwardedReply(plan, [
      { kind: 'unknown', error: 'gone', settled },
      answered(statuses(resting)),
    ])
    const { data } = reply['response'] as { data: { statuses: Json[] } }
    expect(data.statuses).toEqual([
      resting,
      { error: 'Guard veto [flip]: no' },
      { error: 'Guard [venue_unreachable]: gone; it may have arrived' },
    ])
  })

  test('an entry that a latch held back beside an exit that went is told so in its place', () => {
    const plan = decision({ slots: [second, first] }, { forwardMore: [forward] })
    const reply = forwardedReply(plan, [
      answered(statuses(resting)),
      { kind: 'not_sent', error: 'latched', held: { code: 'kill_switch', text: 'latched' } },
    ])
    const { data } = reply['response'] as { data: { statuses: Json[] } }
    expect(data.statuses).toEqual([{ error: 'Guard veto [kill_switch]: latched' }, resting])
  })

  test('a whole refusal and a modify keep the shape of the venue', () => {
    const refused = answered({ status: 'err', response: 'Must deposit' })
    expect(forwardedReply(decision({ slots: [first] }), [refused])).toMatchObject({
      status: 'err',
      response: 'Must deposit',
    })
    const modify = decision({ kind: 'default', responseType: 'default', slots: [first] })
    const done = answered({ status: 'ok', response: { type: 'default' } })
    expect(forwardedReply(modify, [done])).toMatchObject({ response: { type: 'default' } })
    expect(forwardedReply(modify, [answered(statuses({ error: 'no' }))])).toMatchObject({
      status: 'err',
      response: 'no',
    })
  })
})

describe('what the venue said', () => {
  const rows: [Json, string, boolean, boolean][] = [
    [{ status: 'ok', response: { type: 'default' } }, 'done', true, false],
    [{ status: 'err', response: 'no' }, 'refused', false, true],
    [statuses('success'), 'statuses', true, false],
    [statuses({ error: 'no' }), 'statuses', false, true],
    [statuses('success', { error: 'no' }), 'statuses', false, false],
    [{ status: 'ok' }, 'strange', false, false],
    [null, 'strange', false, false],
    ['text', 'strange', false, false],
  ]
  test.each(rows)('%j', (raw, kind, whole, refused) => {
    const reply = readVenueReply(raw)
    expect(reply.kind).toBe(kind)
    expect(isWhole(reply, 1)).toBe(whole)
    expect(isRefused(reply)).toBe(refused)
  })

  test('one error for a whole batch is the error of each', () => {
    const reply = readVenueReply(statuses({ error: 'tick' }))
    expect(statusAt(reply, 3)).toEqual({ error: 'tick' })
    expect(isWhole(readVenueReply(statuses('success')), 2)).toBe(false)
  })
})
