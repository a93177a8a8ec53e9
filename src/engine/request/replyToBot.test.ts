import { describe, expect, test } from 'vitest'
import type { Decision, ReplyPlan } from '../../core/judge/decision.ts'
import type { Action, Json, Order } from '../../core/protocol/action.ts'
import { readActionReply } from '../../core/protocol/actionReply.ts'
import { cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import { forwardedReply } from './replyToBot.ts'

const leverage = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 } as const
const order: Order = {
  ...{ asset: 1, isBuy: true, price: Decimal.one, size: Decimal.one, isReduceOnly: false },
  ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: null },
}
/** An action of so many orders. */
const ordersOf = (count: number): Action => ({
  ...{ type: 'order', grouping: 'na', builder: null },
  orders: Array.from({ length: count }, () => order),
})
const forward = ordersOf(1)

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

/** The answer to an action with as many orders as it has statuses, or to the action named. */
function answered(json: Json, action?: Action): ActionResult {
  const { data } = (json as { response: { data?: { statuses: readonly Json[] } } }).response
  const reply = readActionReply(action ?? ordersOf(data?.statuses.length ?? 1), json)
  if (reply.kind === 'unknown') throw new Error('nothing can be told from this answer')
  return { kind: 'answered', reply }
}
const statuses = (...list: Json[]): Json => ({
  status: 'ok',
  response: { type: 'order', data: { statuses: list } },
})
const first = { kind: 'status', action: 0, index: 0 } as const
const second = { kind: 'status', action: 1, index: 0 } as const

