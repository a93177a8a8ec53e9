import { expect, test } from 'vitest'
import type { AccountEvent } from '../account/accountEvent.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { Dice } from '../values/dice.fixture.ts'
import { rational } from './rational.fixture.ts'
import type { Rational } from './rational.fixture.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'
import type { RiskAccount } from './riskView.ts'

/** So far off that nothing halts: what is looked at are the bases that losses are measured from. */
const limits: RiskLimits = {
  dailyLossStop: Decimal.of('1000'),
  drawdownHalt: Decimal.of('1000'),
  equityCap: null,
}
/** However busy the machine is: what is counted are steps, not seconds. */
const patience = 900_000
const noon = 19_676 * dayMs + dayMs / 2

/** A fund's view of the account: a flow buys or sells units and leaves what one of them is worth. */
class Fund {
  equity = rational('1000')
  cash = rational('1000')
  unit = rational('1')
  peak = rational('1')
  dayStart = rational('1')

  market(change: Rational): void {
    this.unit = this.unit.times(this.equity.plus(change)).over(this.equity)
    this.equity = this.equity.plus(change)
    if (this.peak.lt(this.unit)) this.peak = this.unit
  }
  flow(change: Rational): void {
    this.equity = this.equity.plus(change)
    this.cash = this.cash.plus(change)
  }
  account(now: number): RiskAccount {
    const equity = Decimal.of(this.equity.toText(12))
    const cash = Decimal.of(this.cash.toText(12))
    return {
      cash: { equity, cash, unrealised: equity.minus(cash), isUnified: false },
      venueTime: millis(now),
    }
  }
  fallen(base: Rational): Rational {
    return base.minus(this.unit).over(base)
  }
}

interface Report {
  readonly id: string
  readonly usdc: Decimal
  readonly at: number
}

function told({ id, usdc, at }: Report, now: number): AccountEvent {
  const entries = [{ id, type: 'deposit', usdc, at: millis(at) }]
  return { kind: 'ledger', entries, isSnapshot: false, at: millis(now) }
}

test(
  'flows reported too late, in any order, are in the end no profit and no loss',
  () => {
    let steps = 0
    let reports = 0
    for (let seed = 1; seed <= 2_000; seed++) {
      const dice = new Dice(seed)
      const engine = new RiskEngine(limits)
      const fund = new Fund()
      let now = noon
      engine.observe(fund.account(now), millis(now))
      const open: Report[] = []
      const tell = (): void => {
        const [report] = open.splice(dice.roll(open.length), 1)
        if (report === undefined) return
        reports += 1
        engine.apply(told(report, now), fund.account(now))
      }
      const count = 6 + dice.roll(12)
      for (let nth = 0; nth < count; nth++) {
        now += 1_000
        const percent = dice.roll(61) - 30
        const change = rational(
          fund.equity
            .times(rational(`${percent}`))
            .over(rational('100'))
            .toText(4),
        )
        const kind = dice.roll(5)
        if (kind === 0) {
          now += dayMs
          engine.tick(millis(now))
          fund.dayStart = fund.unit
        } else if (kind === 1) {
          tell()
        } else if (kind === 2) {
          fund.market(change)
          engine.observe(fund.account(now), millis(now))
        } else if (percent !== 0) {
          fund.flow(change)
          engine.observe(fund.account(now), millis(now))
          open.push({ id: `${nth}`, usdc: Decimal.of(change.toText(4)), at: now })
          now += 10_000
          engine.tick(millis(now))
        }
        steps += 1
        // Whatever is believed meanwhile, the next start can take it up.
        expect(RiskEngine.restore(engine.snapshot(), limits).ok, `seed ${seed}`).toBe(true)
      }
      while (open.length > 0) tell()
      const { drawdown, dailyLoss } = engine.view()
      expect(apart(drawdown, fund.fallen(fund.peak)), `seed ${seed}`).toBe(true)
      expect(apart(dailyLoss, fund.fallen(fund.dayStart)), `seed ${seed}`).toBe(true)
    }
    expect(steps).toBeGreaterThan(20_000)
    expect(reports).toBeGreaterThan(5_000)
  },
  patience,
)

/** Equal but for the rounding of a share to eight places. */
function apart(share: Decimal | null, want: Rational): boolean {
  const off = rational(share?.toString() ?? '9').minus(want)
  return off.times(off).lt(rational('0.000000000000001'))
}

const usd = (text: string): Decimal => Decimal.of(text)

/** The engine sees 1000 USD, then 1100 that nothing explains; with a hold that is still open. */
function holding(): RiskEngine {
  const engine = new RiskEngine(limits)
  engine.observe(plain('1000', noon), millis(noon))
  engine.observe(plain('1100', noon + 1), millis(noon + 1))
  return engine
}

function plain(equity: string, now: number): RiskAccount {
  const cash = { equity: usd(equity), cash: usd(equity), unrealised: Decimal.zero }
  return { cash: { ...cash, isUnified: false }, venueTime: millis(now) }
}

function deposit(usdc: string, now: number): AccountEvent {
  return told({ id: usdc, usdc: usd(usdc), at: noon + 1 }, now)
}

function restored(snapshot: unknown): RiskEngine {
  const read = RiskEngine.restore(snapshot, limits)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

test('a late report is believed within five cents while the account is seen anew', () => {
  for (const [reported, dayStart] of [
    ['100', '1100'],
    ['100.06', '1000'],
  ] as const) {
    const engine = holding()
    engine.tick(millis(noon + 20_000))
    engine.setAnew()
    engine.apply(deposit(reported, noon + 30_000), { cash: null, venueTime: null })
    expect(engine.view().dayStart?.toString()).toBe(dayStart)
  }
})

test('a hold of a snapshot without the sights of its views ends with its last view', () => {
  const engine = holding()
  engine.observe(plain('1090', noon + 2), millis(noon + 2))
  const { suspense, ...others } = engine.snapshot() as { suspense: object }
  const { views, since, is_holding } = suspense as Record<string, unknown>
  const older = restored({ ...others, suspense: { views, since, is_holding } })
  older.tick(millis(noon + 20_000))
  expect(older.view().peak?.toString()).toBe('1100')
  older.apply(deposit('90', noon + 30_000), plain('1090', noon + 30_000))
  expect(older.view().dayStart?.toString()).toBe('1090')
})
