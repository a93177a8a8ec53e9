import type { JsonObject } from '../../core/protocol/action.ts'
import { decodeKill } from '../../core/protocol/decodeEnvelope.ts'
import { limits } from '../../core/values/limits.ts'
import { nobody } from './authenticate.ts'
import type { Asker, Authenticator } from './authenticate.ts'
import type { Reply } from '../guard.ts'
import type { Latch } from '../watch/latch.ts'
import type { Clock } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { RefusalLimits } from './refusalLimits.ts'
import type { StepLog } from '../send/stepLog.ts'
import { vetoReply } from './replyToBot.ts'

interface KillRequestDeps {
  readonly clock: Clock
  readonly authenticator: Authenticator
  readonly latch: Latch
  readonly recorder: Recorder
  readonly refusals: RefusalLimits
}

/** A kill request that was too long to be read at all. */
export function refuseOverlongKill(deps: KillRequestDeps, steps: StepLog): Reply {
  const text = `the body must have at most ${limits.bodyBytesMax} bytes`
  const reply = refuse(deps, steps, nobody, 'malformed', text)
  return reply.status === 429 ? reply : { ...reply, status: 413 }
}

/** `POST /guard/kill`: signed like an exchange action, and all it can do is pull. */
export async function handleKillRequest(
  deps: KillRequestDeps,
  body: Uint8Array,
  steps: StepLog,
): Promise<Reply> {
  const { latch } = deps
  const authenticated = deps.authenticator.authenticate(body)
  if (!authenticated.ok) {
    return refuse(deps, steps, authenticated.asker, authenticated.code, authenticated.text)
  }
  const { asker, envelope } = authenticated
  const decoded = decodeKill(envelope.action)
  if (!decoded.ok) return refuse(deps, steps, asker, 'malformed', decoded.error.join('; '))
  if (envelope.vaultAddress !== null) {
    return refuse(deps, steps, asker, 'vault', 'a kill request names no vaultAddress')
  }
  const pulled = await latch.pull(`${decoded.value.reason} (client ${asker.client ?? ''})`)
  const { reason, at, already, durable, flattenSeq } = pulled
  steps.say('kill request', { client: asker.client, reason, already, durable, flatten: flattenSeq })
  const killed = { reason, at_ms: at, already, durable }
  const flatten = flattenSeq === null ? null : { seq: flattenSeq }
  const reply: JsonObject = { status: 'ok', killed, flatten }
  return { status: 200, body: reply }
}

function refuse(
  deps: KillRequestDeps,
  steps: StepLog,
  asker: Asker,
  code: string,
  text: string,
): Reply {
  const { clock, refusals, recorder, authenticator } = deps
  const { client } = asker
  if (!refusals.admit(client, { now: clock.now(), monotonicMs: clock.monotonicMs() })) {
    authenticator.forget(asker)
    return { status: 429, body: null }
  }
  const who = client === null ? 'without a client' : `of client ${client}`
  const said = `a kill request ${who} was refused [${code}]: ${text}`
  steps.say('kill request refused', { client, code })
  const appended = recorder.record({ kind: 'error', text: said }, 'now')
  refusals.recorded(client, appended?.bytes ?? 0)
  return { status: 200, body: vetoReply(code, text) }
}
