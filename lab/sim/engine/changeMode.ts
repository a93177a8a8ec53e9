import { Decimal } from '../../../src/core/values/decimal.ts'
import { crossWithin } from './accountMargin.ts'
import { dexNamed } from './dex/dexReads.ts'
import { addCash, dexPool, onDex } from './pools.ts'
import type { SettableMode } from './venueAction.ts'
import type { Account, World } from './world.ts'

/** Cuts the pools of an account anew; its total stays, and all USDC is margin afterwards. */
export function changeMode(world: World, account: Account, mode: SettableMode): void {
  account.cash = account.cash.plus(account.spotCash)
  account.spotCash = Decimal.zero
  if (account.mode === 'disabled') gather(world, account, mode)
  else if (mode === 'disabled') spread(world, account)
  account.mode = mode
  account.isModeSet = true
  world.events.push({ kind: 'account', user: account.address })
}

/** What lay on builder dexes joins the one balance of its token. */
function gather(world: World, account: Account, mode: SettableMode): void {
  if (mode === 'disabled') return
  for (const [name, amount] of [...account.dexCash]) {
    const dex = dexNamed(world, name)
    if (dex !== null) addCash(account, dexPool({ mode }, dex), amount)
  }
  account.dexCash.clear()
}

/** Each builder dex gets the margin of the cross positions there, and no more. */
function spread(world: World, account: Account): void {
  for (const dex of world.dexes) {
    if (dex === null) continue
    const { value, initial } = crossWithin(account, onDex(dex.name), Decimal.zero)
    const moved = initial.rounded(cashScale, 'up').minus(value)
    if (moved.isZero()) continue
    addCash(account, dex.name, moved)
    if (dex.collateral === 'USDC') account.cash = account.cash.minus(moved)
    else addCash(account, dex.collateral, moved.negated())
  }
}

const cashScale = 6
