import { decodeExtraAgents, decodeUserRole } from '../../core/protocol/decodeInfoAccount.ts'
import type { Json } from '../../core/protocol/action.ts'
import type { Address } from '../../core/values/address.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'

/** What the venue says of a key: an API wallet of the account, and until when where it tells. */
export interface AgentFacts {
  readonly name: string | null
  /** Null for the unnamed API wallet, whose end the venue does not show. */
  readonly validUntil: Millis | null
}

/** Why a key is not taken, in words that say what to do. */
export interface AgentProblem {
  readonly text: string
  /** The venue answered, and its answer is no; otherwise nobody knows yet. */
  readonly isRefused: boolean
}

export type AskVenue = (request: Json) => Promise<Result<Json>>

/**
 * Asks the venue whether `wallet` may trade for `account`, or for the owner of a sub-account or a
 * vault: its API wallets are its owner's.
 */
export async function checkAgent(
  ask: AskVenue,
  account: Address,
  wallet: Address,
): Promise<Result<AgentFacts, AgentProblem>> {
  if (wallet === account) {
    return no(
      `this is the account's own key (${account}); Guard takes an API wallet's key, which cannot withdraw. Make one on the venue's API page`,
    )
  }
  const answer = await ask({ type: 'userRole', user: wallet })
  const role = answer.ok ? decodeUserRole(answer.value) : answer
  if (!role.ok) {
    const text = `the venue could not be asked about ${wallet}: ${role.error}`
    return err({ text, isRefused: false })
  }
  if (role.value.role !== 'agent') {
    return no(
      `${wallet} is not an API wallet of ${account} (the venue calls it "${role.value.role}"). Approve it on the venue's API page, then run this again`,
    )
  }
  if (role.value.user !== account) {
    return no(`${wallet} is an API wallet of ${role.value.user}, not of ${account}`)
  }
  return ok(await nameAndEnd(ask, account, wallet))
}

function no(text: string): Result<never, AgentProblem> {
  return err({ text, isRefused: true })
}

async function nameAndEnd(ask: AskVenue, account: Address, wallet: Address): Promise<AgentFacts> {
  const answer = await ask({ type: 'extraAgents', user: account })
  const agents = answer.ok ? decodeExtraAgents(answer.value) : answer
  const own = agents.ok ? agents.value.find((each) => each.address === wallet) : undefined
  return { name: own?.name ?? null, validUntil: own?.validUntil ?? null }
}
