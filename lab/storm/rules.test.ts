import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { DecisionBody } from '../../src/core/events/guardEvent.ts'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Guard } from '../../src/engine/guard.ts'
import type { Clock } from '../../src/engine/ports.ts'
import { accountBreaks } from './accounts/accountBreaks.fixture.ts'
import { AgentOnce } from './agent/agentOnce.ts'
import type { BotDoor } from './botDoor.ts'
import { dayMs, millis } from '../../src/core/values/millis.ts'
import { dexBreaks } from './dexes/dexBreaks.fixture.ts'
import { firstDexes } from './dexes/dexPlan.ts'
import { FollowerLine } from './followerLine.ts'
import { HaltOracle } from './haltOracle.ts'
import { relayUrl, streamUrl } from './guardProcess.ts'
import { Oracle } from './oracle.ts'
import type { Request } from './oracle.ts'
import {
  arrival,
  budget,
  entry,
  entryId,
  exit,
  fillOf,
  guardStop,
  long,
  order,
  stopAt,
  venueWith,
  waitingEntry,
} from './oracleParts.fixture.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import { BudgetOracle } from './budgetOracle.ts'
import { checkNotLiquidated } from './poolOracle.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { PromiseOracle } from './promiseOracle.ts'
import { isSame } from './replayJournal.ts'
import { ruleTexts } from './ruleNames.ts'
import type { RuleName } from './ruleNames.ts'
import { runSeed } from './runSeed.ts'
import { bot, curveFor, fault, scripted } from './storm.fixture.ts'
import { checkSpot } from './spotOracle.ts'
import { checkFlatBut } from './silentCoin.ts'
import { checkFlat, checkNoIdleStops, checkSameAccount, checkUntouched } from './venueOracle.ts'
import { Violation } from './violation.ts'
import type { DiskRecord } from './watchedDisk.ts'
import { keys, user } from './keys.ts'
import type { RunOptions } from './world.ts'

/** An oracle that finds nothing is worth nothing: every rule is broken here once. */

const decision = (seq: number, forward: Json, request: Json = forward): DiskRecord => ({
  ...{ seq, at_ms: 1, kind: 'decision', client: '0xa', nonce: seq, action: 'order' },
  ...{ verdict: 'allow', code: 'allowed', request, pre: [], forward, forward_more: [], post: [] },
})
const sent = (action: Json, lives = 9_000): Parameters<Oracle['onSend']>[0] => ({
  ...{ action, nonce: 1, expiresAfter: 1 + lives },
})
const answered = (body: Json, status = 200): Request => ({
  ...{ id: 1, client: '0xa', nonce: 1, action: order(exit), at: 0, life: 1, isValid: true },
  ...{ text: '', fate: 'whole', answer: { status, body, at: 1 } },
})

/** An oracle that has seen these records and then an action leave. */
function sending(action: Json, before: (oracle: Oracle) => void = () => undefined): void {
  const oracle = new Oracle()
  oracle.onDisk(decision(1, action))
  before(oracle)
  oracle.onSend(sent(action))
}

/** A Guard that believes this of its account. */
function believing(status: JsonObject): Guard {
  const whole = {
    positions: [],
    open_orders: 0,
    in_flight: 0,
    cross_pools: [],
    risk: { equity: '10000' },
    ...status,
  }
  return { status: () => whole } as unknown as Guard
}

function believes(status: JsonObject): void {
  checkSameAccount(venueWith({}).venue, user, believing(status))
}

/** A whole world in which Guard is broken; what was found ends it. */
async function world(
  steps: readonly Step[],
  options: RunOptions,
  more: Partial<Plan> = {},
): Promise<void> {
  const plan = { ...scripted(3, ...steps), ...more }
  const { failure } = await runSeed(plan, curveFor(plan), options)
  if (failure !== null) throw failure
}

const never = <T>(): Promise<T> => new Promise(() => undefined)
/** Nothing that Guard sends gets further than the socket. */
const mute: RunOptions['sabotage'] = (_, parts) => ({
  ...parts,
  venue: ({ info }) => ({
    info,
    exchange: () => Promise.resolve({ kind: 'not_sent', error: 'connect ECONNREFUSED' }),
  }),
})

/** The sockets of this address never stand. */
const withoutSocket = (dead: string): Promise<void> =>
  world(
    [bot(1_000, 'entry_market')],
    {
      sabotage: ({ time }, parts) => ({
        ...parts,
        openSocket: (url, handlers) => {
          if (url !== dead) return parts.openSocket(url, handlers)
          time.after(1, () => {
            handlers.onClose('connect ECONNREFUSED')
          })
          return { send: () => undefined, terminate: () => undefined }
        },
      }),
    },
    { hasFollower: true },
  )

