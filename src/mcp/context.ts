import type { AgentKey } from './agentKey.ts'
import type { GuardPort, Status } from './guardPort.ts'
import type { Nonces } from './nonces.ts'
import { OnceEach } from './onceEach.ts'
import type { OrderOutput } from './orderAnswer.ts'
import type { Outcome } from './outcome.ts'
import type { ReadShare } from './readShare.ts'
import type { Sender } from './sender.ts'
import type { ToolAnswer } from './answer.ts'

/** What the tools of one server share. */
export class AgentContext {
  readonly port: GuardPort
  readonly reads: ReadShare
  /** Null without a client key: such a server can only look. */
  readonly key: AgentKey | null
  readonly sender: Sender | null
  readonly once = new OnceEach<ToolAnswer<OrderOutput>>()
  readonly #nonces: Nonces

  constructor(
    port: GuardPort,
    reads: ReadShare,
    nonces: Nonces,
    signing: { readonly key: AgentKey; readonly sender: Sender } | null,
  ) {
    this.port = port
    this.reads = reads
    this.#nonces = nonces
    this.key = signing?.key ?? null
    this.sender = signing?.sender ?? null
  }

  /** An outcome in whose words no market is named that is no mere name. */
  inPlainNames(outcome: Outcome): Outcome {
    const { reason, changes } = outcome
    return {
      ...outcome,
      reason: reason === null ? null : this.reads.inPlainNames(reason),
      changes: changes.map((each) => this.reads.inPlainNames(each)),
    }
  }

  /** Guard's status as it is now; its clock and the venue's allowance are learned from it. */
  async status(): Promise<Status> {
    const status = await this.port.status()
    this.#nonces.follow(status.now_ms)
    this.reads.limitTo(status.venue.weight_limit_1m)
    return status
  }
}
