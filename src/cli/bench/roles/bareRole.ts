import { constants, write } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parsePrivateKey } from '../../../config/privateKey.ts'
import type { Json, WireAction } from '../../../core/protocol/action.ts'
import { decodeEnvelope } from '../../../core/protocol/decodeEnvelope.ts'
import { signerCandidates } from '../../../core/protocol/recoverSigner.ts'
import { loadCrypto } from '../../../crypto/loadCrypto.ts'
import { openOrderLane } from '../../../gateway/http/orderLane.ts'
import { systemClock } from '../../../system/systemClock.ts'
import { systemTimers } from '../../../system/systemTimers.ts'
import { createHttpTransport } from '../../../venue/httpTransport.ts'
import { createSigner } from '../../../venue/signer.ts'
import { failed } from '../../cliError.ts'
import type { Role } from './role.ts'
import { StageTimes } from './stageTimes.ts'

/** What the bare line needs to know; it is sent between processes as JSON. */
export interface BareSetup {
  readonly home: string
  readonly venueUrl: string
  readonly walletKey: string
  readonly client: string
}

const recordBytes = 1_024
const answerMsMax = 10_000

/**
 * Guard's line with nothing in it: an order is read, its signer found, a kilobyte put on disk while
 * it is signed anew, and it is sent. No rule, no account, no record of what was decided. What a
 * program in Node cannot do without, through the very same connections.
 */
export async function startBareRole(json: Json): Promise<Role> {
  const { home, venueUrl, walletKey, client } = json as unknown as BareSetup
  const crypto = await loadCrypto()
  const key = parsePrivateKey(walletKey)
  if (!key.ok) throw failed(`the wallet key ${key.error}`)
  const signer = createSigner(crypto, 'testnet', key.value)
  const venue = createHttpTransport(venueUrl)
  const { O_WRONLY, O_CREAT, O_DSYNC } = constants
  const file = await open(join(home, 'bare'), O_WRONLY | O_CREAT | O_DSYNC, 0o600)
  const record = Buffer.alloc(recordBytes, 0x61)
  const keep = (): Promise<void> =>
    new Promise((resolve, reject) => {
      write(file.fd, record, (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  const stages = new StageTimes()
  const exchange = async (body: Buffer): Promise<string> => {
    const begun = performance.now()
    const envelope = decodeEnvelope(body)
    if (!envelope.ok) throw failed('an order of the benchmark', envelope.error)
    const [found] = signerCandidates(crypto, envelope.value, 'testnet')
    if (found?.address !== client) throw failed('an order of the benchmark is a stranger’s')
    const checked = performance.now()
    const kept = keep()
    const { action, nonce } = envelope.value
    const request = JSON.stringify(signer.sign(action as WireAction, nonce, nonce + answerMsMax))
    const signed = performance.now()
    await kept
    const sent = performance.now()
    const outcome = await venue.post('/exchange', request, answerMsMax, 'entry')
    if (outcome.kind !== 'answer') throw failed(`the venue: ${outcome.error}`)
    const answered = performance.now()
    stages.add('authenticate', checked - begun)
    stages.add('sign', signed - checked)
    stages.add('durable', sent - signed)
    stages.add('venue', answered - sent)
    stages.add('total', answered - begun)
    return outcome.body.toString('utf8')
  }
  const server = createServer()
  const lane = openOrderLane(server, {
    ...{ clock: systemClock, timers: systemTimers, idleMs: 60_000, admits: () => true },
    answer: async (body) => ({
      ...{ status: 200, head: ['Content-Type', 'application/json'], after: () => undefined },
      body: await exchange(body).catch(String),
    }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ask: (question) => Promise.resolve(question === 'stages' ? stages.take() : null),
    stop: async () => {
      lane.end()
      lane.destroy()
      venue.close()
      await new Promise((resolve) => server.close(resolve))
      await file.close()
    },
  }
}
