import { isObject } from '../../src/core/protocol/fields.ts'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Breach, NotHere, breach } from './breach.ts'
import type { Attack } from './attack.ts'
import { attacks } from './attackList.ts'
import { Attacker } from './attacker.ts'
import type { AttackerOptions, VenueEntry } from './attacker.ts'
import { fieldsOf } from './held.ts'
import { MemoryWatch } from './memoryWatch.ts'
import { flat } from './positions.ts'

export type Outcome = 'held' | 'got_through' | 'unclear' | 'skipped'

export interface AttackResult {
  readonly group: string
  readonly name: string
  readonly tries: string
  readonly outcome: Outcome
  /** How it was held, what got through, or why nobody can tell. */
  readonly how: string
  readonly ms: number
  /** The most memory that Guard used meanwhile, in bytes; null where it does not say. */
  readonly peak_bytes: number | null
}

export interface RedteamReport {
  readonly results: readonly AttackResult[]
  readonly counts: { readonly [Each in Outcome]: number }
}

interface RedteamOptions extends AttackerOptions {
  /** A part of a name or a group; everything without it. */
  readonly only?: string
  /** Also pulls the kill switch, last. A person has to release it afterwards. */
  readonly withKill: boolean
  /** An attack that has Guard use more memory than this, in bytes, got through; no bound without it. */
  readonly memoryBytesMax?: number
  readonly onResult?: (result: AttackResult) => void
}

/** Why an attack run is refused before it starts. */
export class RefusedTarget extends Error {}

/** Attacks a running Guard, one attack after the other. */
export async function runRedteam(options: RedteamOptions): Promise<RedteamReport> {
  const attacker = new Attacker(options)
  const status = await readTarget(attacker)
  await attacker.lookAround()
  const results: AttackResult[] = []
  const pens = [options.pen, ...(options.morePens ?? [])]
  const memory = new MemoryWatch(attacker)
  for (const [turn, attack] of chosen(options).entries()) {
    attacker.pen = pens[turn % pens.length] ?? options.pen
    const skip = whyNot(attack, attacker, status)
    const started = performance.now()
    const carried =
      skip === null ? await carryOut(attack, attacker) : { outcome: 'skipped' as const, how: skip }
    const { group, name, tries } = attack
    const ms = Math.round(performance.now() - started)
    const peak_bytes = await memory.take()
    const { outcome, how } = withinMemory(carried, peak_bytes, options.memoryBytesMax)
    const result: AttackResult = { group, name, tries, outcome, how, ms, peak_bytes }
    results.push(result)
    options.onResult?.(result)
  }
  memory.end()
  if (whyNotTrading(attacker, status) === null && !(await attacker.isLatched())) {
    await flat(attacker).catch(() => undefined)
  }
  return countedReport(results)
}

/** The results with how many of them held, got through, were unclear or skipped. */
export function countedReport(results: readonly AttackResult[]): RedteamReport {
  const count = (outcome: Outcome): number =>
    results.filter((each) => each.outcome === outcome).length
  const counts = {
    held: count('held'),
    got_through: count('got_through'),
    unclear: count('unclear'),
    skipped: count('skipped'),
  }
  return { results, counts }
}

/** The real exchange is no place to try things. */
export async function readTarget(attacker: Attacker): Promise<JsonObject> {
  const status = await attacker.get('/guard/status')
  if (!isObject(status)) throw new RefusedTarget('it answers, but not like a Guard')
  if (status['mode'] !== 'testnet' && status['mode'] !== 'paper') {
    throw new RefusedTarget(`this Guard runs in ${String(status['mode'])} mode`)
  }
  if (status['network'] !== 'testnet') {
    throw new RefusedTarget(`this Guard is connected to ${String(status['network'])}`)
  }
  return status
}

function chosen({ only, withKill }: RedteamOptions): readonly Attack[] {
  return attacks
    .filter(({ group }) => withKill || group !== 'latch')
    .filter(({ group, name }) => only === undefined || `${group} ${name}`.includes(only))
}

function whyNot(attack: Attack, attacker: Attacker, status: JsonObject): string | null {
  return attack.needsTrading === true ? whyNotTrading(attacker, status) : null
}

function whyNotTrading(attacker: Attacker, status: JsonObject): string | null {
  if (status['mode'] === 'paper') return 'paper mode sends nothing'
  if (fieldsOf(status['kill'] ?? null)['latched'] === true) return 'the kill switch is latched'
  const { state } = fieldsOf(status['risk'] ?? null)
  if (state !== 'active') return `the risk engine is ${String(state)}`
  if (!attacker.equity.isPositive()) return 'the account is empty'
  return attacker.field === null ? 'there is no market with a price' : null
}

/** What took more memory than it may has got through, however it was answered. */
function withinMemory(
  carried: { readonly outcome: Outcome; readonly how: string },
  peakBytes: number | null,
  bytesMax: number | undefined,
): { readonly outcome: Outcome; readonly how: string } {
  if (peakBytes === null || bytesMax === undefined || peakBytes < bytesMax) return carried
  const [peak, most] = [peakBytes, bytesMax].map((bytes) => Math.ceil(bytes / 1_048_576))
  const how = `Guard used ${String(peak)} MiB of memory, at most ${String(most)} are allowed`
  return { outcome: 'got_through', how: `${how} (${carried.how})` }
}

async function carryOut(
  attack: Attack,
  attacker: Attacker,
): Promise<{ outcome: Outcome; how: string }> {
  try {
    await attacker.venueLog()
    const how = await attack.run(attacker)
    checkVenue(attack, attacker, await attacker.venueLog())
    const alive = await attacker.ask('/healthz')
    if (alive.status !== 200) breach(`Guard is not well afterwards: HTTP ${alive.status}`)
    return { outcome: 'held', how }
  } catch (error) {
    const how = error instanceof Error ? error.message : String(error)
    if (error instanceof Breach) return { outcome: 'got_through', how }
    return { outcome: error instanceof NotHere ? 'skipped' : 'unclear', how }
  }
}

const forwardable = new Set([
  'order',
  'cancel',
  'cancelByCloid',
  'modify',
  'batchModify',
  'updateLeverage',
  'updateIsolatedMargin',
  'scheduleCancel',
])
const guardStopOrClose = /^0x67756172(01|03)/

/** The venue's own log has the last word: what should not have reached it did not. */
function checkVenue(attack: Attack, attacker: Attacker, log: readonly VenueEntry[]): void {
  for (const { action } of log) {
    const fields = fieldsOf(action)
    const type = String(fields['type'])
    if (!forwardable.has(type)) breach(`${type} reached the venue`)
    const orders = Array.isArray(fields['orders'])
      ? (fields['orders'] as readonly JsonObject[])
      : []
    const isAllowed = (asset: unknown): boolean => attacker.allowedAssets.has(Number(asset))
    if (orders.some((each) => each['r'] !== true && !isAllowed(each['a']))) {
      breach('an order in a market that is not allowed reached the venue')
    }
    const isGuards =
      orders.length > 0 && orders.every((each) => guardStopOrClose.test(String(each['c'])))
    if (attack.venue === 'nothing' && !isGuards)
      breach(`it reached the venue: ${JSON.stringify(action).slice(0, 160)}`)
  }
}
