import type { Address } from '../../core/values/address.ts'
import type { Result } from '../../core/values/result.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { failed, refused } from '../cliError.ts'
import { checkAgent } from './agentCheck.ts'
import type { AgentFacts, AgentProblem } from './agentCheck.ts'
import { askInfo } from './askInfo.ts'

/** Asks the venue at `url` whether `wallet` may trade for `account`; see `checkAgent`. */
export async function askAgent(
  url: string,
  account: Address,
  wallet: Address,
): Promise<Result<AgentFacts, AgentProblem>> {
  const transport = createHttpTransport(url)
  try {
    return await checkAgent(askInfo(transport), account, wallet)
  } finally {
    transport.close()
  }
}

/** The same, for a key that is not taken without the venue's yes. */
export async function approvedAgent(
  url: string,
  account: Address,
  wallet: Address,
): Promise<AgentFacts> {
  const agent = await askAgent(url, account, wallet)
  if (agent.ok) return agent.value
  const { text, isRefused } = agent.error
  throw (isRefused ? refused : failed)(`the key was not taken: ${text}`)
}
