import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Address } from '../../../src/core/values/address.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { cancelEverything } from './cancelAction.ts'
import { subAccountsOf } from './subAccounts.ts'
import { agentLimitText, replyDefault, replyError, texts } from './texts.ts'
import { endTwapsAfter } from './twaps.ts'
import type { AgentView } from './views.ts'
import type { Account, World } from './world.ts'

const dayMs = 86_400_000
const lifeMs = 90 * dayMs
const lifeMsMax = 180 * dayMs
const removalMs = 5000
const namedMax = 3
const perSub = 2
/** Another named agent for each so much volume: three at none, a fourth at 101,000 were seen. */
const volumePerAgent = Decimal.of('100000')
const nobody = '0x0000000000000000000000000000000000000000'
const namePattern = /^(.*?)(?: valid_until (\d+))?$/

/** Approves an agent: the same name replaces, address zero removes. */
export function applyAgent(
  world: World,
  account: Account,
  agent: Address,
  nameText: string | null,
): Json {
  if (world.nowMs < account.agentRemovalUntil) return replyError(texts.agentPending)
  const [, name = '', until] = namePattern.exec(nameText ?? '') ?? []
  const validUntil = until === undefined ? world.nowMs + lifeMs : Number(until)
  if (validUntil <= world.nowMs || validUntil > world.nowMs + lifeMsMax) {
    return replyError(texts.agentExpired)
  }
  if (agent === nobody) return removeAgent(world, account, name)
  if (world.agentOf.has(agent) || world.accounts.has(agent)) return replyError(texts.agentUsed)
  const most = agentsMax(world, account)
  const others = account.agents.filter((each) => each.name !== name)
  if (name !== '' && others.filter((each) => each.name !== '').length >= most) {
    return replyError(agentLimitText(most))
  }
  dropAgents(world, account, name)
  addAgent(world, account, { address: agent, name, validUntil })
  return replyDefault
}

/** How many named agents the account may have: more for what it traded, and for its sub-accounts. */
function agentsMax(world: World, account: Account): number {
  const traded = Number(account.volume.over(volumePerAgent, 0, 'down').units)
  return namedMax + traded + perSub * subAccountsOf(world, account.address).length
}

export function addAgent(world: World, account: Account, agent: AgentView): void {
  account.agents.push(agent)
  world.agentOf.set(agent.address, account)
}

/** When an agent made by a reset ends. */
export function agentEnd(nowMs: number): number {
  return nowMs + lifeMs
}

function removeAgent(world: World, account: Account, name: string): Json {
  dropAgents(world, account, name)
  account.agentRemovalUntil = world.nowMs + removalMs
  if (world.options.ordersAfterAgentRemoval === 'cancel') {
    cancelEverything(world, account, 'canceled')
  }
  endTwapsAfter(world, account, 'agentRemoval')
  return replyDefault
}

function dropAgents(world: World, account: Account, name: string): void {
  for (const each of account.agents) if (each.name === name) world.agentOf.delete(each.address)
  account.agents = account.agents.filter((each) => each.name !== name)
}
