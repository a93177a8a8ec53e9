import type { GuardConfigFile } from '../config/readConfig.ts'
import { err, ok } from '../core/values/result.ts'
import type { Log, VenueHttp } from '../engine/ports.ts'
import type { MachineSeams } from './assembly/startGuard.ts'
import { refused } from './cliError.ts'
import { askRole, askRoleAt, whoseAccount } from './setup/accountRole.ts'

/** How long a start waits for the venue's word; protection of what is open waits behind it. */
const startWaitMs = 3_000

/**
 * Asks the venue whose account it is, and refuses to start where `venue.via` does not fit: Guard
 * would read one account and trade another. Where the venue does not answer Guard starts, and opens
 * nothing until it has.
 */
export async function provenAccount(
  config: GuardConfigFile,
  log: Log,
): Promise<Partial<MachineSeams>> {
  const { account, venue } = config
  const role = await askRoleAt(venue.url, account, venue.via, startWaitMs)
  if (!role.ok) {
    log.log('warn', 'the venue did not say whose account it is; nothing is opened before it has', {
      error: role.error,
    })
    return { venue: (each) => gated(each, config) }
  }
  if (!role.value.ok) throw refused(role.value.text)
  if (venue.via !== null) {
    log.log('info', `the account is ${whoseAccount(role.value.kind, venue.via)}`)
  }
  return {}
}

/**
 * The venue, whose word on the account is awaited by entries alone: what gets out does not wait for a
 * read that may never come. Once the venue has said that the account is another's, nothing is sent.
 */
function gated(venue: VenueHttp, { account, venue: { via } }: GuardConfigFile): VenueHttp {
  let standing: 'unknown' | 'proven' | { readonly wrong: string } = 'unknown'
  let asking: Promise<string | null> | null = null
  const prove = async (): Promise<string | null> => {
    const role = await askRole(
      async (request) => {
        const answer = await venue.info(request, 'safety')
        return answer.ok ? ok(answer.value.body) : err(answer.error.text)
      },
      account,
      via,
    )
    asking = null
    if (!role.ok) return `the venue did not say whose account ${account} is: ${role.error}`
    standing = role.value.ok ? 'proven' : { wrong: role.value.text }
    return role.value.ok ? null : role.value.text
  }
  return {
    info: (request, lane) => venue.info(request, lane),
    exchange: async (request, lane, heldBack) => {
      if (typeof standing === 'object') return { kind: 'not_sent', error: standing.wrong }
      if (standing === 'unknown') {
        asking ??= prove()
        const why = lane === 'entry' ? await asking : null
        if (why !== null) return { kind: 'not_sent', error: why }
      }
      return await venue.exchange(request, lane, heldBack)
    },
  }
}
