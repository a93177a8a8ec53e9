import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { err } from '../core/values/result.ts'
import type { Log, Urgency, VenueHttp } from '../engine/ports.ts'
import type { MachineSeams } from './assembly/startGuard.ts'
import { refused } from './cliError.ts'
import { provenMark, RoleProof } from './roleProof.ts'
import { askRole, askRoleAt, whoseAccount } from './setup/accountRole.ts'
import { askThrough } from './setup/askInfo.ts'

/** How long a start waits for the venue's word; protection of what is open waits behind it. */
const startWaitMs = 3_000

/**
 * Asks the venue whose account it is, and refuses to start where `venue.via` does not fit: Guard
 * would read one account and trade another. One answer may be wrong: it is asked again after `soonMs`,
 * and a home whose account was proven in an earlier run starts all the same. As long as the venue has
 * not answered, or contradicts itself, Guard protects and closes, and opens nothing.
 */
export async function provenAccount(
  config: GuardConfigFile,
  log: Log,
  soonMs = 1_000,
): Promise<Partial<MachineSeams>> {
  const { account, venue, stateDir } = config
  const mark = join(stateDir, provenMark(config))
  const wasProven = existsSync(mark)
  const remember = (): void => {
    if (wasProven) return
    const made = mkdir(stateDir, { recursive: true, mode: 0o700 })
    made
      .then(() => writeFile(mark, '', { mode: 0o600 }))
      .catch((error: unknown) => {
        log.log('warn', `the proof is not kept: ${String(error)}`)
      })
  }
  const proof = new RoleProof(wasProven)
  for (;;) {
    const role = await askRoleAt(venue.url, account, venue.via, startWaitMs)
    proof.hear(role)
    if (proof.isDenied) throw refused(proof.why ?? '')
    if (role.ok && role.value.ok && venue.via !== null)
      log.log('info', `the account is ${whoseAccount(role.value.kind, venue.via)}`)
    if (wasProven || !role.ok || role.value.ok) break
    await wait(soonMs)
  }
  if (proof.why !== null) {
    log.log('warn', proof.why)
    return { venue: (each) => gated(each, config, proof, remember, soonMs) }
  }
  remember()
  return {}
}

/**
 * The venue, whose word on the account is awaited by entries alone: what gets out does not wait for a
 * read that may never come. Once the venue has said again and again that the account is another's, and
 * never that it is not, nothing is sent.
 */
function gated(
  venue: VenueHttp,
  { account, venue: { via } }: GuardConfigFile,
  proof: RoleProof,
  remember: () => void,
  soonMs: number,
): VenueHttp {
  let asking: Promise<void> | null = null
  let askedMs = performance.now()
  const ask = async (lane: Urgency): Promise<void> => {
    const role = await askRole(askThrough(venue, lane), account, via).catch((error: unknown) =>
      err(String(error)),
    )
    proof.hear(role)
    if (proof.why === null) remember()
    askedMs = performance.now()
    asking = null
  }
  const askIfDue = (lane: Urgency): Promise<void> | null => {
    const isDue = performance.now() - askedMs >= soonMs * proof.pauses(lane === 'entry')
    if (proof.why !== null && isDue) asking ??= ask(lane)
    return asking
  }
  return {
    ...venue,
    exchange: async (request, lane, heldBack) => {
      if (lane === 'entry') await askIfDue(lane)
      const { why, isDenied } = proof
      if (why !== null && (isDenied || lane === 'entry')) return { kind: 'not_sent', error: why }
      return await venue.exchange(request, lane, heldBack)
    },
    doubt: () => {
      void askIfDue('watch')
      return proof.why
    },
  }
}
