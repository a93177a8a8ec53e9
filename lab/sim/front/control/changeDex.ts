import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import type { DexChange } from '../../engine/dex/dexTerms.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import type { Front } from '../front.ts'
import {
  ControlProblem,
  onlyFields,
  readChoice,
  readCoinName,
  readDecimal,
  readFields,
  readFlag,
  readList,
  readOptionalText,
} from './problems.ts'
import type { Fields } from './problems.ts'
import { marginModes, readDex } from './readDex.ts'

/** `/sim/dex`: what builders do while the venue runs. Answers with the dex as it is then. */
export function changeDex(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', [
    ...['dex', 'coin', 'add', 'remove', 'halt', 'delist', 'oracle', 'marks'],
    ...['oracle_stops', 'session', 'cap', 'marginMode', 'thin'],
  ])
  const { venue } = front
  if (fields['add'] !== undefined) {
    const spec = readDex(fields['add'], 'add')
    done(venue.addDex(spec))
    return shown(front, spec.name)
  }
  const name = readOptionalText(fields['dex'], 'dex') ?? ''
  if (readFlag(fields['remove'], 'remove')) {
    done(venue.removeDex(name))
    return { dex: name, removed: true }
  }
  const coin: Coin | null =
    fields['coin'] === undefined ? null : readCoinName(fields['coin'], 'coin')
  done(venue.changeDex(name, coin, readChange(fields)))
  return shown(front, name)
}

function done(result: Result<unknown>): void {
  if (!result.ok) throw new ControlProblem(result.error)
}

function readChange(fields: Fields): DexChange {
  const isGiven = (name: string): boolean => fields[name] !== undefined
  if (isGiven('delist') && !readFlag(fields['delist'], 'delist')) {
    throw new ControlProblem('delist must be true: a delisted market does not come back')
  }
  return {
    ...readPosted(fields),
    ...(isGiven('oracle_stops')
      ? { isStopped: readFlag(fields['oracle_stops'], 'oracle_stops') }
      : {}),
    ...(isGiven('session')
      ? { session: readChoice(fields['session'], 'session', ['external', 'internal'] as const) }
      : {}),
    ...(isGiven('halt') ? { isHalted: readFlag(fields['halt'], 'halt') } : {}),
    ...(isGiven('delist') ? { isDelisted: true as const } : {}),
    ...(isGiven('thin') ? { isThin: readFlag(fields['thin'], 'thin') } : {}),
    ...(isGiven('cap') ? { cap: readDecimal(fields['cap'], 'cap') } : {}),
    ...(isGiven('marginMode')
      ? { marginMode: readChoice(fields['marginMode'], 'marginMode', marginModes) }
      : {}),
  }
}

/** Where no marks are posted, the oracle price stands for both lists of them. */
function readPosted(fields: Fields): Pick<DexChange, 'posted'> {
  if (fields['oracle'] === undefined) {
    if (fields['marks'] === undefined) return {}
    throw new ControlProblem('oracle must be given with marks')
  }
  const oracle = readDecimal(fields['oracle'], 'oracle')
  if (fields['marks'] === undefined) return { posted: { oracle, marks: [oracle, oracle] } }
  const marks = readList(fields['marks'], 'marks').map((each, at) =>
    readDecimal(each, `marks[${String(at)}]`),
  )
  return { posted: { oracle, marks } }
}

function shown({ venue }: Front, name: string): Json {
  const index = venue.dexes().findIndex((dex) => dex?.name === name)
  const dex = venue.dex(name)
  return {
    ...{ dex: name, index: index + 1 },
    markets: (dex?.markets ?? []).map(({ market, cap, marginMode, isAtCap }) => ({
      ...{ coin: market.coin, asset: market.asset, marginMode, isDelisted: market.isDelisted },
      mark: venue.markPrice(market.coin)?.toString() ?? null,
      oracle: venue.oraclePrice(market.coin)?.toString() ?? null,
      ...{ cap: cap.toString(), isAtCap },
    })),
  }
}
