import type { GuardConfigFile } from '../../config/readConfig.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { bad, fine } from './finding.ts'
import type { Finding } from './finding.ts'

const name = 'fleet'

/** The store of the fleet, as this Guard's role; nothing where it is a member of none. */
export async function* examineFleet(config: GuardConfigFile): AsyncGenerator<Finding> {
  const { account, fleetUrlFile: file, venue } = config
  if (file === null) return
  const url = readSecretFile(file)
  if (!url.ok) {
    yield bad(name, url.error, 'put the file there that guard fleet add --out has written')
    return
  }
  const { examineMember } = await import('../../fleet/fleetProgram.ts')
  const found = await examineMember(url.value, venue.network, account, systemTimers)
  if (!found.ok) {
    yield bad(
      name,
      found.error,
      'trading does not depend on it, but a kill of the fleet is not heard: see docs/fleet.md',
    )
    return
  }
  const { place, copied, standbys } = found.value
  yield fine(name, `${place}, ${copied} records copied`)
  for (const { text, isWell } of standbys) {
    yield isWell ? fine('standby', text) : bad('standby', text, 'docs/fleet.md, Standby')
  }
}
