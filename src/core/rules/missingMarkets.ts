import type { Coin } from '../values/coin.ts'
import { dexOf } from './marketNames.ts'
import type { RuleBook } from './ruleBook.ts'

/** The markets that rules name one by one, each with the places that name it, for people. */
export function namedMarkets({ rules, markets, clients }: RuleBook): ReadonlyMap<Coin, string> {
  const named = new Map<Coin, string>()
  const note = (names: Iterable<string>, placeOf: (name: string) => string): void => {
    for (const name of names) {
      if (name.endsWith('*')) continue
      const before = named.get(name as Coin)
      const place = placeOf(name)
      named.set(name as Coin, before === undefined ? place : `${before}, ${place}`)
    }
  }
  note(rules.markets, () => 'markets')
  note(markets.keys(), (name) => `[market.${name}]`)
  for (const [client, { markets: own = [] }] of clients) {
    note(own, () => `[client.${client}]`)
  }
  return named
}

/** What is told of builder dexes that the rules name and nobody can trade on, with the reason. */
export function missingDexesText(
  names: readonly string[],
  why = 'the venue has no such dex',
): string {
  return `\`markets\` names ${names.join(', ')}, and nothing is traded there: ${why}`
}

interface MissingMarket {
  readonly coin: Coin
  readonly text: string
}

/** Those of them that the venue does not have; of a dex (empty: the main one) that is not told nothing is said. */
export function missingMarkets(
  named: ReadonlyMap<Coin, string>,
  known: ReadonlyMap<Coin, unknown>,
  isTold: (dex: string) => boolean,
): readonly MissingMarket[] {
  return [...named].flatMap(([coin, places]) => {
    if (known.has(coin) || !isTold(dexOf(coin) ?? '')) return []
    const near = nearestNames(coin, known.keys())
    const hint = near.length === 0 ? '' : `; nearest: ${near.join(', ')}`
    return {
      coin,
      text: `${places}: the venue has no ${coin}, so this protects nothing${hint}`,
    }
  })
}

/** The names that a slip of the pen may have made this one of, the most alike first; at most three. */
function nearestNames(name: Coin, known: Iterable<Coin>): readonly Coin[] {
  const bare = bareName(name)
  const alike: { readonly coin: Coin; readonly far: number }[] = []
  for (const coin of known) {
    const far = lettersApart(bare, bareName(coin))
    // The same dex comes first, but its letters count only half: somebody may have left them out.
    const elsewhere = dexOf(coin) === dexOf(name) ? 0 : 0.5
    if (far * 2 <= bare.length) alike.push({ coin, far: far + elsewhere })
  }
  alike.sort((one, other) => one.far - other.far || (one.coin < other.coin ? -1 : 1))
  return alike.slice(0, 3).map(({ coin }) => coin)
}

function bareName(coin: Coin): string {
  return coin.slice(coin.indexOf(':') + 1).toUpperCase()
}

/** How many letters must be put in, taken out or changed to make one name of the other. */
function lettersApart(one: string, other: string): number {
  let row = [...other, ''].map((_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    let last = at + 1
    const next = [last]
    for (const [to, each] of [...other].entries()) {
      const kept = (row[to] as number) + (letter === each ? 0 : 1)
      last = Math.min(last + 1, (row[to + 1] as number) + 1, kept)
      next.push(last)
    }
    row = next
  }
  return row.at(-1) as number
}
