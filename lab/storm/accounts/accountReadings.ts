import { Decimal } from '../../../src/core/values/decimal.ts'
import type { SimulatorOptions } from '../../sim/simulatorOptions.ts'
import { eitherOf } from '../chance.ts'

type Readings = NonNullable<SimulatorOptions['options']>

/**
 * Both readings of what else is not known of the venue, of its orders, margins, modes, vaults, spot pairs
 * and TWAPs. Options that are not here or among those of other worlds are cadences, limits and texts
 * (`accounts.test.ts`).
 */
export function accountReadings(seed: number): Readings {
  return { ...orderReadings(seed), ...moneyReadings(seed), ...frontReadings(seed) }
}

/** Whether the venue looks only now and then at whether triggers are reached. */
export function looksLate(seed: number): boolean {
  return markStepMs(seed) > 0
}

function markStepMs(seed: number): number {
  return eitherOf(seed)('looks of triggers', [0, 0, 3_000])
}

function orderReadings(seed: number): Readings {
  const either = eitherOf(seed)
  return {
    tickCarrier: either('tick', ['order', 'batch']),
    trigger_band_ref: either('trigger band', ['mark', 'trigger']),
    trigger_p_rule: either('trigger limit', ['off', 'strict']),
    positionTriggers: either('position triggers', ['accept', 'refuse']),
    tpslPerBatch: either('triggers of a batch', ['one', 'any']),
    longIntegerPrices: either('whole prices', ['allow', 'refuse']),
    reduceOnlyExcess: either('too many exits', [
      ...(['cancel-oldest', 'cancel-oldest-and-triggers', 'independent'] as const),
    ]),
    mark_step_ms: markStepMs(seed),
    triggeredMarketWithoutMatch: either('trigger in vain', ['reject', 'rest']),
    fast_cancel_trigger: either('fast cancel', ['item_error', 'whole']),
    modifyRule: either('modify', ['post-only', 'any']),
    modifySize: either('size of a modify', ['remaining', 'total']),
    partialGtcReply: either('answer of a part', ['resting', 'filled']),
    postOnlyTriggers: either('triggers after an upgrade', ['reject', 'wait']),
    ordersAfterAgentRemoval: either('orders without agent', ['stay', 'cancel']),
    crowdedTriggers: either('triggers in a crowd', ['stay', 'cancel']),
    twap_min_slice_usd: Decimal.of(either('least slice', ['10', '60'])),
    twap_survives: either('TWAPs survive', [
      [],
      ['scheduleCancel', 'agentRemoval'],
      ['scheduleCancel', 'agentRemoval', 'liquidation'],
    ]),
    twap_error_on: either('TWAPs fail', [
      [],
      ['margin', 'delisting'],
      ['margin', 'delisting', 'reduceOnly', 'liquidity'],
    ]),
    webData2_twaps: either('TWAPs of webData2', ['main', 'all']),
  }
}

function moneyReadings(seed: number): Readings {
  const either = eitherOf(seed)
  return {
    trigger_reserve: either('reserve of triggers', ['none', 'limit']),
    trigger_no_margin: either('trigger without margin', ['reject', 'partial']),
    marginCanceledChildSize: either('children without margin', ['parent', 'filled']),
    fundingRounding: either('funding', ['down', 'half-even']),
    modeSwitchWithOrders: either('switch of margin', ['allow', 'refuse']),
    leverageWithOrders: either('low leverage', ['refuse', 'accept']),
    defaultLeverage: either('first leverage', ['min20', 'max', '1']),
    activeAssetRawUsd: either('raw money', ['told', 'omitted']),
    crossRelever: either('high leverage', [true, false]),
    liqOrder: either('order of liquidations', ['risk', 'index']),
    liquidationTest: either('liquidated', ['below', 'at']),
    backstopPrice: either('backstop', ['mark', 'bankruptcy']),
    partialLiquidationAbove: Decimal.of(either('liquidated in parts', ['100000', '10000'])),
    unifiedToStandard: either('back to standard', ['allow', 'refuse']),
    modeChangeWithPositions: either('change of mode', ['allow', 'refuse']),
    neverSetPools: either('pools never set', ['separate', 'shared']),
    withdrawableExtra: either('withdrawable', ['none', 'term', 'zero']),
    pmTotalGross: either('portfolio total', [true, false]),
    vaultWithdrawalCancels: either('vault withdrawal', ['margin', 'all']),
    // A follower takes out again what it has put in a moment ago.
    vaultLockMs: 0,
    spot_triggers: either('spot triggers', ['refuse', 'accept']),
    spot_hold_fee: either('spot hold', [true, false]),
    spot_reduce_only: either('spot exits', ['refuse', 'ignore']),
    spot_balance_text: either('spot balance', ['short', 'long']),
  }
}

function frontReadings(seed: number): Readings {
  const either = eitherOf(seed)
  return {
    hashing: either('hashing', ['canonical', 'asSent']),
    refusedActionConsumesNonce: either('nonce of a refusal', [true, false]),
    vaultOnOtherActions: either('vault elsewhere', ['refuse', 'ignore']),
    twapcancel_class: either('cancel of a TWAP', ['other', 'cancel']),
    agentBuysRequests: either('bought requests', ['allow', 'refuse']),
    orderUpdatesReplay: either('updates again', [true, false]),
    laterIsSnapshot: either('later snapshot', ['omitted', 'false']),
    limitClosesSocket: either('limits of sockets', [true, false]),
    postWeight: either('weight of a post', ['free', 'counted']),
    'dailyCap.countBatch': either('day of a batch', [true, false]),
    'dailyCap.includeCancels': either('day of cancels', [true, false]),
    'dailyCap.beyond': either('beyond the day', ['refuse', 'trickle']),
    'dailyCap.window': either('day', ['utc-day', 'rolling']),
  }
}
