import type { Account } from '../../core/account/account.ts'
import { shifted } from '../../core/values/millis.ts'
import type { Result } from '../../core/values/result.ts'
import type { AccountReads } from './accountReads.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'
import type { PicturePart } from './picture.ts'
import type { Clock, Urgency } from '../ports.ts'

interface ReadPartDeps {
  readonly clock: Clock
  readonly account: Pick<Account, 'mode' | 'twaps'>
  readonly reads: AccountReads
  readonly dexes: Pick<BuilderDexes, 'refresh' | 'inUse'>
}

/** How far back the ledger is read again: an entry may come late. */
const ledgerBackMs = 600_000

/** Asks the venue for one part of the picture; what it answers is delivered as an event. */
export function readPart(
  { clock, account, reads, dexes }: ReadPartDeps,
  part: PicturePart,
  lane: Urgency,
): Promise<Result<unknown>> {
  switch (part) {
    case 'markets':
      // Whether there are builder dexes is asked beside it: what fails there concerns them alone.
      dexes.refresh(lane).catch(() => undefined)
      return reads.markets(lane)
    case 'mode':
      return reads.mode(lane)
    case 'mids':
      return reads.mids(lane)
    case 'spot':
      return reads.spot(lane)
    case 'state':
      return reads.state(lane)
    case 'orders':
      return reads.orders(lane)
    case 'ledger':
      return reads.ledger(shifted(clock.now(), -ledgerBackMs), account.mode, lane)
  }
}
