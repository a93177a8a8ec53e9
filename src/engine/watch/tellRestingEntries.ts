import type { Account } from '../../core/account/account.ts'
import type { RestingEntry } from '../../core/account/accountView.ts'
import { limits } from '../../core/values/limits.ts'
import type { Log } from '../ports.ts'

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
  const named = entries.slice(0, namedMax).map(inWords)
  const more = entries.length > namedMax ? [`and ${entries.length - namedMax} more`] : []
  const text =
    'entries rest on at the venue while Guard is stopped: a part of one that fills has no stop until ' +
    'the rest of it has filled or Guard runs again; cancel what should not wait'
  log.log('warn', text, { entries: [...named, ...more] })
}

function inWords({ coin, isBuy, size, price, stop, watched }: RestingEntry): string {
  const way = isBuy ? 'buy' : 'sell'
  const where =
    watched?.needsGuard === true ? " in Guard's record alone: none until it runs again" : ''
  const stopped = stop === null ? 'no stop' : `stop ${stop.toString()}${where}`
  return `${coin}: ${way} ${size.toString()} at ${price.toString()}, ${stopped}`
}
