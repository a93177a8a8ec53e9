import type { Json } from '../../src/core/protocol/action.ts'
import { readActionReply } from '../../src/core/protocol/actionReply.ts'
import { decodeAction } from '../../src/core/protocol/decodeAction.ts'
import { encodeAction } from '../../src/core/protocol/encodeAction.ts'
import { millis, nonce } from '../../src/core/values/millis.ts'
import { Authenticator } from '../../src/engine/request/authenticate.ts'
import { decisionBody, judgeRecorded } from '../../src/engine/request/judgement.ts'
import type { Signer } from '../../src/engine/ports.ts'
import { forwardedReply } from '../../src/engine/request/replyToBot.ts'
import { UsedNonces } from '../../src/engine/request/usedNonces.ts'
import { eventOf, openLine, seal } from '../../src/journal/record.ts'
import { createSigner } from '../../src/venue/signer.ts'
import { createBot } from './bot.ts'
import type { Bot } from './bot.ts'
import { Times } from './cost.ts'
import type { Cost, How } from './cost.ts'
import { accountWith, forgetSums, inputOf } from './judgedAccount.ts'
import { loadCurves } from './machine.ts'
import type { CurveName } from './machine.ts'
import { allowedOrder } from './orders.ts'
import { ms } from './report.ts'
import type { Table } from './report.ts'
import { rest } from './rest.ts'

/** What an order is made to go through, in this order. */
const steps = ['authenticate', 'decode', 'judge', 'record', 'sign', 'reply'] as const
type Step = (typeof steps)[number]

export type WorkFigures = Readonly<Partial<Record<CurveName, Readonly<Record<Step, Cost>>>>>

interface Worker {
  readonly curve: CurveName
  readonly bot: Bot
  readonly authenticator: Authenticator
  readonly signer: Signer
  readonly times: Readonly<Record<Step, Times>>
}

const rightClock = { now: () => millis(Date.now()), machineAheadMs: () => 0 }
const hashBefore = '0'.repeat(64)
const venueAnswer = JSON.stringify({
  status: 'ok',
  response: {
    type: 'order',
    data: { statuses: [{ resting: { oid: 77_000_000_001 } }, 'waitingForFill'] },
  },
})

/**
 * What Guard computes for an allowed order, by itself: the very functions of the request line, with
 * nothing received, written or sent. How far a step takes longer after a rest than in a loop is not
 * Guard's doing: the instructions are the same, and what they need is no longer at hand.
 */
export class OrderWork {
  readonly #workers: readonly Worker[]
  readonly #account = accountWith(0, 0)
  #seq = 0

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers
  }

  static async open(): Promise<OrderWork> {
    const workers: Worker[] = []
    for (const [curve, crypto] of await loadCurves()) {
      const bot = createBot(crypto)
      const clients = new Set([bot.address])
      workers.push({
        ...{ curve, bot },
        authenticator: new Authenticator({
          ...{ crypto, clock: rightClock, nonces: new UsedNonces(), clients: () => clients },
        }),
        signer: createSigner(crypto, 'testnet', new Uint8Array(32).fill(7)),
        times: byStep(() => new Times()),
      })
    }
    return new OrderWork(workers)
  }

  /** So many orders for each curve, each after a rest. */
  async take(runs: number): Promise<void> {
    for (const worker of this.#workers) {
      for (let run = 0; run < runs; run += 1) {
        const body = signedOrder(worker)
        await rest()
        this.#work(worker, body, 'rested')
      }
    }
  }

  /** The same, one right after the other. */
  takeInLoops(runs: number): void {
    for (const worker of this.#workers) {
      const bodies = Array.from({ length: runs }, () => signedOrder(worker))
      for (const body of bodies) this.#work(worker, body, 'looped')
    }
  }

  get figures(): WorkFigures {
    return Object.fromEntries(
      this.#workers.map(({ curve, times }) => [curve, byStep((step) => times[step].cost)]),
    )
  }

  #work({ authenticator, signer, times }: Worker, body: Buffer, how: How): void {
    const now = millis(Date.now())
    let begun = performance.now()
    const done = (step: Step): void => {
      const ended = performance.now()
      times[step].add(how, ended - begun)
      begun = ended
    }
    const authenticated = authenticator.authenticate(body)
    done('authenticate')
    if (!authenticated.ok) throw new Error(`an order of the benchmark: ${authenticated.text}`)
    const decoded = decodeAction(authenticated.envelope.action)
    done('decode')
    if (!decoded.ok) throw new Error(`an order of the benchmark: ${decoded.error.join('; ')}`)
    const judgement = judgeRecorded(this.#account, inputOf(this.#account, decoded.value))
    done('judge')
    const { decision } = judgement
    if (decision.forward === null) throw new Error(`it was not allowed: ${decision.text}`)
    this.#seq += 1
    const record = decisionBody(authenticated.asker, 'http', judgement, false)
    const opened = openLine(eventOf(this.#seq, now, record), record._)
    Buffer.from(seal(opened, this.#seq - 1, hashBefore).line)
    done('record')
    JSON.stringify(signer.sign(encodeAction(decision.forward), nonce(now), now))
    done('sign')
    const raw = JSON.parse(venueAnswer) as Json
    const reply = readActionReply(decision.forward, raw)
    if (reply.kind === 'unknown') throw new Error('the answer of the venue is none')
    const answered = { kind: 'answered', reply } as const
    JSON.stringify(forwardedReply(decision, [answered]))
    done('reply')
    forgetSums(this.#account, decision)
  }
}

function byStep<T>(make: (step: Step) => T): Readonly<Record<Step, T>> {
  return Object.fromEntries(steps.map((step) => [step, make(step)])) as Record<Step, T>
}

function signedOrder({ bot }: Worker): Buffer {
  return Buffer.from(bot.sign(allowedOrder().action))
}

export function workTable(figures: WorkFigures): Table {
  const curves = Object.entries(figures)
  const cells = (cost: (of: Readonly<Record<Step, Cost>>) => readonly [number, number]): string[] =>
    curves.flatMap(([, of]) => cost(of).map(ms))
  const sum = (of: Readonly<Record<Step, Cost>>, how: 'loop' | 'p50'): number =>
    steps.reduce((total, step) => total + of[step][how], 0)
  return {
    title:
      'What Guard itself computes for an allowed order, at p50: nothing received, written, sent',
    columns: ['', ...curves.flatMap(([name]) => [`${name}, in a loop`, `${name}, after a rest`])],
    rows: [
      ...steps.map((step) => [step, ...cells((of) => [of[step].loop, of[step].p50])]),
      ['together', ...cells((of) => [sum(of, 'loop'), sum(of, 'p50')])],
    ],
  }
}
