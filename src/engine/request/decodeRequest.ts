import type { ReasonCode } from '../../core/judge/codes.ts'
import type { Action } from '../../core/protocol/action.ts'
import { actionTreatment } from '../../core/protocol/actionCatalog.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import type { SignedEnvelope } from '../../core/protocol/decodeEnvelope.ts'
import type { Address } from '../../core/values/address.ts'
import { millis } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import { quotedText } from '../../core/values/shownText.ts'
import type { Asker } from './authenticate.ts'

/** A request that is refused before it can be judged. */
export interface Refused {
  readonly asker: Asker
  readonly code: ReasonCode
  readonly text: string
}

export type ReadRequest =
  | {
      readonly ok: true
      readonly asker: Asker
      readonly action: Action
      readonly expiresBy: Millis | null
    }
  /** A heartbeat: there is nothing to judge. */
  | { readonly ok: true; readonly asker: Asker; readonly action: null }
  | (Refused & { readonly ok: false })

/** The actions that the venue does for the account that `vaultAddress` names. */
const vaultActions: ReadonlySet<string> = new Set([
  ...['order', 'cancel', 'cancelByCloid', 'modify', 'batchModify', 'scheduleCancel'],
  ...['twapOrder', 'twapCancel', 'updateLeverage', 'updateIsolatedMargin'],
])

/**
 * What Guard forwards at all, strictly read; everything else has its refusal. `vault` is the account
 * where it is a sub-account or a vault: the only one that a bot may name.
 */
export function decodeRequest(
  envelope: SignedEnvelope,
  asker: Asker,
  vault: Address | null,
): ReadRequest {
  const { type } = envelope.action
  if (typeof type !== 'string') {
    const text = 'action.type must be a text'
    return { ok: false, asker: { ...asker, request: null }, code: 'malformed', text }
  }
  const treatment = actionTreatment(type)
  if (treatment === 'heartbeat') return readHeartbeat(envelope, asker)
  if (treatment !== 'forwarded') return { ok: false, asker, ...refusalOf(treatment, type) }
  const decoded = decodeAction(envelope.action)
  if (!decoded.ok) {
    const text = decoded.error.join('; ')
    return { ok: false, asker: { ...asker, request: null }, code: 'malformed', text }
  }
  const text = vaultRefusal(envelope.vaultAddress, type, vault)
  if (text !== null) return { ok: false, asker, code: 'vault', text }
  const { expiresAfter } = envelope
  const expiresBy = expiresAfter === null ? null : millis(expiresAfter)
  return { ok: true, asker, action: decoded.value, expiresBy }
}

/** A `noop` has no other field, and is for no other account. */
function readHeartbeat(envelope: SignedEnvelope, asker: Asker): ReadRequest {
  const extra = Object.keys(envelope.action).filter((key) => key !== 'type')
  if (extra.length > 0) {
    const text = extra.map((key) => `${quotedText(key)} is not a known field`).join('; ')
    return { ok: false, asker: { ...asker, request: null }, code: 'malformed', text }
  }
  if (envelope.vaultAddress === null) return { ok: true, asker, action: null }
  return { ok: false, asker, code: 'vault', text: 'the action "noop" takes no vaultAddress' }
}

function vaultRefusal(named: Address | null, type: string, vault: Address | null): string | null {
  if (named === null) return null
  if (vault === null) return `vaultAddress ${named}: Guard trades its own account only`
  if (named !== vault) return `vaultAddress ${named}: this Guard trades ${vault} only`
  return vaultActions.has(type) ? null : `the action ${quotedText(type)} takes no vaultAddress`
}

/** Why an action that Guard does not forward is refused. */
export function refusalOf(
  treatment: 'funds_or_permissions' | 'unsupported_action',
  type: string,
): { code: ReasonCode; text: string } {
  const name = quotedText(type)
  return treatment === 'funds_or_permissions'
    ? {
        code: treatment,
        text: `the action ${name} moves funds or grants rights; Guard never forwards it`,
      }
    : { code: treatment, text: `the action ${name} is not one that Guard forwards` }
}
