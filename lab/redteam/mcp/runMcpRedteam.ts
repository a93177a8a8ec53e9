import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { Attacker } from '../attacker.ts'
import type { AttackerOptions, VenueEntry } from '../attacker.ts'
import { Breach, NotHere, breach } from '../breach.ts'
import { countedReport, readTarget } from '../runRedteam.ts'
import type { AttackResult, Outcome, RedteamReport } from '../runRedteam.ts'
import { AgentLine } from './agentLine.ts'
import { argumentAttacks, schemaAttacks } from './attacksByArguments.ts'
import { conductAttacks } from './attacksByConduct.ts'
import { textAttacks } from './attacksByText.ts'
import type { McpAttack, McpGround } from './mcpAttack.ts'

export const mcpAttacks: readonly McpAttack[] = [
  ...textAttacks,
  ...argumentAttacks,
  ...schemaAttacks,
  ...conductAttacks,
]

interface McpRedteamOptions extends AttackerOptions {
  /** Where the servers for agents listen: with the client key, and with a key that is no client's. */
  readonly servers: { readonly own: string; readonly stranger: string }
  readonly token: string
  /** What must never be heard, such as keys in hex. */
  readonly secrets: readonly string[]
  readonly only?: string
  readonly onResult?: (result: AttackResult) => void
}

/** Attacks a running Guard through its server for agents, one attack after the other. */
export async function runMcpRedteam(options: McpRedteamOptions): Promise<RedteamReport> {
  const attacker = new Attacker(options)
  await readTarget(attacker)
  await attacker.lookAround()
  const line = new AgentLine(options.servers.own, options.token)
  const stranger = new AgentLine(options.servers.stranger, options.token)
  await line.open()
  await stranger.open()
  const ground = { line, stranger, attacker }
  const before = await standing(attacker)
  const results: AttackResult[] = []
  for (const attack of mcpAttacks) {
    const { group, name, tries } = attack
    if (options.only !== undefined && !`${group} ${name}`.includes(options.only)) continue
    const started = performance.now()
    const { outcome, how } = await carryOut(attack, ground, before, options.secrets)
    const ms = Math.round(performance.now() - started)
    const result = { group, name, tries, outcome, how, ms, peak_bytes: null }
    results.push(result)
    options.onResult?.(result)
  }
  await line.call('close_position', { coin: 'ETH' })
  return countedReport(results)
}

async function carryOut(
  attack: McpAttack,
  ground: McpGround,
  before: string,
  secrets: readonly string[],
): Promise<{ outcome: Outcome; how: string }> {
  const { attacker, line, stranger } = ground
  try {
    const since = await attacker.lastSeq()
    await attacker.venueLog()
    line.takeHeard()
    stranger.takeHeard()
    const how = await attack.run(ground)
    const heard = [...line.takeHeard(), ...stranger.takeHeard()].join('\n').toLowerCase()
    if (secrets.some((secret) => heard.includes(secret.toLowerCase()))) breach('a secret was told')
    if ((await standing(attacker)) !== before) breach('the latch, the rules or the clients changed')
    checkVenue(attack, await attacker.venueLog(), await attacker.events(since))
    return { outcome: 'held', how }
  } catch (error) {
    const how = error instanceof Error ? error.message : String(error)
    if (error instanceof Breach) return { outcome: 'got_through', how }
    return { outcome: error instanceof NotHere ? 'skipped' : 'unclear', how }
  }
}

/** What no agent may change: the latch, the rules, the clients, the mode. */
async function standing(attacker: Attacker): Promise<string> {
  const { kill, rules, clients, mode, account } = await attacker.status()
  const latched = isObject(kill) ? kill['latched'] : null
  return JSON.stringify([
    latched ?? null,
    rules ?? null,
    clients ?? null,
    mode ?? null,
    account ?? null,
  ])
}

/** The venue's own log has the last word: it holds what Guard decided on, and nothing else. */
function checkVenue(
  { venue }: McpAttack,
  log: readonly VenueEntry[],
  events: readonly JsonObject[],
): void {
  const decided = new Set(events.flatMap(actionsIn).map((action) => JSON.stringify(action)))
  for (const { action } of log) {
    const shown = JSON.stringify(action)
    if (!decided.has(shown)) breach(`this reached the venue undecided: ${shown.slice(0, 160)}`)
    if (venue === 'nothing') breach(`this reached the venue: ${shown.slice(0, 160)}`)
  }
}

function actionsIn(event: JsonObject): readonly Json[] {
  const list = (value: Json | undefined): readonly Json[] =>
    Array.isArray(value) ? (value as readonly Json[]) : []
  const { pre, forward, forward_more: more, post, actions } = event
  return [...list(pre), forward ?? null, ...list(more), ...list(post), ...list(actions)]
}
