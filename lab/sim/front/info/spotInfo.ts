import type { Json } from '../../../../src/core/protocol/action.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { spotPairs, spotTokens, tokenDecimals, usdcValue } from '../../engine/spotPairs.ts'
import type { SpotToken } from '../../engine/spotPairs.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { told } from './ask.ts'
import type { SpotPairView } from '../../engine/spot/spotViews.ts'
import type { Ask, Told } from './ask.ts'

/** The spot pairs as the venue lists them, each with a context. */

interface TokenFacts {
  readonly weiDecimals: number
  readonly id: string
}

const facts = (weiDecimals: number, id: string): TokenFacts => ({ weiDecimals, id })

/** The ids are those of testnet. */
const tokens: { readonly [name in SpotToken]: TokenFacts } = {
  USDC: facts(8, '0xeb62eee3685fc4c43992febcd9e75443'),
  PURR: facts(5, '0xc4bf3f870c0e9465323c0b6ed28096c2'),
  HYPE: facts(8, '0x7317beb7cceed72ef0b346074cc8e7ab'),
  USDT0: facts(8, '0x25faedc3f054130dbb4e4203aca63567'),
  UBTC: facts(10, '0x8f254b963e8468305d409b33aa137c67'),
  UETH: facts(9, '0x3d8a82efa63e86d54a1922c2afdac61e'),
}
const supply = '596721500.0'

export const spotMeta: Json = {
  universe: spotPairs.map(({ name, index, base, quote }) => ({
    tokens: [spotTokens.indexOf(base), spotTokens.indexOf(quote)],
    name,
    index,
    isCanonical: index === 0,
  })),
  tokens: spotTokens.map((name, index) => ({
    name,
    szDecimals: tokenDecimals[name],
    weiDecimals: tokens[name].weiDecimals,
    index,
    tokenId: tokens[name].id,
    isCanonical: true,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: '0.0',
  })),
}

/** What a pair is shown at, and what was traded of it in a day. */
export function spotContext(view: SpotPairView): { readonly [key: string]: Json } {
  const text = wireNumber(view.price)
  return {
    prevDayPx: wireNumber(view.prevDayPrice),
    dayNtlVlm: wireNumber(view.notional),
    markPx: text,
    midPx: text,
    circulatingSupply: supply,
    coin: view.pair.name,
    totalSupply: supply,
    dayBaseVlm: wireNumber(view.base),
  }
}

export function spotContexts(venue: VenueReads): Json {
  return venue.spotPairs().map(spotContext)
}

export function tokenDetails(ask: Ask): Told {
  const id = ask.request['tokenId']
  if (typeof id !== 'string') return 'unfit'
  const name = spotTokens.find((each) => tokens[each].id === id.toLowerCase())
  if (name === undefined) return 'failed'
  const price = wireNumber(usdcValue(name, Decimal.one))
  return told({
    name,
    maxSupply: supply,
    totalSupply: supply,
    circulatingSupply: supply,
    szDecimals: tokenDecimals[name],
    weiDecimals: tokens[name].weiDecimals,
    midPx: price,
    markPx: price,
    prevDayPx: price,
    genesis: null,
    deployer: null,
    deployGas: null,
    deployTime: null,
    seededUsdc: '0.0',
    nonCirculatingUserBalances: [],
    futureEmissions: '0.0',
  })
}
