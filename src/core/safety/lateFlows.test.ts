import { expect, test } from 'vitest'
import { Dice } from '../values/dice.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import type { RiskLimits } from './halts.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskAccount } from './riskView.ts'

/** So far off that nothing halts: what is looked at are the bases that losses are measured from. */
const limits: RiskLimits = {
  dailyLossStop: Decimal.of('1000'),
  drawdownHalt: Decimal.of('1000'),
  equityCap: null,
}
const noon = 19_676 * dayMs + dayMs / 2
const seeds = 100
const patience = 900_000

/** When the owner moves money, and how many seconds later the ledger tells. */
interface Plan {
  readonly isDue: (second: number) => boolean
  readonly late: (dice: Dice) => number
}

interface Kind {
  readonly isUnified: boolean
  readonly hasPosition: boolean
}

/** An account as its owner counts it: a flow buys or sells units and leaves what one of them is worth. */
class Owned {
  /** Equity less unrealised profit, in USD; and the unrealised profit. */
  cash = 5_000
  profit = 0
  unit = 1
  peak = 1
  readonly #kind: Kind
  /** What the venue's two messages of a unified account told last. */
  #told = { total: 5_000, profit: 0 }

  constructor(kind: Kind) {
    this.#kind = kind
  }

  get equity(): number {
    return this.cash + this.profit
  }

  flow(usdc: number): void {
    this.cash += usdc
  }

  /** The price moves; how much of the equity is at stake is the size of the position. */
  move(share: number): void {
    const before = this.equity
    this.profit += cents(before * share)
    this.unit *= this.equity / before
    this.peak = Math.max(this.peak, this.unit)
  }

  /** A unified account's messages, in either order; another account has only one. */
  tell(dice: Dice): readonly (() => void)[] {
    const { isUnified } = this.#kind
    const spot = (): void => {
      this.#told = { ...this.#told, total: this.equity }
    }
    const state = (): void => {
      this.#told = { ...this.#told, profit: this.profit }
    }
    if (!isUnified) {
      return [
        () => {
          spot()
          state()
        },
      ]
    }
    return dice.roll(2) === 0 ? [spot, state] : [state, spot]
  }

  sight(now: number): RiskAccount {
    const { total, profit } = this.#told
    const [equity, cash, unrealised] = [total, total - profit, profit].map((usdc) =>
      Decimal.of(usdc.toFixed(2)),
    ) as [Decimal, Decimal, Decimal]
    const { isUnified } = this.#kind
    return { cash: { equity, cash, unrealised, isUnified }, venueTime: millis(now) }
  }
}

function cents(usdc: number): number {
  return Math.round(usdc * 100) / 100
}

interface Waiting {
  readonly id: string
  readonly usdc: number
  readonly at: number
  readonly due: number
}

/** Runs an account for a while and tells each flow so late; returns how far the bases are off, as shares. */
function offAfter(seed: number, kind: Kind, { isDue, late }: Plan) {
  const dice = new Dice(seed)
  const owned = new Owned(kind)
  let engine = new RiskEngine(limits)
  const waiting: Waiting[] = []
  let now = noon
  engine.observe(owned.sight(now), millis(now))
  for (let second = 0; second < 120; second++) {
    now += 1_000
    if (kind.hasPosition) owned.move((dice.roll(41) - 20) / 10_000)
    if (second < 80 && isDue(second)) {
      const usdc = cents(((dice.roll(200) - 60) / 100) * owned.equity)
      owned.flow(usdc)
      waiting.push({ id: `${second}`, usdc, at: now, due: now + late(dice) * 1_000 })
    }
    for (const report of waiting.splice(0)) {
      if (report.due > now) {
        waiting.push(report)
        continue
      }
      const entry = { id: report.id, type: 'deposit', usdc: Decimal.of(report.usdc.toFixed(2)) }
      const entries = [{ ...entry, at: millis(report.at) }]
      const event = { kind: 'ledger', entries, isSnapshot: false, at: millis(now) } as const
      engine.apply(event, owned.sight(now))
    }
    for (const told of owned.tell(dice)) {
      told()
      engine.observe(owned.sight(now), millis(now))
    }
    engine.tick(millis(now))
    if (dice.roll(20) > 0) continue
    const restored = RiskEngine.restore(engine.snapshot(), limits)
    if (!restored.ok) throw new Error(restored.error)
    engine = restored.value
  }
  expect(waiting).toEqual([])
  const { peak, dayStart } = engine.view()
  const off = (base: Decimal | null, unit: number): number =>
    Math.abs((Number(base) * owned.unit) / unit / owned.equity - 1)
  return { day: off(dayStart, 1), peak: off(peak, owned.peak) }
}

const kinds = [
  { isUnified: false, hasPosition: false },
  { isUnified: false, hasPosition: true },
  { isUnified: true, hasPosition: false },
  { isUnified: true, hasPosition: true },
]

const plans: Record<string, Plan> = {
  'one at a time': { isDue: (second) => second % 35 === 3, late: (dice) => dice.roll(31) },
  'several, told in any order': {
    isDue: (second) => second % 15 === 3,
    late: (dice) => dice.roll(31),
  },
  'two within one hold': {
    isDue: (second) => [3, 6].includes(second % 40),
    late: (dice) => 11 + dice.roll(20),
  },
}
const cases = Object.entries(plans).flatMap(([name, plan]) =>
  kinds.map((kind) => ({ name, plan, ...kind })),
)

test.each(cases)(
  'however late flows are told, the bases end where they belong: $name, unified $isUnified, position $hasPosition',
  ({ plan, ...kind }) => {
    const wrong: unknown[] = []
    for (let seed = 1; seed <= seeds; seed++) {
      const { day, peak } = offAfter(seed, kind, plan)
      if (day > 0.01 || peak > 0.01) wrong.push({ seed, day, peak })
    }
    expect(wrong).toEqual([])
  },
  patience,
)
