import type { Account } from '../../src/core/account/account.ts'
import type { Guard } from '../../src/engine/guard.ts'

/** The account as a running Guard keeps it, which nothing outside can ask for. */
export function accountInside(guard: Guard): Account {
  return (guard as unknown as { readonly shared: { readonly account: Account } }).shared.account
}
