import { Decimal } from '../../../src/core/values/decimal.ts'
import { crossWithin } from './accountMargin.ts'
import { dexNamed } from './dex/dexReads.ts'
import { addCash, dexPool, onDex } from './pools.ts'
import type { Account, World } from './world.ts'

/** Cuts the pools of an account as its mode and the readings of this venue want them. */
export function cutPools(world: World, account: Account): void {
  const isNeverSet = account.mode === 'disabled' && !account.isModeSet
  const shares = isNeverSet ? world.options.neverSetPools === 'shared' : account.mode !== 'disabled'
  if (shares === account.sharesPools) return
  if (shares) gather(world, account)
  else spread(world, account)
  account.sharesPools = shares
}

/** What lay on builder dexes joins the one balance of its token. */
function gather(world: World, account: Account): void {
  for (const [name, amount] of [...account.dexCash]) {
    const dex = dexNamed(world, name)
    if (dex !== null) addCash(account, dexPool({ sharesPools: true }, dex), amount)
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
    addCash(account, dexPool({ sharesPools: true }, dex), moved.negated())
  }
}

const cashScale = 6
