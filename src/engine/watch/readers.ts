import type { Account } from '../../core/account/account.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import { AccountReads } from './accountReads.ts'
import type { Alerts } from '../alerts.ts'
import { BuilderDexes } from './dexes/builderDexes.ts'
import type { CommonDeps, GuardConfig } from '../guard.ts'
import { NewMarkets } from './newMarkets.ts'
import { OrderEnds } from './orderEnds.ts'
import { OtherMarkets } from './otherMarkets.ts'
import { LookupShare } from '../send/lookupShare.ts'
import type { VenueHttp, VenueNews, WeightBudget } from '../ports.ts'
import { UnreadFills } from './unreadFills.ts'
import { VenueWaits } from './venueWaits.ts'

interface ReadersDeps extends Pick<CommonDeps, 'clock' | 'timers' | 'log' | 'stream'> {
  readonly config: GuardConfig
  readonly venue: Pick<VenueHttp, 'info'>
  readonly budget: Pick<WeightBudget, 'limit' | 'roomInMs'>
  readonly account: Account
  readonly risk: Pick<RiskEngine, 'setAnew'>
  readonly alerts: Alerts
  readonly deliver: (news: VenueNews) => void
  readonly isStopped: () => boolean
}

/** What asks the venue, and what knows the markets that its answers are about. */
export interface Readers {
  readonly reads: AccountReads
  readonly dexes: BuilderDexes
  readonly otherMarkets: OtherMarkets
  readonly newMarkets: NewMarkets
  readonly venueWaits: VenueWaits
  readonly unreadFills: UnreadFills
}

export function createReaders(deps: ReadersDeps): Readers {
  const { account, config } = deps
  const { rulesFor } = config
  const reads: AccountReads = new AccountReads({
    ...{ ...deps, account: config.account },
    dexesToRead: () => dexes.toRead(),
  })
  const lookups = new LookupShare(deps)
  const ends = new OrderEnds({ ...deps, venue: lookups, account: config.account })
  const setAnew = (): void => {
    deps.risk.setAnew()
  }
  const dexes = new BuilderDexes({ ...deps, rulesFor, reads, setAnew })
  return {
    ...{ reads, dexes },
    otherMarkets: new OtherMarkets({ ...deps, dexes, readQuotes: () => reads.spotQuotes('watch') }),
    newMarkets: new NewMarkets({ ...deps, rulesFor, reads }),
    venueWaits: new VenueWaits({ ...deps, ends }),
    unreadFills: new UnreadFills({
      ...{ ...deps, account },
      read: async () => {
        if (account.twaps.mayHaveFilled) await reads.slices('watch')
        return await reads.fills('watch')
      },
    }),
  }
}