describe('what a bot is told', () => {
  const own = cloid(`0x${'ab'.repeat(16)}`)
  const resting = { resting: { oid: 1, cloid: own } }

  const waits = { kind: 'waiting', action: 0, index: 0 } as const
  const refused = { error: 'Invalid TP/SL price. asset=1' }

  test.each([
    ['taken', statuses(resting), { resting: { oid: 1 } }, 'waitingForFill'],
    ['refused', statuses(refused), refused, refused],
  ])(
    'a stop that Guard keeps waits for the fill of its entry, which was %s',
    (_, json, entry, stop) => {
      const plan = decision({ slots: [first, waits], stripCloids: [own] })
      expect(forwardedReply(plan, [answered(json)])).toMatchObject({
        response: { data: { statuses: [entry, stop] } },
      })
    },
  )

  test('an action that was refused whole is told once, its kept stop included', () => {
    const plan = decision({ slots: [first, waits] })
    const whole = { status: 'err', response: 'Too many orders.' }
    expect(forwardedReply(plan, [answered(whole)])).toMatchObject(whole)
  })

  test("Guard's own ids and orders are not in it", () => {
    const plan = decision({ slots: [first], stripCloids: [own] })
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

  const exitOf = (size: string, code = 'allowed') => {
    return { at: 0, requestedSize: Decimal.of('2'), size: Decimal.of(size), code }
  }
  const whole = { requested_size: '2', size: '2', code: 'allowed' }
  const cut = { requested_size: '2', size: '1', code: 'resized' }
  test.each([
    ['one', [exitOf('2')], { requested_size: '2', size: '2' }],
    ['one that is cut', [exitOf('1', 'resized')], { requested_size: '2', size: '1' }],
    ['two as they were sent', [exitOf('2'), exitOf('2')], {}],
    ['two, of which one is cut', [exitOf('1', 'resized'), exitOf('2')], { entries: [cut, whole] }],
  ])('exits, %s: which of them has which size is told', (_, exits, sizes) => {
    const reply = forwardedReply(
      decision({ slots: [first] }, { exits: exits as Decision['exits'] }),
      [answered(statuses(resting))],
    )
    const { status, response, code, verdict, ...told } = reply
    expect(told).toEqual(sizes)
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
    const refused = answered({ status: 'err', response: 'Invalid leverage value' }, leverage)
    expect(forwardedReply(plan, [refused, { kind: 'skipped' }])).toEqual({
      status: 'err',
      response:
        'Guard [venue_refused_leverage]: the venue refused the leverage the entry needs: Invalid leverage value',
      code: 'venue_refused_leverage',
    })
  })

  test('an entry whose old one could not be cancelled is told so, and not as a matter of leverage', () => {
    const cancel: Action = { type: 'cancel', cancels: [{ asset: 0, oid: 7 }] }
    const plan = decision({ slots: [second] }, { forward: cancel, forwardMore: [forward] })
    const gone = 'Order was never placed, already canceled, or filled. asset=0'
    const json = {
      status: 'ok',
      response: { type: 'cancel', data: { statuses: [{ error: gone }] } },
    }
    const refused = forwardedReply(plan, [answered(json, cancel), { kind: 'skipped' }])
    expect(refused).toMatchObject({ status: 'err', code: 'unknown_order' })
    expect(refused['response']).toContain(`could not be cancelled (${gone})`)
    const lost = forwardedReply(plan, [
      { kind: 'unknown', error: 'no answer', settled },
      { kind: 'skipped' },
    ])
    expect(lost).toMatchObject({ status: 'err', code: 'venue_unreachable' })
    expect(lost['response']).toContain('the order that it replaces may be cancelled')
    const unsent = forwardedReply(plan, [
      { kind: 'not_sent', error: 'no way', held: null },
      { kind: 'skipped' },
    ])
    expect(unsent['response']).toContain('the cancel of what it replaces is not confirmed')
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

  test.each(['default', 'statuses'] as const)(
    'a modify whose new order is refused after the old one was cancelled says so in the venue’s words (%s)',
    (kind) => {
      const cancel: Action = { type: 'cancel', cancels: [{ asset: 1, oid: 7 }] }
      const plan = decision({ kind, slots: [second] }, { forward: cancel, forwardMore: [forward] })
      const expired = { status: 'err', response: 'Action already expired' }
      const said = 'Error placing new order during modify: Action already expired'
      const response = { type: 'cancel', data: { statuses: ['success'] } }
      const cancelled = answered({ status: 'ok', response }, cancel)
      const told = forwardedReply(plan, [cancelled, answered(expired, forward)])
      expect(told).toMatchObject(
        kind === 'default'
          ? { status: 'err', response: said }
          : { response: { data: { statuses: [{ error: said }] } } },
      )
    },
  )

  test('a whole refusal and a modify keep the shape of the venue', () => {
    const refused = answered({ status: 'err', response: 'Must deposit' })
    expect(forwardedReply(decision({ slots: [first] }), [refused])).toMatchObject({
      status: 'err',
      response: 'Must deposit',
    })
    const modify = decision({ kind: 'default', responseType: 'default', slots: [first] })
    const done = answered({ status: 'ok', response: { type: 'default' } }, leverage)
    expect(forwardedReply(modify, [done])).toMatchObject({ response: { type: 'default' } })
    expect(forwardedReply(modify, [answered(statuses({ error: 'no' }))])).toMatchObject({
      status: 'err',
      response: 'no',
    })
  })

  const queued = { queued: { oid: 1 } }
  const inDoubt =
    "Guard [venue_unreachable]: the venue's answer is none that Guard knows; it may have arrived"

  test('an order with a status that nobody knows is told as one that may have arrived', () => {
    const plan = decision({ slots: [first] })
    const reply = forwardedReply(plan, [answered(statuses(queued, 'waitingForFill'))])
    expect(reply).toMatchObject({ status: 'err', code: 'venue_unreachable' })
    expect(reply['response']).toContain(inDoubt)
  })

  test('beside others it stands in its own place, and is no success there', () => {
    const third = { kind: 'status', action: 0, index: 2 } as const
    const plan = decision({ slots: [{ ...first, index: 1 }, third] })
    const reply = forwardedReply(plan, [answered(statuses(resting, queued, resting))])
    const { data } = reply['response'] as { data: { statuses: Json[] } }
    expect(data.statuses).toEqual([{ error: inDoubt }, resting])
  })

  test('a cancel goes back as the venue answered it, and what is in doubt as that', () => {
    const cancels = [{ asset: 1, oid: 1 }].flatMap((each) => [each, each])
    const action: Action = { type: 'cancel', cancels }
    const json: Json = {
      status: 'ok',
      response: { type: 'cancel', data: { statuses: ['success', queued] } },
    }
    const plan = decision({ kind: 'pass' }, { forward: action })
    expect(forwardedReply(plan, [answered(json, action)])).toEqual({
      ...{ status: 'ok', code: 'resized', verdict: 'resize' },
      response: { type: 'cancel', data: { statuses: ['success', { error: inDoubt }] } },
    })
  })
})
