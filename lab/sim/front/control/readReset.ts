import type { Json, Order } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import type {
  AccountSpec,
  DexSpec,
  MarketSpec,
  OrderGroupSpec,
  PositionSpec,
} from '../../engine/venueConfig.ts'
import { readOptions } from '../../optionBoard.ts'
import type { SimOptions } from '../../optionBoard.ts'
import { orderSchema } from '../exchange/actionSchemas.ts'
import { toOrder } from '../exchange/toVenueAction.ts'
import { readDexes } from './readDex.ts'
import { readMarket } from './readMarket.ts'
import { readTwap } from './readTwap.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readChoice,
  readCoinName,
  readCount,
  readDecimal,
  readFields,
  readFlag,
  readList,
  readOptionalCount,
  readOptionalDecimal,
} from './problems.ts'

/** What `/sim/reset` asks for; null where the simulator's own default stays. */
export interface ResetSpec {
  readonly seed: number | null
  readonly frozen: boolean
  readonly markets: readonly MarketSpec[] | null
  /** Builder dexes; those of the start when absent. */
  readonly dexes?: readonly DexSpec[]
  readonly accounts: readonly AccountSpec[]
  /** Options beside those the simulator was started with. */
  readonly options?: Partial<SimOptions>
  /** What some accounts have used up of their allowances before the world begins. */
  readonly spent?: readonly SpentAllowance[]
}

interface SpentAllowance {
  readonly address: Address
  /** Requests of a lifetime. */
  readonly allowance: { readonly cap: number; readonly used: number } | null
  /** Actions of this day. */
  readonly dailyActions: number
}

export const resetFields = ['seed', 'frozen', 'markets', 'dexes', 'accounts', 'options']

export function readReset(json: Json): ResetSpec {
  const fields = readFields(json, 'body')
  onlyFields(fields, 'body', resetFields)
  const markets = fields['markets']
  return {
    seed: readOptionalCount(fields['seed'], 'seed'),
    frozen: readFlag(fields['frozen'], 'frozen'),
    markets:
      markets === undefined || markets === null
        ? null
        : readList(markets, 'markets').map((each, at) =>
            readMarket(each, `markets[${String(at)}]`),
          ),
    ...(fields['dexes'] === undefined ? {} : { dexes: readDexes(fields['dexes'], 'dexes') }),
    accounts: readList(fields['accounts'], 'accounts').map((each, at) =>
      readAccount(each, `accounts[${String(at)}]`),
    ),
    options: readChosen(fields['options'] ?? {}, 'options'),
    spent: readList(fields['accounts'], 'accounts').map((each, at) =>
      readSpent(each, `accounts[${String(at)}]`),
    ),
  }
}

/** Options by their names, each with a value that it may have. */
export function readChosen(json: Json, path: string): Partial<SimOptions> {
  const read = readOptions(readFields(json, path))
  if (!read.ok) throw new ControlProblem(read.error)
  return read.value
}

function readSpent(json: Json, path: string): SpentAllowance {
  const fields = readFields(json, path)
  const given = fields['allowance'] ?? null
  const allowance = given === null ? null : readFields(given, `${path}.allowance`)
  if (allowance !== null) onlyFields(allowance, `${path}.allowance`, ['cap', 'used'])
  return {
    address: readAddress(fields['address'], `${path}.address`),
    allowance:
      allowance === null
        ? null
        : {
            cap: readCount(allowance['cap'], `${path}.allowance.cap`),
            used: readCount(allowance['used'], `${path}.allowance.used`),
          },
    dailyActions: readOptionalCount(fields['daily_actions'], `${path}.daily_actions`) ?? 0,
  }
}

export const modes = ['disabled', 'default', 'unifiedAccount', 'portfolioMargin'] as const

