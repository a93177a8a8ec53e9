import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import { choice, count, countOrNone, flag, usualValues, words } from '../option.ts'
import type { ValuesOf } from '../option.ts'

/** What the front does where the venue's behaviour is not known for sure, or is a matter of taste. */
export const frontOptionTable = {
  hashing: choice(
    'what of an action is hashed',
    '11-1',
    {
      canonical: 'the action rebuilt in the order of its schema, with plain decimals',
      asSent: 'the action as it was sent',
    },
    'canonical',
  ),
  refusedActionConsumesNonce: flag(
    'an action that is refused after its signer was found',
    '11-9',
    true,
    { true: 'uses up its nonce', false: 'leaves its nonce' },
  ),
  tooManyRequestsBody: words('the body of a 429; nobody recorded one', '11-3', 'null'),
  http429_executes: choice(
    'an action that is answered with 429',
    '22-16',
    { false: 'was never executed', random: 'was executed every second time' },
    'false',
  ),
  vaultOnOtherActions: choice(
    'vaultAddress on an action that has no place for it',
    '22-14',
    { refuse: 'refuses the action', ignore: 'is ignored' },
    'refuse',
  ),
  twapcancel_class: choice(
    'the cancel of a TWAP counts for its address as',
    '22-22',
    { other: 'any action', cancel: 'a cancel, of which there may be more' },
    'other',
  ),
  agentBuysRequests: choice(
    'requests that an agent wants to buy for its account',
    '11-18',
    { allow: 'are sold', refuse: 'are refused' },
    'allow',
  ),
  frontendRowsMax: countOrNone(
    'rows of frontendOpenOrders: 100 of 3,196 were seen on testnet',
    '23.1-18',
    null,
  ),
  orderUpdatesReplay: flag('open orders on a new subscription to orderUpdates', '11-4', false, {
    true: 'are told again',
    false: 'are not told',
  }),
  laterIsSnapshot: choice(
    'isSnapshot on frames after the first',
    '11-24',
    { omitted: 'is left out', false: 'is false' },
    'omitted',
  ),
  limitClosesSocket: flag('a socket that goes beyond a limit', '11-20', false, {
    true: 'is told so and closed',
    false: 'is told so',
  }),
  streamLagMs: count(
    'how long after its answer an action shows on the streams, in ms; about 3 on testnet',
    null,
    0,
  ),
  allMidsMs: count('how often allMids is sent, in ms', '11-19', 5_000, 1),
  bookMs: count('how often l2Book is sent, in ms', '11-19', 5_400, 1),
  fastBookMs: count('how often the fast l2Book is sent, in ms', '11-19', 540, 1),
  contextMs: count('how often the contexts of markets are sent, in ms', '11-19', 1_000, 1),
  candleMs: count('how often candles are sent, in ms', '11-19', 1_000, 1),
  accountMs: count('how often the states of accounts are sent, in ms', '11-19', 2_000, 1),
  webDataMs: count('how often webData2 and webData3 are sent, in ms', '11-19', 5_000, 1),
  idleMs: count('a socket on which nothing was sent for so many ms is closed', null, 60_000, 1),
  connectionsMax: count('sockets of one IP', null, 10),
  newConnectionsPerMinute: count('new sockets of one IP a minute', null, 30),
  subscriptionsMax: count('subscriptions of one IP', null, 1_000),
  ws_max_users: count(
    'accounts that one IP may follow: 10 is documented, 15 was measured',
    '22-12',
    10,
  ),
  messagesPerMinute: count('messages of one IP a minute', null, 2_000),
  pendingPostsMax: count('posts that wait for their answer on one socket', null, 100),
  postWeight: choice(
    'a request over the socket',
    null,
    { free: 'costs no request weight', counted: 'costs what it costs over HTTP' },
    'free',
  ),
  'dailyCap.n': countOrNone(
    'actions that a unified or portfolio account may do in a day',
    'U16',
    50_000,
  ),
  'dailyCap.countBatch': flag('a batch counts in that day', 'U16', true, {
    true: 'as many as it has entries',
    false: 'once',
  }),
  'dailyCap.includeCancels': flag('cancels in that day', 'U16', true, {
    true: 'count, and are refused beyond the cap',
    false: 'are spared',
  }),
  'dailyCap.beyond': choice(
    'beyond that cap',
    'U16',
    { refuse: 'everything is refused', trickle: 'one action passes every ten seconds' },
    'refuse',
  ),
  'dailyCap.window': choice(
    'that day is',
    'U16',
    { 'utc-day': 'the day by UTC', rolling: 'the last 24 hours' },
    'utc-day',
  ),
  'dailyCap.text': words(
    'what is said beyond that cap; nobody recorded the words',
    'U16',
    'Too many user actions',
  ),
}

export type FrontOptions = ValuesOf<typeof frontOptionTable>

export const defaultFrontOptions: FrontOptions = usualValues(frontOptionTable)

/** An account the simulator starts with. */
export interface StartAccount {
  readonly address: Address
  readonly equity: Decimal
  readonly agents: readonly Address[]
}
