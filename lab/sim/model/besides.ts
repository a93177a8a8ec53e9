import type { SimOptions } from '../optionBoard.ts'
import type { OrderOption } from './readings.ts'
import type { SpotOption } from './spotDrive.ts'

const portfolio = 'a balance that an account with portfolio margin shows'
const owners = 'accounts that others own (subAccounts.test.ts, vaultAction.test.ts)'
const prices = 'how a builder makes a price, whatever orders there are (dex/prices.test.ts)'
const lists = 'which markets are listed under which number (dex/changes.test.ts)'
const requests = 'what becomes of a request before there is an order (front)'
const streams = 'how often and to whom something is told (front/stream)'
const sockets = 'how many sockets and messages there may be (front/stream)'
const counted = 'how actions are counted before they are executed (front/allowances.test.ts)'

/** The options that the models do not draw, each with the reason. */
export const besides: {
  readonly [Name in Exclude<keyof SimOptions, OrderOption | SpotOption>]: string
} = {
  pmTotalGross: portfolio,
  portfolioMarginRatio: portfolio,
  sub_max: owners,
  sub_max_grows: owners,
  vaultLockMs: owners,
  haltedMeta: lists,
  dexRemoval: lists,
  twoInputMedian: prices,
  oracleStep: prices,
  stoppedOracle: streams,
  hashing: requests,
  refusedActionConsumesNonce: requests,
  tooManyRequestsBody: requests,
  http429_executes: requests,
  vaultOnOtherActions: requests,
  twapcancel_class: counted,
  agentBuysRequests: counted,
  'dailyCap.n': counted,
  'dailyCap.countBatch': counted,
  'dailyCap.includeCancels': counted,
  'dailyCap.beyond': counted,
  'dailyCap.window': counted,
  'dailyCap.text': counted,
  frontendRowsMax: streams,
  orderUpdatesReplay: streams,
  laterIsSnapshot: streams,
  streamLagMs: streams,
  allMidsMs: streams,
  bookMs: streams,
  fastBookMs: streams,
  contextMs: streams,
  candleMs: streams,
  accountMs: streams,
  webDataMs: streams,
  limitClosesSocket: sockets,
  idleMs: sockets,
  connectionsMax: sockets,
  newConnectionsPerMinute: sockets,
  subscriptionsMax: sockets,
  ws_max_users: sockets,
  messagesPerMinute: sockets,
  pendingPostsMax: sockets,
  postWeight: sockets,
}
