import { amount, amountOrNone, choice, count, flag, usualValues } from '../option.ts'
import { dexOptionTable } from './dex/dexOptions.ts'
import { twapOptionTable } from './twapOptions.ts'
import type { ValuesOf } from '../option.ts'

/**
 * The points of matching and margin where nobody could verify what the venue does. Each is a
 * choice with a default, so that a client can be tested against every reading.
 */
export const venueOptionTable = {
  duplicateCloid: choice(
    'a second open order with a client order id that another one has',
    '11-2',
    { allow: 'is taken', refuse: 'is refused' },
    'allow',
  ),
  instantTriggers: choice(
    'a trigger that the mark has reached when it is placed',
    '14.2',
    { accept: 'is taken and fires', refuse: 'is refused' },
    'accept',
  ),
  prevalidation: choice(
    'what carries the refusal of a whole batch before it is executed',
    '22-20',
    { err: 'an error in the place of the answer', single_status: 'a list with one status' },
    'err',
  ),
  tickCarrier: choice(
    'a price off the grid in a batch',
    '11-5',
    { order: 'refuses that order alone', batch: 'refuses the whole batch' },
    'order',
  ),
  referenceBandPercent: count(
    'how far from the reference price an order may be, in percent',
    '11-7',
    80,
  ),
  referencePrice: choice(
    'the reference price of that band',
    '11-7',
    { mark: 'is the mark', oracle: 'is the oracle price' },
    'mark',
  ),
  trigger_band_ref: choice(
    'the band of a trigger order is measured from',
    '22-24',
    { mark: 'the reference price', trigger: 'its own trigger price' },
    'mark',
  ),
  trigger_p_rule: choice(
    'the limit price of a market trigger',
    '22-1',
    { off: 'may lie anywhere', strict: 'must lie beyond the trigger price' },
    'off',
  ),
  child_side: choice(
    "a trigger of a group on its entry's own side, or of a position on the position's",
    null,
    { any: 'is judged like any other trigger', strict: 'refuses the whole batch' },
    'any',
  ),
  positionTriggers: choice(
    'a trigger for the position where there is none on the other side',
    null,
    { accept: 'waits, and ends when it would fire in vain', refuse: 'is refused' },
    'accept',
  ),
  tpslPerBatch: choice(
    'triggers of one group, or of one batch for a position, of the same kind (tp or sl)',
    null,
    { one: 'are refused with the whole batch', any: 'are taken' },
    'one',
  ),
  trigger_reserve: choice(
    'a trigger that may open a position reserves, before it fires,',
    '22-2, U5',
    { none: 'nothing', limit: 'what a limit order at its price would' },
    'none',
  ),
  ioc_margin_px: choice(
    'the margin of an order that takes at once is checked at',
    '22-19, U6',
    { mark: 'the mark', limit: 'its limit price' },
    'mark',
  ),
  oppositeExcess: choice(
    'the part of an opposite order that exceeds the position',
    'U4',
    { reserve: 'reserves margin', ignore: 'reserves nothing until it fills' },
    'reserve',
  ),
  longIntegerPrices: choice(
    'whole prices of more than five figures',
    '11-8',
    { allow: 'are on the grid', refuse: 'are off it' },
    'allow',
  ),
  bothSides: choice(
    'buys and sells that rest in one market reserve margin for',
    'U26',
    { sum: 'both sides together', max: 'the larger side alone' },
    'sum',
  ),
  reduceOnlyExcess: choice(
    'reduce-only orders that together exceed the position',
    '11-11',
    {
      'cancel-oldest': 'end, the oldest in the book first',
      'cancel-oldest-and-triggers': 'end, the oldest first, triggers counted',
      independent: 'stand beside each other',
    },
    'cancel-oldest',
  ),
  trigger_cmp: choice(
    'a mark exactly at the trigger price',
    '22-4',
    { ge: 'fires', gt: 'does not fire yet' },
    'ge',
  ),
  mark_step_ms: count(
    'triggers look at the mark when the clock is a multiple of so many ms; 0 is at every change',
    '22-4',
    0,
  ),
  trigger_new_oid: flag('a trigger that fires goes on', '22-5', false, {
    false: 'under its own number',
    true: 'under a new number',
  }),
  trigger_no_margin: choice(
    'a trigger that fires without enough margin',
    '22-3',
    { reject: 'ends without a fill', partial: 'fills as far as margin goes' },
    'reject',
  ),
  triggeredMarketWithoutMatch: choice(
    'a market trigger that fires and meets no price it may take',
    '11-13',
    { reject: 'ends', rest: 'rests at its limit price' },
    'reject',
  ),
  fast_cancel_trigger: choice(
    'a fast cancel of a trigger order is refused',
    '22-13',
    { item_error: 'for itself', whole: 'with the whole action' },
    'item_error',
  ),
  modifyRule: choice(
    'a modify without the flag that always places',
    '11-14',
    {
      'post-only': 'only takes orders that rest, and never lets them take',
      any: 'takes any order',
    },
    'post-only',
  ),
  modifySize: choice(
    'the size of a modify of an order that has filled in part',
    '11-14',
    { remaining: 'is what is left to fill', total: 'includes what has filled' },
    'remaining',
  ),
  marginCanceledChildSize: choice(
    'the children of a parent that margin ended after a part',
    '11-15',
    { parent: 'keep their size', filled: 'get the size that filled' },
    'parent',
  ),
  partialGtcReply: choice(
    'a Gtc order that fills in part is answered as',
    '11-16',
    { resting: 'resting', filled: 'filled' },
    'resting',
  ),
  fundingRounding: choice(
    'a funding payment is rounded',
    '11-21',
    { down: 'towards zero', 'half-even': 'to the nearest' },
    'down',
  ),
  modeSwitchWithOrders: choice(
    'between cross and isolated, flat but with resting orders,',
    'U7',
    { allow: 'an account may switch', refuse: 'an account may not switch' },
    'allow',
  ),
  leverageWithOrders: choice(
    'a leverage so low that resting orders could not be margined',
    'U8',
    { refuse: 'is refused', accept: 'is taken, and the orders end when they would fill' },
    'refuse',
  ),
  defaultLeverage: choice(
    'the leverage of a market that an account has never set',
    'U9',
    { min20: 'is 20, or the most if that is less', max: 'is the most', '1': 'is 1' },
    'min20',
  ),
  activeAssetRawUsd: choice(
    'rawUsd of an isolated leverage in activeAssetData',
    '0-8',
    { told: 'is told, 0 without a position', omitted: 'is left out, as in some recorded answers' },
    'told',
  ),
  crossRelever: flag('a higher leverage of a market with a cross position', 'U21', true, {
    true: 'frees margin at once',
    false: 'holds for what is opened later',
  }),
  liqCancels: choice(
    'a cross liquidation ends',
    'U10',
    { all: 'every order of the account', coin: 'the orders of the markets it liquidates' },
    'all',
  ),
  liqOrder: choice(
    'the positions of a cross account are liquidated',
    'U11',
    { risk: 'the largest first', index: 'in the order of the markets' },
    'risk',
  ),
  liquidationTest: choice(
    'an account whose value is exactly its maintenance margin',
    'U20',
    { below: 'is not liquidated yet', at: 'is liquidated' },
    'below',
  ),
  liquidationFee: choice(
    'a liquidation on the book costs the account',
    'U25',
    { taker: "a taker's fee", none: 'no fee' },
    'taker',
  ),
  backstopPrice: choice(
    'the price at which the liquidator takes a position over',
    '11-17',
    { mark: 'is the mark', bankruptcy: 'is where the equity is gone' },
    'mark',
  ),
  unified_total: choice(
    'the balance that a unified account shows',
    '22-17',
    { equity: 'has the open profit in it', cash: 'has only what is settled' },
    'equity',
  ),
  unifiedToStandard: choice(
    'from unified back to a standard account, its owner',
    'U13',
    { allow: 'may go', refuse: 'may not go' },
    'allow',
  ),
  modeChangeWithPositions: choice(
    'with positions or orders open, the mode of an account',
    'U14',
    { allow: 'may change', refuse: 'may not change' },
    'allow',
  ),
  neverSetMode: choice(
    'userAbstraction of an account that has never set its mode',
    'U22',
    { default: 'is "default"', null: 'is null' },
    'default',
  ),
  neverSetPools: choice(
    'cross positions on builder dexes of an account that has never set its mode',
    'U23',
    {
      separate: 'lean on what lies on their own dex',
      shared: 'lean on the USDC of the main dex, or on the spot balance of another collateral',
    },
    'separate',
  ),
  withdrawableExtra: choice(
    'with several cross positions, what may be withdrawn',
    'U24',
    {
      none: 'is what the formula says',
      term: 'is less by half a percent of their value',
      zero: 'is nothing',
    },
    'none',
  ),
  pmTotalGross: flag('the USDC that an account with portfolio margin shows', 'U12', true, {
    true: 'has what it borrowed in it',
    false: 'is less by what it borrowed',
  }),
  portfolioMarginRatio: amountOrNone(
    'the ratio that accounts with portfolio margin show; none computes that of one without debt',
    'U15',
  ),
  postOnlyPeriod: flag('a network upgrade', '23.1-16', false, {
    false: 'is long ago',
    true: 'was just now: only post-only orders are taken, and no slice of a TWAP trades',
  }),
  postOnlyTriggers: choice(
    'a market trigger that the mark reaches just after an upgrade',
    '23.1-16',
    { reject: 'ends', wait: 'waits until other orders are taken again' },
    'reject',
  ),
  ordersAfterAgentRemoval: choice(
    'the open orders of an account that removes an agent',
    '22-23',
    { stay: 'stay', cancel: 'end' },
    'stay',
  ),
  scheduleCancelVolume: amount('the volume from which cancels may be scheduled', null, '1000000'),
  partialLiquidationAbove: amount(
    'the value from which a position is liquidated by a fifth at a time',
    null,
    '100000',
  ),
  openOrderCap: count('open orders that an account may have before it has traded', null, 1_000),
  reduceOnlyOrderLimit: count(
    'open orders beside which reduce-only orders and triggers are refused',
    null,
    1_000,
  ),
  sub_max: count('sub-accounts that an account may have', '22-15', 10),
  sub_max_grows: flag('that number of sub-accounts', '22-15', false, {
    false: 'is the same for everybody',
    true: 'grows by one for each 100,000,000 USDC traded, up to 50',
  }),
  vaultWithdrawalCancels: choice(
    'orders that a withdrawal from a vault ends where its margin is short',
    '17.5',
    { margin: 'are those that use margin', all: 'are all, stops first' },
    'margin',
  ),
  vaultLockMs: count(
    'how long a deposit into a vault is locked, in ms: a day, on testnet 20 seconds',
    '17.5',
    86_400_000,
  ),
  spot_triggers: choice(
    'a trigger order on a spot pair',
    '22-9',
    { refuse: 'is refused', accept: 'waits for the price of the pair' },
    'refuse',
  ),
  spot_hold_fee: flag('a spot buy that rests holds back', '22-25', false, {
    false: 'its size times its price',
    true: 'the fee besides',
  }),
  spot_reduce_only: choice(
    'a reduce-only order on a spot pair',
    '22-26',
    { refuse: 'is refused', ignore: 'is taken as if it were not' },
    'refuse',
  ),
  spot_balance_text: choice(
    'a spot order without the balance for it is told',
    '11-6',
    { short: '"Insufficient spot balance"', long: 'the longer text of the documentation' },
    'short',
  ),
  crowdedTriggers: choice(
    'reduce-only triggers of an account that reaches that many open orders',
    '22-11',
    { stay: 'stay', cancel: 'end' },
    'stay',
  ),
  ...twapOptionTable,
  ...dexOptionTable,
}

export type VenueOptions = ValuesOf<typeof venueOptionTable>

export const defaultOptions: VenueOptions = usualValues(venueOptionTable)
