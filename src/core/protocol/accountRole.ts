import type { Address } from '../values/address.ts'
import type { UserRole } from './decodeInfoAccount.ts'

/** What an account is, as far as it decides who trades it. */
export type AccountKind = 'own' | 'subAccount' | 'vault'

export type RoleVerdict =
  | { readonly ok: true; readonly kind: AccountKind }
  /** `fact` is what the venue says, `text` the same with what a person does about it. */
  | {
      readonly ok: false
      readonly fact: string
      readonly text: string
      /** What would make it right, where the venue tells. */
      readonly via: Address | null
    }

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
  const fact = `${account} is neither a sub-account nor a vault (the venue calls it "${role.role}")`
  return wrong(fact, '; leave venue.via out')
}

function judgeSub(master: Address, account: Address, via: Address | null): RoleVerdict {
  if (via === master) return { ok: true, kind: 'subAccount' }
  const advice =
    via === null ? `: set via = "${master}" below [venue]` : `, and venue.via is ${via}`
  return wrong(`${account} is a sub-account of ${master}`, advice, master)
}

function judgeVault(account: Address, via: Address | null, led: readonly Address[]): RoleVerdict {
  if (via === null) {
    const advice = ': set via = "0x.." below [venue], the address of its leader'
    return wrong(`${account} is a vault`, advice)
  }
  if (led.includes(account)) return { ok: true, kind: 'vault' }
  return wrong(`${account} is a vault that ${via} (venue.via) does not lead`, '')
}

function wrong(fact: string, advice: string, via: Address | null = null): RoleVerdict {
  return { ok: false, fact, text: `${fact}${advice}`, via }
}
