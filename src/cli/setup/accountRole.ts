import { judgeRole } from '../../core/protocol/accountRole.ts'
import type { AccountKind, RoleVerdict } from '../../core/protocol/accountRole.ts'
import { decodeLeadingVaults, decodeUserRole } from '../../core/protocol/decodeInfoAccount.ts'
import type { Address } from '../../core/values/address.ts'
import { ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import type { AskVenue } from './agentCheck.ts'
import { askInfo } from './askInfo.ts'

/** Asks the venue what `account` is, and whether `via` fits; an error where it could not be asked. */
export async function askRole(
  ask: AskVenue,
  account: Address,
  via: Address | null,
): Promise<Result<RoleVerdict>> {
  const answer = await ask({ type: 'userRole', user: account })
  const role = answer.ok ? decodeUserRole(answer.value) : answer
  if (!role.ok) return role
  if (role.value.role !== 'vault' || via === null) {
    return ok(judgeRole(role.value, account, via, []))
  }
  const told = await ask({ type: 'leadingVaults', user: via })
  const led = told.ok ? decodeLeadingVaults(told.value) : told
  return led.ok ? ok(judgeRole(role.value, account, via, led.value)) : led
}

/** Asks the venue at `url` for the account's role, and judges it as above. */
export async function askRoleAt(
  url: string,
  account: Address,
  via: Address | null,
  timeoutMs?: number,
): Promise<Result<RoleVerdict>> {
  const transport = createHttpTransport(url)
  try {
    return await askRole(askInfo(transport, timeoutMs), account, via)
  } finally {
    transport.close()
  }
}

/** Whose account it is, for a person. */
export function whoseAccount(kind: AccountKind, via: Address | null): string {
  switch (kind) {
    case 'own':
      return 'an account with a key of its own'
    case 'subAccount':
      return `a sub-account of ${via ?? ''}`
    case 'vault':
      return `a vault led by ${via ?? ''}`
  }
}
