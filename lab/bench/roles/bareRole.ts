import { constants, write } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parsePrivateKey } from '../../../src/config/privateKey.ts'
import type { Json, WireAction } from '../../../src/core/protocol/action.ts'
import type { Crypto } from '../../../src/core/protocol/crypto.ts'
import { decodeEnvelope } from '../../../src/core/protocol/decodeEnvelope.ts'
import type { SignedEnvelope } from '../../../src/core/protocol/decodeEnvelope.ts'
import { signerCandidates } from '../../../src/core/protocol/recoverSigner.ts'
import { loadCrypto } from '../../../src/crypto/loadCrypto.ts'
import type { Signer } from '../../../src/engine/ports.ts'
import { Connections } from '../../../src/gateway/http/connections.ts'
import { openOrderLane } from '../../../src/gateway/http/orderLane.ts'
import { RequestTurns } from '../../../src/gateway/http/requestTurns.ts'
import { UnreadAnswers } from '../../../src/gateway/http/unreadAnswers.ts'
import { systemClock } from '../../../src/system/systemClock.ts'
import { systemTimers } from '../../../src/system/systemTimers.ts'
import { createHttpTransport } from '../../../src/venue/httpTransport.ts'
import type { HttpTransport } from '../../../src/venue/httpTransport.ts'
import { createSigner } from '../../../src/venue/signer.ts'
import { failed } from '../../../src/cli/cliError.ts'
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

/** Answers orders in Guard's own lane, with nothing behind it but the bare line. */
export async function startBareRole(json: Json): Promise<Role> {
  const line = await BareLine.open(json as unknown as BareSetup)
  // What is no plain order of its one client: the least answer that there is.
  const server = createServer((_, response) => {
    response.writeHead(429).end()
  })
  const connections = new Connections(systemClock, new RequestTurns(setImmediate), () => undefined)
  const lane = openOrderLane(server, {
    ...{ connections, unread: new UnreadAnswers(() => undefined) },
    ...{ clock: systemClock, timers: systemTimers, idleMs: 60_000, admits: () => true },
    answer: async (body) => ({
      ...{ status: 200, head: ['Content-Type', 'application/json'], after: () => undefined },
      body: await line.exchange(body).catch(String),
    }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ask: (question) => Promise.resolve(question === 'stages' ? line.stages.take() : null),
    stop: async () => {
      lane.end()
      connections.destroyAll()
      await new Promise((resolve) => server.close(resolve))
      await line.close()
    },
  }
}

/**
 * Guard's line with nothing in it: an order is read, its signer found, a kilobyte put on disk while
 * it is signed anew, and it is sent. No rule, no account, no record of what was decided. What a
 * program in Node cannot do without, through the very same connections.
 */
class BareLine {
  readonly stages = new StageTimes()
  readonly #crypto: Crypto
  readonly #client: string
  readonly #signer: Signer
  readonly #venue: HttpTransport
  readonly #file: FileHandle
  readonly #record = Buffer.alloc(recordBytes, 0x61)

  private constructor(crypto: Crypto, setup: BareSetup, signer: Signer, file: FileHandle) {
    this.#crypto = crypto
    this.#client = setup.client
    this.#signer = signer
    this.#venue = createHttpTransport(setup.venueUrl)
    this.#file = file
  }

  static async open(setup: BareSetup): Promise<BareLine> {
    const crypto = await loadCrypto()
    const key = parsePrivateKey(setup.walletKey)
    if (!key.ok) throw failed(`the wallet key ${key.error}`)
    const { O_WRONLY, O_CREAT, O_DSYNC } = constants
    const file = await open(join(setup.home, 'bare'), O_WRONLY | O_CREAT | O_DSYNC, 0o600)
    return new BareLine(crypto, setup, createSigner(crypto, 'testnet', key.value), file)
  }

  async exchange(body: Buffer): Promise<string> {
    const begun = performance.now()
    const { action, nonce } = this.#check(body)
    const checked = performance.now()
    const kept = this.#keep()
    const signed = this.#signer.sign(action as WireAction, nonce, nonce + answerMsMax)
    const request = JSON.stringify(signed)
    const made = performance.now()
    await kept
    const sent = performance.now()
    const outcome = await this.#venue.post('/exchange', request, answerMsMax, 'entry')
    if (outcome.kind !== 'answer') throw failed(`the venue: ${outcome.error}`)
    const answered = performance.now()
    this.stages.add('authenticate', checked - begun)
    this.stages.add('sign', made - checked)
    this.stages.add('durable', sent - made)
    this.stages.add('venue', answered - sent)
    this.stages.add('total', answered - begun)
    return outcome.body.toString('utf8')
  }

  async close(): Promise<void> {
    this.#venue.close()
    await this.#file.close()
  }

  #check(body: Buffer): SignedEnvelope {
    const envelope = decodeEnvelope(body)
    if (!envelope.ok) throw failed('an order of the benchmark', envelope.error)
    const [found] = signerCandidates(this.#crypto, envelope.value, 'testnet')
    if (found?.address !== this.#client) throw failed('an order of the benchmark is a stranger’s')
    return envelope.value
  }

  #keep(): Promise<void> {
    return new Promise((resolve, reject) => {
      write(this.#file.fd, this.#record, (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }
}
