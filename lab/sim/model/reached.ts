import { cloid } from '../../../src/core/values/cloid.ts'
import { defaultOptions } from '../engine/options.ts'
import type { VenueOptions } from '../engine/options.ts'
import { anyReadings, Drive } from './drive.ts'
import { vaultUser } from './driveWorld.ts'
import { readings } from './readings.ts'
import type { OrderOption } from './readings.ts'
import { twapWays } from './reachedTwaps.ts'
import {
  act,
  buyEth,
  eth,
  fall,
  fresh,
  hype,
  lever,
  leveraged,
  limit,
  poor,
  price,
  removeAgent,
  rich,
  send,
  stop,
  tsla,
  unified,
  wait,
} from './written.ts'
import type { Way } from './written.ts'

/** Runs that begin with no builder dex, and with one. */
const [seedWithout, seedWithDex] = [1, 10]

/**
 * The step at which two runs part that differ in one reading alone; the other has the first. Until
 * then engine and model agree in both. Null where they never part.
 */
export function partingStep(name: OrderOption, reading: number, way: Way): number | null {
  const [one, other] = [driveOf(name, 0, way), driveOf(name, reading, way)]
  const steps = 'seed' in way ? way.steps : way.written.length
  for (let at = 0; at < steps; at++) {
    for (const drive of [one, other]) {
      const { found } = drive.step('seed' in way ? undefined : way.written[at])
      if (found !== null) throw new Error(`${name}, reading ${reading}: ${found}`)
    }
    if (one.told() !== other.told()) return at + 1
  }
  return null
}

function driveOf(name: OrderOption, reading: number, way: Way): Drive {
  const chosen: Partial<VenueOptions> = { [name]: readings[name][reading] }
  if ('seed' in way) return new Drive(way.seed, { ...anyReadings(way.seed), ...chosen })
  const seed = way.isOnDex === true ? seedWithDex : seedWithout
  const drive = new Drive(seed, { ...defaultOptions, ...way.beside, ...chosen }, way.hasVault)
  if (way.isOnDex === true) drive.step()
  return drive
}

const named = cloid(`0x${'7'.repeat(32)}`)
const stopEntry = send(rich, [stop(eth, '1', '2050', '2200', false)])
const largeStop = send(poor, [stop(hype, '500', '42', '45', false)])
const sixOrders = Array.from({ length: 6 }, () => send(rich, [limit(eth, '0.1', '1900')]))
const buyTsla = send(rich, [limit(tsla, '3', '420', 'Ioc')])

