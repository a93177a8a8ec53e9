import { Random } from './random.ts'
import type { ScenarioName } from './venueConfig.ts'

/** How a scenario moves prices: per step of a second, in millionths of the price. */
interface Motion {
  /** The largest random move of a step. */
  readonly noise: number
  /** What is added at this second after the start; `sign` is the market's own, 1 or -1. */
  drift(second: number, sign: number): number
  /** Whether the price is drawn back to where it began. */
  readonly isAnchored: boolean
}

const minute = 60
const crashStart = minute
const crashEnd = 2 * minute
const recoveryEnd = 12 * minute
const gapEvery = 2 * minute
const trendTurn = 30 * minute

const motions: { readonly [Name in ScenarioName]: Motion } = {
  calm: { noise: 40, drift: () => 0, isAnchored: true },
  trend: {
    noise: 50,
    drift: (second, sign) => (Math.floor(second / trendTurn) % 2 === 0 ? 25 : -25) * sign,
    isAnchored: false,
  },
  crash: {
    noise: 80,
    drift: (second) => {
      if (second < crashStart || second >= recoveryEnd) return 0
      return second < crashEnd ? -3000 : 150
    },
    isAnchored: false,
  },
  gap: {
    noise: 40,
    drift: (second, sign) => {
      if (second === 0 || second % gapEvery !== 0) return 0
      return ((second / gapEvery) % 2 === 1 ? -60_000 : 60_000) * sign
    },
    isAnchored: false,
  },
  thin: { noise: 120, drift: () => 0, isAnchored: true },
}

const fine = 1_000_000n
const anchorDivisor = 600n

/** The fair price of one market over time, by its seed alone. */
export class PricePath {
  private readonly motion: Motion
  private readonly sign: number
  private readonly random: Random
  /** In millionths of the market's price unit. */
  private fair: bigint
  private anchor: bigint

  constructor(scenario: ScenarioName, seed: number, asset: number, units: bigint) {
    this.motion = motions[scenario]
    this.sign = asset % 2 === 0 ? 1 : -1
    this.random = new Random(seed * 1009 + asset + 1)
    this.fair = units * fine
    this.anchor = this.fair
  }

  /** Moves on over some seconds and returns the fair price in the market's units. */
  step(second: number, seconds: number): bigint {
    for (let at = second; at < second + seconds; at++) {
      const { noise, isAnchored } = this.motion
      const millionths = this.random.between(-noise, noise) + this.motion.drift(at, this.sign)
      this.fair += (this.fair * BigInt(millionths)) / fine
      if (isAnchored) this.fair += (this.anchor - this.fair) / anchorDivisor
    }
    return this.fair / fine
  }

  /** A price set from outside becomes the new start. */
  moveTo(units: bigint): void {
    this.fair = units * fine
    this.anchor = this.fair
  }

  /** The makers' own dice, apart from those of trades. */
  dice(): Random {
    return this.random
  }
}
