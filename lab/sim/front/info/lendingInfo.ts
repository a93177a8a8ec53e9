import type { Json } from '../../../../src/core/protocol/action.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { sum } from '../../engine/scaled.ts'
import { spotTokens, usdcValue } from '../../engine/spotPairs.ts'
import type { SpotToken } from '../../engine/spotPairs.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { ofUser, readMillis, readRange, told } from './ask.ts'
import type { Ask, InfoAnswer, Told } from './ask.ts'

/** Lending as far as it goes here: accounts supply tokens, and owe what they owed from the start. */

const usdc: SpotToken = 'USDC'
const lendable: readonly SpotToken[] = ['USDC', 'HYPE', 'USDT0', 'UBTC']
/** What the venue asks of a borrower before anything is used. */
const borrowRate = '0.05'
const loanToValue: { readonly [token in SpotToken]?: string } = { HYPE: '0.65', UBTC: '0.5' }

function reserve(venue: VenueReads, token: SpotToken): Json {
  const lent = venue.users().map((user) => venue.spotState(user).lent.get(token) ?? Decimal.zero)
  const supplied = wireNumber(sum(lent))
  return {
    borrowYearlyRate: borrowRate,
    supplyYearlyRate: '0.0',
    balance: supplied,
    utilization: '0.0',
    oraclePx: wireNumber(usdcValue(token, Decimal.one)),
    ltv: loanToValue[token] ?? '0.0',
    totalSupplied: supplied,
    totalBorrowed: '0.0',
  }
}

function reserveState(ask: Ask): Told {
  const index = readMillis(ask.request['token'])
  if (index === null || index === 'unfit') return 'unfit'
  const token = lendable.find((each) => spotTokens.indexOf(each) === index)
  return token === undefined ? 'failed' : told(reserve(ask.venue, token))
}

export const lendingInfo: { readonly [type: string]: InfoAnswer } = {
  borrowLendReserveState: reserveState,
  allBorrowLendReserveStates: ({ venue }) =>
    told(lendable.map((token) => [spotTokens.indexOf(token), reserve(venue, token)])),
  borrowLendUserState: ofUser((ask, user) => {
    const side = (amount: Decimal): Json => {
      return { basis: wireNumber(amount), value: wireNumber(amount) }
    }
    const { lent, borrowed } = ask.venue.spotState(user)
    const tokens = new Set<SpotToken>([...lent.keys(), ...(borrowed.isZero() ? [] : [usdc])])
    const states = [...tokens].map((token): Json => {
      const borrow = side(token === usdc ? borrowed : Decimal.zero)
      return [spotTokens.indexOf(token), { borrow, supply: side(lent.get(token) ?? Decimal.zero) }]
    })
    return told({ tokenToState: states, health: 'healthy', healthFactor: null })
  }),
  // What is supplied earns nothing, because nobody borrows it.
  userBorrowLendInterest: ofUser((ask) =>
    readRange(ask.request, true) === 'unfit' ? 'unfit' : told([]),
  ),
}