/** A bot's socket that nobody reads. */
const deadDoor = { wire: () => ({ send: () => 0 }) } as unknown as BotDoor

const breaks: { readonly [Rule in RuleName]: () => void | Promise<void> } = {
  ...dexBreaks,
  intent_first: () => {
    new Oracle().onSend(sent(order(exit)))
  },
  sent_once: () => {
    const stop = order(stopAt('3900', '1', guardStop))
    sending(stop, (oracle) => {
      oracle.onSend(sent(stop))
      oracle.onDisk(decision(2, stop))
    })
  },
  known_action: () => {
    sending({ type: 'withdraw3', amount: '1' })
  },
  recovery_first: () => {
    sending(order(entry), (oracle) => {
      oracle.isRecovered = false
    })
  },
  one_decision: () => {
    new Oracle().onAnswer(answered({ status: 'ok', code: 'allowed' }))
  },
  one_execution: () => {
    const oracle = new Oracle()
    oracle.onDisk(decision(1, order(exit)))
    oracle.onDisk({ ...decision(2, order({ ...exit, s: '2' })), nonce: 1 })
  },
  agent_once: () => {
    const once = new AgentOnce('0xa')
    for (const seq of [1, 2]) once.onDisk(decision(seq, order({ ...entry, c: '0xc1' })))
  },
  whole: () => {
    const oracle = new Oracle()
    oracle.neverWhole.add('0xa:1')
    oracle.onDisk(decision(1, order(exit)))
  },
  exit_held: () => {
    new Oracle().onDisk({ ...decision(1, order(exit)), verdict: 'veto', code: 'order_rate' })
  },
  not_larger: () => {
    new Oracle().onDisk(decision(1, order({ ...entry, s: '1.1' }), order(entry)))
  },
  not_worse: () => {
    new Oracle().onDisk(decision(1, order({ ...entry, p: '4001' }), order(entry)))
  },
  not_longer: () => {
    const resting = { ...entry, t: { limit: { tif: 'Gtc' } } }
    new Oracle().onDisk(decision(1, order(resting), order(entry)))
  },
  entry_stop: () => {
    budget({}, order(entry))
  },
  risk_per_trade: () => {
    // 3 of them lose 100 USD each at the stop, and one trade may lose 200.
    budget({}, order({ ...entry, s: '3' }, stopAt('3900', '3')))
  },
  open_risk: () => {
    const orders = [stopAt('3800', '2.9')]
    budget({ ...long('2.9'), orders }, order({ ...entry, s: '0.5' }, stopAt('3900', '0.5')))
  },
  leverage: () => {
    const orders = [stopAt('3999', '12.4')]
    budget({ ...long('12.4'), orders }, order({ ...entry, s: '0.2' }, stopAt('3999', '0.2')))
  },
  position_cap: () => {
    const orders = [stopAt('3999', '4.9')]
    budget({ ...long('4.9'), orders }, order({ ...entry, s: '0.2' }, stopAt('3999', '0.2')))
  },
  waiting_loss: () => {
    // 1.5 of them at 4,100 USD lose a tenth: 615 USD, and a day may lose 600.
    budget({}, order(waitingEntry('1.5')), [], { triggerEntries: 'watched' })
  },
  cross_pool: () => {
    // 8,000 USD each, with stops 50% away: 10,000 USD do not bear both.
    const held = [{ coin: 'ETH', szi: '2', leverage: { type: 'cross', value: 20 } }]
    const rules = { ...defaultRules, margin: 'cross', openRisk: Decimal.one } as const
    const wide = { ...rules, riskPerTrade: Decimal.one, maxPosition: Decimal.whole(9) }
    const sim = venueWith({ positions: held, orders: [stopAt('2000', '2')] })
    const action = order({ ...entry, s: '2' }, stopAt('2000', '2'))
    new BudgetOracle(sim.venue, user).checkEntry(action, wide, true)
  },
  liquidated: () => {
    const liquidation = { liquidatedUser: user, markPrice: Decimal.one, method: 'market' } as const
    const happening = arrival(order(entry), [{ ...fillOf('1'), liquidation }])
    checkNotLiquidated(happening, user, true)
    checkNotLiquidated(happening, user, false)
  },
  ...accountBreaks,
  covered: () =>
    world([fault(1_000, 'outside_open'), bot(40_000, 'entry_market')], { sabotage: mute }),
  promise: () => {
    const sim = venueWith({ ...long('1'), orders: [stopAt('3800')] })
    const oracle = new PromiseOracle(sim.venue, user)
    oracle.hear(arrival(order({ ...entry, c: entryId }, stopAt('3900')), [fillOf('1')]))
    oracle.check(0, 0)
    oracle.check(3_001, 0)
  },
  incident: () =>
    world([fault(1_000, 'outside_open'), bot(40_000, 'entry_market')], {
      sabotage: mute,
      afterBirth: ({ guard }) => {
        if (guard === null) return
        const status = guard.status.bind(guard)
        Object.assign(guard, { status: () => ({ ...status(), alerts: [] }) })
      },
    }),
  latched: () => {
    sending(order(entry), (oracle) => {
      oracle.killedAt = 5
    })
  },
  halted: () => {
    sending(order(entry), (oracle) => {
      oracle.onDisk({ seq: 2, at_ms: 1, kind: 'risk', state: 'halted_for_day' })
    })
  },
  halt_stays: () => {
    const halts = new HaltOracle(() => 1)
    halts.onDisk({ seq: 1, at_ms: 1, kind: 'risk', state: 'halted_for_day' })
    halts.onDisk({ seq: 2, at_ms: 2 * dayMs, kind: 'risk', state: 'active' })
  },
  venue_time: () =>
    world([fault(3_000, 'outside_open'), bot(9_000, 'exit')], {
      // This Guard's clock is a minute behind the venue's.
      afterBirth: ({ guard }) => {
        const { clock } = (guard as unknown as { readonly deps: { readonly clock: Clock } }).deps
        const now = clock.now.bind(clock)
        Object.assign(clock, { now: () => millis(now() - 60_000) })
      },
    }),
  flat_in_the_end: () => {
    checkFlat(venueWith(long('1')).venue, user, 'it is over')
  },
  flat_apart: () => {
    const { venue } = venueWith(long('1'))
    checkFlatBut(venue, user, 'ETH')
    checkFlatBut(venue, user, 'BTC')
  },
  equity: () => {
    believes({ risk: { equity: '10000.000001' } })
  },
  pools: () => {
    const position = { coin: 'xyz:TSLA', szi: '1', leverage: { type: 'cross', value: 4 } }
    const account = { dex_equity: { xyz: '500' }, positions: [position] }
    const { venue } = venueWith(account, { dexes: [...firstDexes] })
    const held = [{ coin: 'xyz:TSLA', side: 'long', size: '1' }]
    const shows = (pools: JsonObject[]): void => {
      const status = { risk: { equity: '10500' }, positions: held, cross_pools: pools }
      checkSameAccount(venue, user, believing(status))
    }
    shows([{ dex: 'xyz', collateral: '500' }])
    expect(() => {
      shows([
        { dex: 'xyz', collateral: '500' },
        { dex: 'other', collateral: '1' },
      ])
    }).toThrow('no pool other')
    expect(() => {
      shows([])
    }).toThrow('nothing is shown')
    shows([{ dex: 'xyz', collateral: '10000' }])
  },
  positions: () => {
    believes({ positions: [{ coin: 'ETH', side: 'long', size: '1' }] })
  },
  orders: () => {
    believes({ open_orders: 1 })
  },
  in_flight: () => {
    believes({ in_flight: 1 })
  },
  spot_sells: () => {
    const sell = { ...exit, a: 10_001, p: '30', s: '6', r: false }
    const spot = [{ coin: 'HYPE', total: '5' }]
    checkSpot(venueWith({ spot }).venue, user, order(sell), true)
  },
  own_account: () => {
    checkUntouched(venueWith(long('1')).venue, user)
  },
  idle_stop: () => {
    const orders = [stopAt('3900', '1'), stopAt('3800', '1', guardStop)]
    checkNoIdleStops(venueWith({ ...long('1'), orders }).venue, user)
  },
  gap: () => {
    new Oracle().onDisk(decision(2, order(exit)))
  },
  shown: () => {
    new Oracle().onShown(1)
  },
  durable: () => {
    const oracle = new Oracle()
    oracle.onDisk(decision(1, order(exit)))
    oracle.onOpened(0, true)
  },
  answered: () =>
    world([bot(1_000, 'entry_market'), bot(40_000, 'exit')], {
      afterBirth: ({ guard }) => Object.assign(guard ?? {}, { handleExchange: never }),
    }),
  kill_prompt: () =>
    world([fault(1_000, 'kill_request')], {
      afterBirth: ({ guard, time }) =>
        Object.assign(guard ?? {}, {
          handleKill: () =>
            new Promise((resolve) => time.after(501, () => resolve({ status: 200, body: {} }))),
        }),
    }),
  answer: () => {
    new Oracle().onAnswer(answered({ status: 'ok', code: 'allowed' }, 500))
  },
  one_at_a_time: () =>
    world([bot(1_000, 'entry_market')], {
      // This Guard says everything twice.
      sabotage: (_, parts) => ({
        ...parts,
        connect: (place, handlers) => {
          const end = parts.connect(place, handlers)
          const write = end.write.bind(end)
          return Object.assign(end, {
            write: (bytes: string) => {
              write(bytes)
              write(bytes)
            },
          })
        },
      }),
    }),
  recovers: () =>
    world([bot(1_000, 'entry_market')], {
      afterBirth: ({ guard }) => Object.assign(guard ?? {}, { start: never }),
    }),
  stop: () =>
    world([bot(1_000, 'entry_market')], {
      afterBirth: ({ guard }) => Object.assign(guard ?? {}, { stop: never }),
    }),
  spins: () =>
    world([bot(1_000, 'entry_market')], {
      afterBirth: ({ time }) => {
        const again = (): void => {
          time.after(0, again)
        }
        again()
      },
    }),
  double_start: () =>
    world([fault(1_000, 'double_start')], {
      sabotage: (_, parts) => ({
        ...parts,
        io: {
          ...parts.io,
          lock: () =>
            Promise.resolve({
              held: true,
              stale: null,
              isOurs: () => true,
              release: () => Promise.resolve(),
            }),
        },
      }),
    }),
  replay: async () => {
    const records: DiskRecord[] = []
    await world([bot(1_000, 'entry_market')], {
      afterBirth: (_, { oracle }) => {
        const onDisk = oracle.onDisk.bind(oracle)
        oracle.onDisk = (record) => {
          records.push(record)
          return onDisk(record)
        }
      },
    })
    const found = records.find(({ kind }) => kind === 'decision')
    expect(found).toBeDefined()
    if (found === undefined) return
    const body = found as unknown as DecisionBody
    expect(isSame(found.seq, body)).toBe(true)
    isSame(found.seq, { ...body, text: 'something else' })
  },
  proven: () =>
    // This Guard leaves the proofs out.
    world(
      [bot(1_000, 'entry_market')],
      { sabotage: (_, parts) => ({ ...parts, isKeyed: false }) },
      { isKeyed: true },
    ),
  relayed: () => {
    const line = new FollowerLine(deadDoor, () => undefined)
    line.subscribe({ type: 'l2Book', coin: 'BTC' })
    line.hear('{"channel":"l2Book","data":{"coin":"BTC"}}')
    line.hear('{"channel":"l2Book","data":{"coin":"ETH"}}')
  },
  heard: () => withoutSocket(relayUrl),
  followed: () => withoutSocket(streamUrl),
  secret: () =>
    world([bot(1_000, 'entry_market')], {
      sabotage: (_, parts) => {
        parts.log.log('info', `the key is ${Buffer.from(keys.api).toString('hex')}`)
        return parts
      },
    }),
}

