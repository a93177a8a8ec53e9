import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow, later, markets } from '../../core/account/account.fixture.ts'
import type { AccountSpec } from '../../core/account/account.fixture.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { coin } from '../../core/values/coin.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import { ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { MarginSettings } from './marginSettings.ts'

const eth = coin('ETH')
const btc = coin('BTC')
const crossRules = { ...defaultRules, margin: 'cross' } as const

class Scene {
  readonly account
  readonly asked: Coin[] = []
  nowMs = 0
  private readonly answers: ((result: Result<null>) => void)[] = []
  readonly settings

  constructor(spec: AccountSpec = {}, rules: typeof defaultRules = crossRules) {
    this.account = accountWith(spec)
    this.settings = new MarginSettings({
      clock: { now: () => later(this.nowMs), monotonicMs: () => this.nowMs },
      account: this.account,
      rulesFor: () => rules,
      reads: {
        setting: (name) => {
          this.asked.push(name)
          return new Promise((answer) => this.answers.push(answer))
        },
      },
    })
  }

  /** The venue answers everything that was asked. */
  async answered(): Promise<void> {
    for (const answer of this.answers.splice(0)) answer(ok(null))
    await Promise.resolve()
  }
}

const cross = { type: 'cross', value: 20 } as const

describe('what margin a coin is set to is read', () => {
  const old = limits.accountAgeMsMax + 1

  test.each<[string, AccountSpec, typeof defaultRules, number, readonly Coin[]]>([
    ['where nobody has told it', {}, crossRules, 0, [eth]],
    ['where it was told too long ago', { leverage: { ETH: cross } }, crossRules, old, [eth]],
    ['not where it is fresh', { leverage: { ETH: cross } }, crossRules, old - 1, []],
    ['not where only isolated margin is allowed', {}, defaultRules, 0, []],
    [
      'not where a position tells of its own',
      { positions: { ETH: { size: '1', entry: '3000' } } },
      ...([crossRules, old, []] as const),
    ],
    [
      'not where the coin knows no other margin',
      {
        markets: markets([
          { coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25, onlyIsolated: true },
        ]),
      },
      ...([crossRules, 0, []] as const),
    ],
    ['not where the coin is unknown', { markets: markets([]) }, crossRules, 0, []],
  ])('%s', (_, spec, rules, nowMs, asked) => {
    const scene = new Scene(spec, rules)
    scene.nowMs = nowMs
    const reading = scene.settings.freshen([eth])
    expect(scene.asked).toEqual(asked)
    expect(reading === null).toBe(asked.length === 0)
  })

  test('not while a change of it is on its way', () => {
    const scene = new Scene()
    const change = { kind: 'leverage', coin: eth, leverage: cross } as const
    scene.account.reserve('1:0', [change], fixtureNow)
    expect(scene.settings.freshen([eth])).toBe(null)
    scene.account.settle('1:0', { outcome: 'refused' }, fixtureNow)
    expect(scene.settings.freshen([eth])).not.toBe(null)
  })
})

test('who asks while an answer is awaited waits for the same one', async () => {
  const scene = new Scene()
  let done = 0
  for (const coins of [[eth], [eth, btc]]) {
    scene.settings.freshen(coins)?.then(
      () => (done += 1),
      () => undefined,
    )
  }
  expect(scene.asked).toEqual([eth, btc])
  await scene.answered()
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toBe(2)
})

test('an answer that tells nothing is asked for again after a second, not with every entry', async () => {
  const scene = new Scene()
  void scene.settings.freshen([eth])
  await scene.answered()
  await new Promise((resolve) => setImmediate(resolve))
  scene.nowMs = 999
  void scene.settings.freshen([eth])
  expect(scene.asked).toEqual([eth])
  scene.nowMs = 1_000
  void scene.settings.freshen([eth])
  expect(scene.asked).toEqual([eth, eth])
})