/** For each reading beside the first, in the order of the table. */
export const ways: { readonly [Name in OrderOption]: readonly Way[] } = {
  duplicateCloid: [{ seed: 17, steps: 39 }],
  prevalidation: [{ seed: 1, steps: 6 }],
  referenceBandPercent: [{ seed: 4, steps: 13 }],
  referencePrice: [{ seed: 2, steps: 19 }],
  trigger_band_ref: [{ seed: 7, steps: 39 }],
  tickCarrier: [{ seed: 1, steps: 6 }],
  trigger_p_rule: [{ seed: 2, steps: 34 }],
  child_side: [{ seed: 10, steps: 39 }],
  tpslPerBatch: [{ seed: 1, steps: 18 }],
  positionTriggers: [{ seed: 1, steps: 30 }],
  longIntegerPrices: [{ seed: 10, steps: 38 }],
  bothSides: [{ seed: 1, steps: 35 }],
  reduceOnlyExcess: [
    { seed: 11, steps: 25 },
    { seed: 21, steps: 120 },
  ],
  trigger_cmp: [{ seed: 3, steps: 13 }],
  triggeredMarketWithoutMatch: [{ seed: 26, steps: 16 }],
  modifyRule: [{ seed: 1, steps: 29 }],
  modifySize: [{ seed: 1, steps: 120 }],
  // The first ten are cheap; what follows is dear by the mark, and not all of it can be held.
  marginCanceledChildSize: [
    {
      written: [
        send(rich, [limit(hype, '-10', '41.873')]),
        price(hype, '41.873', '40'),
        lever(poor, hype, 10),
        send(
          poor,
          [limit(hype, '370', '42.5'), stop(hype, '-370', '35', '32', true)],
          'normalTpsl',
        ),
      ],
    },
  ],
  partialGtcReply: [{ seed: 31, steps: 56 }],
  fundingRounding: [{ seed: 34, steps: 38 }],
  backstopPrice: [{ written: [...leveraged, price(hype, '37.5')] }],
  unified_total: [{ seed: 1, steps: 47 }],
  scheduleCancelVolume: [{ seed: 1, steps: 15 }],
  partialLiquidationAbove: [{ written: [...leveraged, fall] }],
  openOrderCap: [{ written: [...sixOrders, send(rich, [limit(eth, '0.1', '1900')])] }],
  reduceOnlyOrderLimit: [
    { written: [buyEth, ...sixOrders, send(rich, [stop(eth, '-1', '1900', '1800', true)])] },
  ],
  crowdedTriggers: [
    {
      written: [buyEth, send(rich, [stop(eth, '-1', '1900', '1800', true)]), ...sixOrders],
      beside: { reduceOnlyOrderLimit: 6 },
    },
  ],
  instantTriggers: [{ written: [send(rich, [stop(eth, '1', '1990', '2200', false)])] }],
  trigger_reserve: [{ written: [largeStop] }],
  ioc_margin_px: [{ written: [send(poor, [limit(hype, '170', '55', 'Ioc')])] }],
  oppositeExcess: [{ written: [buyEth, send(rich, [limit(eth, '-5', '2100')])] }],
  mark_step_ms: [{ written: [stopEntry, wait(1), price(eth, '2060')] }],
  trigger_new_oid: [{ written: [stopEntry, price(eth, '2060')] }],
  trigger_no_margin: [{ written: [largeStop, price(hype, '42.5')] }],
  fast_cancel_trigger: [
    {
      written: [
        send(rich, [{ ...stop(eth, '1', '2050', '2200', false), cloid: named }]),
        act(rich, { type: 'cancelByCloid', fast: true, cancels: [{ asset: eth, cloid: named }] }),
      ],
    },
  ],
  modeSwitchWithOrders: [
    { written: [send(rich, [limit(hype, '10', '40')]), lever(rich, hype, 5, false)] },
  ],
  leverageWithOrders: [{ written: [send(poor, [limit(hype, '150', '41')]), lever(poor, hype, 2)] }],
  defaultLeverage: [
    { written: [send(fresh, [limit(eth, '0.1', '1900')])] },
    { written: [send(fresh, [limit(eth, '0.1', '1900')])] },
  ],
  crossRelever: [{ written: [buyEth, lever(rich, eth, 10)] }],
  activeAssetRawUsd: [{ written: [lever(rich, hype, 5, false)] }],
  liqCancels: [{ written: [send(poor, [limit(eth, '0.01', '1900')]), ...leveraged, fall] }],
  liqOrder: [
    {
      written: [
        lever(poor, eth, 10),
        lever(poor, hype, 10),
        send(poor, [limit(eth, '1.5', '2100', 'Ioc'), limit(hype, '200', '42.5', 'Ioc')]),
        price(hype, '36.4'),
      ],
    },
  ],
  // With what it gets here it has exactly 543.4 at a mark of 38, which is what it must have.
  liquidationTest: [
    {
      written: [
        ...leveraged,
        { kind: 'deposit', who: poor, amount: '156.753183' },
        price(hype, '41.873', '38'),
      ],
    },
  ],
  liquidationFee: [{ written: [...leveraged, fall] }],
  unifiedToStandard: [{ written: [act(unified, { type: 'setAbstraction', mode: 'disabled' })] }],
  modeChangeWithPositions: [
    { written: [buyEth, act(rich, { type: 'setAbstraction', mode: 'unifiedAccount' })] },
  ],
  neverSetMode: [{ written: [wait(1)] }],
  neverSetPools: [{ written: [wait(1)], isOnDex: true }],
  withdrawableExtra: [
    { written: [buyEth, send(rich, [limit(hype, '10', '42.5', 'Ioc')])] },
    { written: [buyEth, send(rich, [limit(hype, '10', '42.5', 'Ioc')])] },
  ],
  postOnlyPeriod: [{ written: [buyEth] }],
  postOnlyTriggers: [
    { written: [stopEntry, { kind: 'upgrade', isPostOnly: true }, price(eth, '2060')] },
  ],
  ordersAfterAgentRemoval: [
    {
      written: [send(rich, [limit(eth, '0.1', '1900')]), act(rich, removeAgent)],
    },
  ],
  haltStatus: [
    {
      written: [buyTsla, { kind: 'builder', asset: tsla, change: { isHalted: true } }],
      isOnDex: true,
    },
  ],
  dexBand: [
    {
      written: [price(tsla, '400', '300'), send(rich, [limit(tsla, '1', '70')])],
      isOnDex: true,
      beside: { referencePrice: 'oracle' },
    },
    { written: [send(rich, [limit(tsla, '1', '70')])], isOnDex: true },
  ],
  capText: [
    {
      written: [buyTsla, { kind: 'builder', asset: tsla, change: { cap: '1000' } }, buyTsla],
      isOnDex: true,
    },
  ],
  ...twapWays,
  // Of 3,000 the order keeps 1,000 back; the stop keeps nothing.
  vaultWithdrawalCancels: [
    {
      written: [
        send(vaultUser, [limit(eth, '2.5', '2000')]),
        send(vaultUser, [stop(eth, '1', '2100', '2200', false)]),
        { kind: 'withdraw', who: vaultUser, amount: '2500' },
      ],
      hasVault: true,
    },
  ],
}
