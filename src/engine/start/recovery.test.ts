import { expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
import type { JsonObject } from '../../core/protocol/action.ts'
import { address } from '../../core/values/address.ts'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { JournalHistory, JournalRecord, VenueHttp } from '../ports.ts'
import { lookUpOpen, replayHistory } from './recovery.ts'

const user = address(`0x${'a'.repeat(40)}`)
const startMs = 1_790_000_000_000
const coin = markets().byAsset.get(1)?.coin ?? ''
const action = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 5 }

interface Given {
  readonly ageMs: number
  /** From when on the venue shows the setting; and until when it cannot be asked. */
  readonly setFromMs?: number
  readonly lostUntilMs?: number
  /** The venue answers, and what it says is no answer. */
  readonly isStrange?: boolean
}

/** What is asked and recorded of an action that an earlier run had on disk, in time that is moved. */
async function recover({ ageMs, setFromMs = Infinity, lostUntilMs = 0, isStrange }: Given) {
  let elapsedMs = 0
  const asked: number[] = []
  const recorded: object[] = []
  const info: VenueHttp['info'] = () => {
    asked.push(elapsedMs)
    if (elapsedMs < lostUntilMs) return Promise.resolve(err({ kind: 'unreachable', text: 'lost' }))
    const leverage = { type: 'isolated', value: elapsedMs >= setFromMs ? 5 : 3 }
    const body = isStrange === true ? { leverage } : { coin, leverage }
    return Promise.resolve(ok({ status: 200, body }))
  }
  await lookUpOpen(
    {
      ...{
        venue: { info },
        account: user,
        markets: () => markets(),
        log: { log: () => undefined },
      },
      clock: { now: () => millis(startMs + elapsedMs), monotonicMs: () => elapsedMs },
      timers: {
        after: (ms, run) => {
          elapsedMs += ms
          queueMicrotask(run)
          return () => undefined
        },
        every: () => () => undefined,
      },
      recorder: { record: (body: object) => void recorded.push(body) } as never,
      isStopped: () => false,
      heard: () => undefined,
    },
    [{ of: 7, index: 0, at: millis(startMs - ageMs), action }],
  )
  return { asked, outcomes: recorded.map((each) => (each as { outcome: string }).outcome) }
}

test.each([
  ['long over', { ageMs: 20_000 }, [0], 'did_not_happen'],
  ['seen at once', { ageMs: 0, setFromMs: 0 }, [0], 'happened'],
  ['seen late', { ageMs: 0, setFromMs: 5_000 }, [0, 500, 1_500, 3_500, 7_500], 'happened'],
  // Final a moment after it can no longer arrive: eleven seconds.
  ['never seen', { ageMs: 0 }, [0, 500, 1_500, 3_500, 7_500, 11_001], 'did_not_happen'],
  // The clock that signed it was an hour ahead: it is not waited for until then.
  ['ahead of the clock', { ageMs: -3_600_000 }, [0, 500, 1_500, 3_500, 7_500, 11_001], 'unknown'],
  ['ahead, and seen', { ageMs: -3_600_000, setFromMs: 3_000 }, [0, 500, 1_500, 3_500], 'happened'],
  [
    'not to be asked',
    { ageMs: 12_000, lostUntilMs: 1_200 },
    [0, 500, 1_000, 1_500],
    'did_not_happen',
  ],
  // Bots do not wait for ever because an answer cannot be read.
  ['unreadable', { ageMs: 0, isStrange: true }, [0, 500, 1_500, 3_500, 7_500, 11_001], 'unknown'],
] satisfies [string, Given, readonly number[], string][])(
  'what an earlier run left: %s',
  async (_, given, times, outcome) => {
    const { asked, outcomes } = await recover(given)
    expect(asked).toEqual(times)
    expect(outcomes).toEqual([outcome])
  },
)

test.each([
  ['nothing was written', [], null],
  ['a run that was cut off', ['started', 'error'], 2],
  ['a run that stopped, and whose memory could not be saved', ['started', 'stopped'], 2],
] as const)('what no memory includes: %s', async (_, kinds, last) => {
  const { unsavedAt, endedAt } = await replayHistory(historyOf(kinds, null))
  const at = last === null ? null : startMs + last
  expect([unsavedAt, endedAt]).toEqual([at, at])
})

test.each([
  ['stopped', 3, null],
  ['stopped', 2, 3],
  ['error', 3, 3],
] as const)(
  'a run whose last record, %s, came with a memory as of number %i',
  async (kind, asOf, last) => {
    const history = historyOf(['started', 'error', kind], asOf)
    const { unsavedAt, endedAt } = await replayHistory(history)
    expect([unsavedAt, endedAt]).toEqual([last === null ? null : startMs + last, startMs + 3])
  },
)

