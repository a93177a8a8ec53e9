import { parseAddress } from '../../src/core/values/address.ts'
import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { err, ok } from '../../src/core/values/result.ts'
import type { Result } from '../../src/core/values/result.ts'
import type { StartAccount } from './front/options.ts'

/** Reads `ADDRESS:USDC` or `ADDRESS:USDC:AGENT`, an account the first world has. */
export function parseStartAccount(text: string): Result<StartAccount> {
  const [owner, usdc, ...agents] = text.split(':')
  const address = parseAddress(owner)
  if (!address.ok) return err(`an account's address ${address.error}, got "${owner ?? ''}"`)
  const equity = Decimal.parse(usdc)
  if (!equity.ok || !equity.value.isPositive()) {
    return err(`an account's USDC must be a positive decimal, got "${usdc ?? ''}"`)
  }
  const read: Address[] = []
  for (const each of agents) {
    const agent = parseAddress(each)
    if (!agent.ok) return err(`an agent's address ${agent.error}, got "${each}"`)
    read.push(agent.value)
  }
  return ok({ address: address.value, equity: equity.value, agents: read })
}
