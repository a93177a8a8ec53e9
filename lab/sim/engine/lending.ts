import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { addLedger } from './money.ts'
import { spotTokens } from './spotPairs.ts'
import { replyDefault, replyError, texts } from './texts.ts'
import { addSpot, freeSpot } from './tokens.ts'
import type { SpotToken } from './spotPairs.ts'
import type { Account, World } from './world.ts'

/** Supplies a token of one's own for others to borrow, or takes it back; null is all of it. */
export function applyLending(
  world: World,
  account: Account,
  operation: 'supply' | 'withdraw' | 'borrow' | 'repay',
  tokenIndex: number,
  amount: Decimal | null,
): Json {
  const token = spotTokens[tokenIndex]
  if (token === undefined) return replyError(texts.badToken)
  if (operation === 'repay') return repay(world, account, token, amount)
  // Nobody borrows while the venue runs, and so what is supplied earns nothing.
  if (operation === 'borrow') return replyError(texts.noBorrowing)
  const lent = account.lent.get(token) ?? Decimal.zero
  const free = operation === 'supply' ? freeSpot(world, account, token) : lent
  const moved = amount ?? free
  if (!moved.isPositive() || free.lt(moved)) return replyError(texts.transfer)
  const change = operation === 'supply' ? moved : moved.negated()
  addSpot(account, token, change.negated())
  if (token === 'USDC') world.lentUsdc = world.lentUsdc.plus(change)
  const left = lent.plus(change)
  if (left.isZero()) account.lent.delete(token)
  else account.lent.set(token, left)
  addLedger(world, account, { type: 'borrowLend', token, operation, amount: moved })
  world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}

/** Pays back what the account owed when the venue began. */
function repay(world: World, account: Account, token: SpotToken, amount: Decimal | null): Json {
  const owed = token === 'USDC' ? account.borrowed : Decimal.zero
  const paid = amount ?? owed
  const isTooMuch = owed.lt(paid) || freeSpot(world, account, token).lt(paid)
  if (!paid.isPositive() || isTooMuch) return replyError(texts.transfer)
  account.borrowed = owed.minus(paid)
  addSpot(account, token, paid.negated())
  world.deposited = world.deposited.minus(paid)
  addLedger(world, account, { type: 'borrowLend', token, operation: 'repay', amount: paid })
  world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}