test.each(Object.keys(ruleTexts) as RuleName[])(
  'the oracle knows when %s is broken',
  async (rule) => {
    const found = await Promise.resolve()
      .then(() => breaks[rule]())
      .then(
        () => null,
        (error: unknown) => error,
      )
    expect(found).toBeInstanceOf(Violation)
    expect((found as Violation).rule).toBe(rule)
  },
)

test('the worlds in which rules are broken are whole when nothing is', async () => {
  await world([fault(1_000, 'outside_open'), fault(3_000, 'double_start'), bot(6_000, 'exit')], {})
  await world([bot(1_000, 'entry_market')], {}, { hasFollower: true })
  await world([fault(1_000, 'kill_request')], {})
  await world([bot(1_000, 'entry_market')], {}, { isKeyed: true })
  checkNoIdleStops(
    venueWith({ ...long('1'), orders: [stopAt('3900', '1', guardStop)] }).venue,
    user,
  )
  budget({}, order({ ...entry, s: '0.5' }, stopAt('3900', '0.5')))
  believes({})
  sending(order(entry))
})

test('the table of docs/reliability.md has every rule, in these words', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/reliability.md'), 'utf8')
  const [, table = ''] = page.split(/^\| Rule .*\n.*\n/m)
  const rows = (table.split('\n\n')[0] ?? '').split('\n')
  const found = rows.map((row) => /^\| `(\w+)` +\| (.*?) +\|$/.exec(row)?.slice(1))
  expect(found).toEqual(Object.entries(ruleTexts))
})
