import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TypeJudge } from '../../lab/sim/clients/typeJudge.fixture.ts'
import { python, pythonSkipped } from './drivers/python.ts'
import { everythingTold } from './everythingTold.fixture.ts'
import { Rig } from './rig.fixture.ts'

let rig: Rig
let told: Awaited<ReturnType<typeof everythingTold>>
beforeAll(async () => {
  rig = await Rig.start()
  told = await everythingTold(rig)
})
afterAll(() => rig.close())

test('what Guard answers and streams fits the types of the most complete client', () => {
  const judge = new TypeJudge()
  const { answers, frames } = told.guard
  for (const { type, answer } of answers) judge.info(type, answer)
  for (const frame of frames) judge.frame(frame)
  expect(answers.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['clearinghouseState', 'openOrders', 'meta']),
  )
  expect(judge.methods.length).toBeGreaterThan(50)
  expect(judge.violations()).toEqual([])
})

interface Verdict {
  readonly judged: { readonly [name: string]: number }
  readonly faults: readonly string[]
}

/** Guard's allowance of reads may be spent before the last questions are answered: not all are here. */
const judgedAtLeast = [
  ...['activeAssetCtx', 'activeAssetData', 'allMids', 'bbo', 'candle', 'l2Book', 'orderUpdates'],
  ...['pong', 'trades', 'user', 'userFills', 'userFundings', 'userNonFundingLedgerUpdates'],
]
  .map((channel) => `frame ${channel}`)
  .concat(['info allMids', 'info meta', 'info metaAndAssetCtxs', 'info spotMeta', 'info userFills'])

/** What the venue itself, by its recorded frames, does not do as the SDK's types say. */
const whereTheVenueDiffers = [
  // Sizes are texts everywhere; the SDK says so of every other one.
  "frame trades.data[0].sz: '0.01' is no int",
  // Only the first frame says what it is.
  'frame userFills.data.isSnapshot: missing',
]

function judgedByPython(samples: readonly (readonly [string, string, unknown])[]): Verdict {
  const script = join(import.meta.dirname, 'drivers', 'python_types.py')
  return JSON.parse(
    execFileSync(python ?? '', [script], { input: JSON.stringify(samples) }).toString(),
  ) as Verdict
}

describe.skipIf(python === null)(`the official Python SDK's types (${pythonSkipped})`, () => {
  test.each(['guard', 'venue'] as const)('what the %s answers and streams fits them', (who) => {
    const { answers, frames } = told[who]
    const { judged, faults } = judgedByPython([
      ...answers.map(({ type, answer }) => ['info', type, answer] as const),
      ...frames.map((frame) => ['frame', frame.channel, frame] as const),
    ])
    expect(Object.keys(judged)).toEqual(expect.arrayContaining([...judgedAtLeast]))
    expect(faults).toEqual(whereTheVenueDiffers)
  })

  test('a field that is missing or of another type is found', () => {
    const samples = [
      ['info', 'meta', { universe: [{ name: 'BTC' }, { name: 'ETH', szDecimals: '4' }] }],
      ['frame', 'bbo', { channel: 'bbo', data: { coin: 'ETH', time: 1, bbo: [null] } }],
    ] as const
    expect(judgedByPython(samples).faults).toEqual([
      'frame bbo.data.bbo: 1 of 2 entries',
      'info meta.universe[0].szDecimals: missing',
      "info meta.universe[1].szDecimals: '4' is no int",
    ])
  })
})