function readAccount(json: Json, path: string): AccountSpec {
  const fields = readFields(json, path)
  onlyFields(fields, path, [
    ...['address', 'equity', 'mode', 'agents', 'leverage', 'positions', 'orders'],
    ...['allowance', 'daily_actions', 'spot', 'dex_equity', 'sub_of', 'vault_of', 'twaps'],
    'borrowed',
  ])
  const borrowed = readOptionalDecimal(fields['borrowed'], `${path}.borrowed`)
  const mode = readChoice(fields['mode'] ?? 'disabled', `${path}.mode`, modes)
  const address = readAddress(fields['address'], `${path}.address`)
  return {
    address,
    equity: readEquity(fields['equity'], `${path}.equity`),
    ...(mode === 'default' ? {} : { mode }),
    ...readOwner(fields, path),
    ...(borrowed === null ? {} : { borrowed }),
    agents: readList(fields['agents'], `${path}.agents`).map((each, at) =>
      readAddress(each, `${path}.agents[${String(at)}]`),
    ),
    dexEquity: new Map(
      Object.entries(readFields(fields['dex_equity'] ?? {}, `${path}.dex_equity`)).map(
        ([dex, equity]) => [dex, readDecimal(equity, `${path}.dex_equity.${dex}`)],
      ),
    ),
    spot: readList(fields['spot'], `${path}.spot`).map((each, at) =>
      readBalance(each, `${path}.spot[${String(at)}]`),
    ),
    leverage: readLeverages(fields['leverage'], `${path}.leverage`),
    positions: readList(fields['positions'], `${path}.positions`).map((each, at) =>
      readPosition(each, `${path}.positions[${String(at)}]`),
    ),
    orders: readList(fields['orders'], `${path}.orders`).map((each, at) =>
      readGroup(each, `${path}.orders[${String(at)}]`),
    ),
    twaps: readList(fields['twaps'], `${path}.twaps`).map((each, at) =>
      readTwap(each, `${path}.twaps[${String(at)}]`, address),
    ),
  }
}

/** A loss that makes it negative comes by `/sim/price`. */
function readEquity(json: Json | undefined, path: string): Decimal {
  const equity = readDecimal(json, path)
  if (!equity.isNegative()) return equity
  throw new ControlProblem(`${path} must not be negative, got ${equity.toString()}`)
}

function readOwner(
  fields: { readonly [key: string]: Json },
  path: string,
): Pick<AccountSpec, 'subOf' | 'vaultOf'> {
  const { sub_of: sub, vault_of: vault } = fields
  return {
    ...(sub === undefined ? {} : { subOf: readAddress(sub, `${path}.sub_of`) }),
    ...(vault === undefined ? {} : { vaultOf: readAddress(vault, `${path}.vault_of`) }),
  }
}

function readBalance(json: Json, path: string): { token: string; total: Decimal } {
  const fields = readFields(json, path)
  onlyFields(fields, path, ['coin', 'total'])
  return {
    token: readCoinName(fields['coin'], `${path}.coin`),
    total: readDecimal(fields['total'], `${path}.total`),
  }
}

type Leverage = PositionSpec['leverage']

function readLeverages(json: Json | undefined, path: string): Map<Coin, Leverage> {
  const entries = Object.entries(json === undefined || json === null ? {} : readFields(json, path))
  return new Map(
    entries.map(([name, each]) => [
      readCoinName(name, path),
      readLeverage(each, `${path}.${name}`),
    ]),
  )
}

function readLeverage(json: Json | undefined, path: string): Leverage {
  const fields = readFields(json, path)
  return {
    type: readChoice(fields['type'], `${path}.type`, ['cross', 'isolated'] as const),
    value: readCount(fields['value'], `${path}.value`),
  }
}

function readPosition(json: Json, path: string): PositionSpec {
  const fields = readFields(json, path)
  onlyFields(fields, path, ['coin', 'szi', 'entryPx', 'leverage'])
  const entryPrice = readOptionalDecimal(fields['entryPx'], `${path}.entryPx`)
  return {
    coin: readCoinName(fields['coin'], `${path}.coin`),
    size: readDecimal(fields['szi'], `${path}.szi`),
    ...(entryPrice === null ? {} : { entryPrice }),
    leverage: readLeverage(fields['leverage'], `${path}.leverage`),
  }
}

/** A wire order with its own grouping, and the children that wait for it. */
function readGroup(json: Json, path: string): OrderGroupSpec {
  const fields = readFields(json, path)
  const children = readList(fields['children'], `${path}.children`).map((each, at) =>
    readOrder(each, `${path}.children[${String(at)}]`),
  )
  const grouping = readChoice(
    fields['grouping'] ?? (children.length === 0 ? 'na' : 'normalTpsl'),
    `${path}.grouping`,
    ['na', 'normalTpsl', 'positionTpsl'] as const,
  )
  return { orders: [readOrder(json, path), ...children], grouping }
}

function readOrder(json: Json, path: string): Order {
  const canonical = orderSchema(json)
  if (canonical !== undefined) return toOrder(canonical)
  throw new ControlProblem(orderSchema.problem(json, path) ?? `${path} must be an order`)
}
