import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import { breach } from './breach.ts'
import type { Attacker } from './attacker.ts'
import type { Answer } from './talk.ts'

/** How an answer shows that an attack was held; each throws a breach when it does not. */

const shown = (value: Json): string => JSON.stringify(value).slice(0, 200)

export function fieldsOf(value: Json): JsonObject {
  return isObject(value) ? value : {}
}

/** A veto of Guard's own, for one of these reasons. */
export function vetoed(body: Json, ...codes: readonly string[]): string {
  const { status, code, verdict } = fieldsOf(body)
  if (status !== 'err' || verdict !== 'veto' || typeof code !== 'string') {
    return breach(`no veto but ${shown(body)}`)
  }
  return codes.includes(code) ? code : `${code} (${codes.join(' or ')} was expected)`
}

/** Refused by HTTP itself: one of these statuses. */
export function turnedAway({ status, json, text }: Answer, ...statuses: readonly number[]): string {
  if (!statuses.includes(status)) return breach(`HTTP ${status}: ${text.slice(0, 160)}`)
  const error = fieldsOf(fieldsOf(json)['error'] ?? null)
  return `HTTP ${status}${typeof error['code'] === 'string' ? ` ${error['code']}` : ''}`
}

/** The status line of a raw answer. */
export function rawStatus(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
}

/**
 * The decision is on record: one veto by that nonce, and nothing sent for it. A veto waits for a
 * slow disk only so long, and may be answered before its record can be read.
 */
export async function onRecord(attacker: Attacker, nonce: number): Promise<void> {
  let found: JsonObject = {}
  await eventually(async () => {
    found = fieldsOf((await attacker.ask(`/guard/decision?nonce=${nonce}`)).json)
    return isObject(found['decision'])
  })
  const decision = fieldsOf(found['decision'] ?? null)
  if (decision['verdict'] !== 'veto') breach(`no veto is on record for nonce ${nonce}`)
  if (!Array.isArray(found['sent']) || found['sent'].length > 0) {
    breach(`something was sent for nonce ${nonce}`)
  }
}

/** Sends it over HTTP and, signed anew, over a socket: both must be refused. */
export async function vetoedBothWays(
  attacker: Attacker,
  action: Json,
  ...codes: readonly string[]
): Promise<string> {
  const request = attacker.sign(action)
  const how = vetoed((await attacker.exchange(request)).json, ...codes)
  await onRecord(attacker, request.nonce)
  const again = vetoed(await attacker.overSocket(attacker.sign(action)), ...codes)
  return how === again ? how : `${how}, over the socket ${again}`
}

/** The events after that number, once there is one: a record may come after its answer. */
export async function eventsOnceTold(
  attacker: Attacker,
  after: number,
): Promise<readonly JsonObject[]> {
  let told: readonly JsonObject[] = []
  await eventually(async () => {
    told = await attacker.events(after)
    return told.length > 0
  })
  return told
}

/** Waits until it holds, by looking again. */
export async function eventually(
  condition: () => Promise<boolean>,
  waitMs = 6_000,
): Promise<boolean> {
  const giveUp = Date.now() + waitMs
  for (;;) {
    if (await condition()) return true
    if (Date.now() > giveUp) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
