import type { Json } from '../../../src/core/protocol/action.ts'
import { loadCrypto } from '../../../src/crypto/loadCrypto.ts'
import { createBot } from '../bot.ts'
import { HostileBodies } from '../soak/hostileBodies.ts'
import { HostileCrowd } from '../soak/hostileCrowd.ts'
import { cpuMicros } from './processFigures.ts'
import type { Role } from './role.ts'

/** Whom to attack, and with whose key; it is sent between processes as JSON. */
interface HostileSetup {
  readonly guardUrl: string
  /** A key that Guard knows as a client's, made for this run. */
  readonly clientKey: string
}

/** How many requests to send, and how many a second; null for as many as get answers. */
interface Attack {
  readonly requests: number
  readonly perSecond: number | null
}

/** Sends what Guard has to refuse; asked to `attack`, it answers with what became of it. */
export async function startHostileRole(json: Json): Promise<Role> {
  const { guardUrl, clientKey } = json as unknown as HostileSetup
  const crypto = await loadCrypto()
  const bodies = new HostileBodies(createBot(crypto, clientKey), createBot(crypto))
  const crowd = new HostileCrowd(guardUrl, bodies)
  return {
    url: guardUrl,
    ask: async (question, argument = null) => {
      if (question === 'cpu') return cpuMicros()
      if (question !== 'attack') return null
      const { requests, perSecond } = argument as unknown as Attack
      return JSON.parse(JSON.stringify(await crowd.attack(requests, perSecond))) as Json
    },
    stop: () => Promise.resolve(),
  }
}
