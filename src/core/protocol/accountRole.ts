import type { Address } from '../values/address.ts'
import type { UserRole } from './decodeInfoAccount.ts'

/** What an account is, as far as it decides who trades it. */
export type AccountKind = 'own' | 'subAccount' | 'vault'

export type RoleVerdict =
  | { readonly ok: true; readonly kind: AccountKind }
  /** `via` is what would make it right, where the venue tells. */
  | { readonly ok: false; readonly text: string; readonly via: Address | null }

/**
 * Whether `via` fits what the venue says of `account`. A sub-account or a vault has no key: without
 * `via` Guard would read it and trade its owner's account. `led` are the vaults that `via` leads.
 */
export function judgeRole(
  role: UserRole,
  account: Address,
  via: Address | null,
  led: readonly Address[],
): RoleVerdict {
  if (role.role === 'subAccount') return judgeSub(role.master, account, via)
  if (role.role === 'vault') return judgeVault(account, via, led)
  if (via === null) return { ok: true, kind: 'own' }
  const text = `${account} is neither a sub-account nor a vault (the venue calls it "${role.role}"); leave venue.via out`
  return { ok: false, text, via: null }
}

function judgeSub(master: Address, account: Address, via: Address | null): RoleVerdict {
  if (via === master) return { ok: true, kind: 'subAccount' }
  const text =
    via === null
      ? `${account} is a sub-account of ${master}: set via = "${master}" below [venue]`
      : `${account} is a sub-account of ${master}, and venue.via is ${via}`
  return { ok: false, text, via: master }
}

function judgeVault(account: Address, via: Address | null, led: readonly Address[]): RoleVerdict {
  if (via !== null && led.includes(account)) return { ok: true, kind: 'vault' }
  const text =
    via === null
      ? `${account} is a vault: set via = "0x.." below [venue], the address of its leader`
      : `${account} is a vault that ${via} (venue.via) does not lead`
  return { ok: false, text, via: null }
}
