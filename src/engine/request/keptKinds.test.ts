import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { Account } from '../../core/account/account.ts'
import { AccountWithRequest } from '../../core/judge/accountWithRequest.ts'
import { OrderIds } from '../../core/judge/orderIds.ts'
import { Fields } from '../../core/protocol/fields.ts'
import { guardCloidTailBytes, makeGuardCloid } from '../../core/protocol/guardCloid.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { recordReads } from './recordedView.ts'

setFlagsFromString('--allow-natives-syntax')
/** Whether V8 takes both for the same kind of object; only it can tell. */
const isSameKind = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean
setFlagsFromString('--no-allow-natives-syntax')

/** What is kept is only made; it serves no purpose once a used one is of another kind. */
interface Kind {
  readonly name: string
  readonly make: () => object
  readonly use: (each: never) => unknown
}

const mint = () => makeGuardCloid('order', new Uint8Array(guardCloidTailBytes))
const one = Decimal.one
const entry = {
  ...{ coin: coin('BTC'), isBuy: true, size: one, price: one, stop: one },
  ...{ orderCount: 2, margin: { type: 'isolated' as const, value: 3 }, watched: null },
  watched: null,
}
const kinds: readonly Kind[] = [
  { name: 'fields', make: () => new Fields(), use: (each: Fields) => each.object(7, 'a', []) },
  {
    name: 'ids',
    make: () => new OrderIds(mint, () => null),
    use: (each: OrderIds) => each.of(null, ''),
  },
  {
    name: 'draft',
    make: () => new AccountWithRequest(new Account()),
    use: (each: AccountWithRequest) => {
      each.add(entry, one)
      return each.openRisk
    },
  },
  {
    name: 'view',
    make: () => recordReads(new Account()).view,
    use: (each: Account) => each.exposure(),
  },
]

test.each(kinds)('$name: one that was used is of the kind that is kept', ({ make, use }) => {
  const [made, used] = [make(), make()]
  use(used as never)
  expect(isSameKind(made, used)).toBe(true)
  expect(isSameKind(made, {})).toBe(false)
})
