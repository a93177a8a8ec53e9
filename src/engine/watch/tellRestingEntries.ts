import type { Account } from '../../core/account/account.ts'
import type { RestingEntry, TwapView } from '../../core/account/accountView.ts'
import { limits } from '../../core/values/limits.ts'
import type { Log } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

const namedMax = limits.namedEntriesMax

/**
 * Says at the end of a run which entries rest on. Their stops wait until the whole entry has filled:
 * what fills of one before that has no stop while nobody runs who could put one under it.
 */
export function tellRestingEntries(
  account: Pick<Account, 'coinsWithOrders' | 'restingEntries'>,
  log: Log,
): void {
  const entries = [...account.coinsWithOrders()].flatMap((coin) => account.restingEntries(coin))
  if (entries.length === 0) return
  const text =
    'entries rest on at the venue while Guard is stopped: a part of one that fills has no stop until ' +
    'the rest of it has filled or Guard runs again; cancel what should not wait'
  log.log('warn', text, { entries: someOf(entries.map(inWords)) })
}

function inWords({ coin, isBuy, size, price, stop, watched }: RestingEntry): string {
  const way = isBuy ? 'buy' : 'sell'
  const where =
    watched?.needsGuard === true ? " in Guard's record alone: none until it runs again" : ''
  const stopped = stop === null ? 'no stop' : `stop ${stop.toString()}${where}`
  return `${coin}: ${way} ${size.toString()} at ${price.toString()}, ${stopped}`
}

/** Says at the end of a run which TWAPs could not be cancelled: what they fill has no stop. */
export function tellWaitingTwaps(
  left: readonly TwapView[],
  log: Log,
  recorder: Pick<Recorder, 'record'>,
): void {
  if (left.length === 0) return
  const text =
    'Guard stops and could not cancel what may open a position without a stop: ' +
    `${someOf(left.map(twapInWords)).join('; ')}; cancel it at the venue, or start Guard again`
  log.log('warn', text)
  recorder.record({ kind: 'error', text }, 'ride')
}

function twapInWords({ id, coin, isBuy, size }: TwapView): string {
  const number = id === null ? 'whose number the venue has not told' : `number ${id}`
  return `${coin}: a TWAP that ${isBuy ? 'buys' : 'sells'} ${size.toString()}, ${number}`
}

/** As many as a person reads. */
function someOf(texts: readonly string[]): readonly string[] {
  const more = texts.length > namedMax ? [`and ${texts.length - namedMax} more`] : []
  return [...texts.slice(0, namedMax), ...more]
}
