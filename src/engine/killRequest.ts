import type { JsonObject } from '../core/protocol/action.ts'
import { decodeKill } from '../core/protocol/decodeEnvelope.ts'
import type { Authenticator } from './authenticate.ts'
import type { Reply } from './guard.ts'
import type { Latch } from './latch.ts'
import type { Clock } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { RefusalShed } from './refusalShed.ts'
import type { Steps } from './steps.ts'
import { vetoReply } from './replyToBot.ts'

export interface KillRequestDeps {
  readonly clock: Clock
  readonly authenticator: Authenticator
  readonly latch: Latch
  readonly recorder: Recorder
  readonly shed: RefusalShed
}

/** `POST /guard/kill`: signed like an exchange action, and all it can do is pull. */
export async function handleKillRequest(
  deps: KillRequestDeps,
  body: Uint8Array,
  steps: Steps,
): Promise<Reply> {
  const { clock, latch } = deps
  const authenticated = deps.authenticator.authenticate(body, clock.now())
  if (!authenticated.ok) {
    const { client } = authenticated.asker
    return refuse(deps, steps, client, authenticated.code, authenticated.text)
  }
  const { asker, envelope } = authenticated
  const decoded = decodeKill(envelope.action)
  if (!decoded.ok) return refuse(deps, steps, asker.client, 'malformed', decoded.error.join('; '))
  if (envelope.vaultAddress !== null) {
    return refuse(deps, steps, asker.client, 'vault', 'a kill request names no vaultAddress')
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
  steps: Steps,
  client: string | null,
  code: string,
  text: string,
): Reply {
  if (client === null && !deps.shed.admit(deps.clock.monotonicMs())) {
    return { status: 429, body: null }
  }
  const who = client === null ? 'without a client' : `of client ${client}`
  const said = `a kill request ${who} was refused [${code}]: ${text}`
  steps.say('kill request refused', { client, code })
  deps.recorder.record({ kind: 'error', text: said }, 'now')
  return { status: 200, body: vetoReply(code, text) }
}