test.each([
  ['without a memory', null, ['ETH long 98 of 4', 'ETH short 102 of 1']],
  ['with one made before the second', 1, ['ETH short 102 of 1']],
  ['with one made after both', 2, []],
] as const)('Guard’s own stops that were decided on, %s', async (_, asOf, is) => {
  const rows = [
    ['ETH', true, '98', '4', true],
    ['ETH', false, '102', '1', false],
  ]
  const bad = [null, ['ETH'], ['ETH', true, 'x', '4', true], ['ETH', true, '98', '0', true]]
  const history = historyOf(['protect', 'protect'], asOf, (at) => ({
    ...{ coins: ['ETH'], actions: [], problems: [], sent: true },
    _: { own_stops: [...bad, rows[at]] },
  }))
  const { ownStops } = await replayHistory(history)
  const shown = ownStops.map(({ coin: name, isLong, trigger, size }) =>
    [name, isLong ? 'long' : 'short', trigger.toString(), 'of', size.toString()].join(' '),
  )
  expect(shown).toEqual(is)
})

test.each([
  ['without a memory', null, ['ETH 3990 of 2']],
  ['with one made before the last', 1, ['ETH 3990 of 2']],
  ['with one made after it', 3, []],
] as const)('stops that covered all at the last decision, %s', async (_, asOf, is) => {
  const rows = [
    [
      ['ETH', true, '3950', '2'],
      ['BTC', true, '9', '1'],
    ],
    [['ETH', true, '3990', '2']],
    null,
  ]
  const history = historyOf(['decision', 'decision', 'decision'], asOf, (at) => ({
    ...{ client: null, nonce: null, verdict: at === 2 ? 'veto' : 'allow' },
    ...{ pre: [], forward: null, forward_more: [], post: [], _: { covering: rows[at] } },
  }))
  const { covering } = await replayHistory(history)
  const shown = covering.map(({ coin: name, trigger, size }) => `${name} ${trigger} of ${size}`)
  expect(shown).toEqual(is)
})

const twapReply = (status: object) => ({
  ...{ status: 'ok', response: { type: 'twapOrder', data: { status } } },
})

test.each([
  ['refused', twapReply({ error: 'too small' }), []],
  ['taken', twapReply({ running: { twapId: 7 } }), [7]],
  ['unknown', { error: 'no answer', may_have_arrived: true }, [null]],
])(
  'a TWAP that the memory has without an answer, which was then told: %s',
  async (_, reply, is) => {
    const plan = { coin: 'ETH', is_buy: true, size: '2', minutes: 30 }
    const twap = { action: '1:0', at: startMs, id: null, played: '0', plan }
    const sentBody = () => ({ decision: 1, index: 0, nonce: 5, ok: false, reply })
    const history = historyOf(['sent'], 0, sentBody, { account: { twaps: [twap] } })
    const { twaps } = await replayHistory(history)
    expect(twaps.map(({ id }) => id)).toEqual(is)
  },
)

test.each([
  ['not answered', { error: 'no answer', may_have_arrived: true }, 3, ['1:0']],
  ['not answered, long ago', { error: 'no answer', may_have_arrived: true }, 12_000, []],
  ['an answer that nobody can read', { status: 'ok', response: { type: 'new' } }, 3, ['1:0']],
  ['not sent', { error: 'held back', may_have_arrived: false }, 3, []],
  ['answered', { status: 'ok', response: { type: 'default' } }, 3, []],
])('what is looked up of an action that was sent: %s', async (_, reply, lastMs, is) => {
  const bodies = [
    { coins: ['ETH'], actions: [action], problems: [], sent: true },
    { decision: 1, index: 0, nonce: 5, ok: false, reply },
    {},
  ]
  const given = historyOf(['protect', 'sent', 'error'], null, (at) => bodies[at] ?? {}, {}, lastMs)
  const { open } = await replayHistory(given)
  expect(open.map(({ of, index }) => `${of}:${index}`)).toEqual(is)
})

/** A journal with such records, and a memory that was made after one of them; null: none. */
function historyOf(
  kinds: readonly string[],
  asOf: number | null,
  more: (at: number) => object = () => ({}),
  kept: JsonObject = {},
  lastMs: number = kinds.length,
): JournalHistory {
  const records = kinds.map((kind, at) => ({
    ...{ seq: at + 1, at_ms: startMs + (at === kinds.length - 1 ? lastMs : at + 1) },
    body: { kind, text: '', reason: '', ...more(at) },
  }))
  const memory = asOf === null ? null : { seq: 0, state: { version: 1, as_of: asOf, ...kept } }
  return {
    loadSnapshot: async (name: string) => (name === 'engine' ? memory : null),
    saveSnapshot: async () => undefined,
    replay: async function* () {
      yield* records as unknown as JournalRecord[]
    },
  } as unknown as JournalHistory
}
