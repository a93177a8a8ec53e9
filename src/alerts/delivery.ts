import type { Clock, Log } from '../engine/ports.ts'
import type { AlertsObserver } from './alertsObserver.ts'
import type { Channel, Outcome } from './channel.ts'
import type { Message } from './message.ts'
import type { Send } from './send.ts'

interface DeliveryDeps {
  readonly channels: readonly Channel[]
  readonly send: Send
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Log
  readonly observer: AlertsObserver
}

interface Health {
  /** By the monotonic clock: one that is set back keeps no channel silent. */
  notBeforeMs: number
  failures: number
  problem: string | null
}

const backoffMsFirst = 5_000
const backoffMsMax = 300_000

/** Tries the channels in order until one takes the message. */
export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #health: Map<string, Health>

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    for (const { name } of deps.channels) deps.observer.opened(name)
    this.#health = new Map(
      deps.channels.map(({ name }) => [
        name,
        { notBeforeMs: -Infinity, failures: 0, problem: null },
      ]),
    )
  }

  /** True once a channel took it. A channel that failed is left alone for a while. */
  async deliver(message: Message): Promise<boolean> {
    const problems: string[] = []
    for (const channel of this.#deps.channels) {
      const health = this.#health.get(channel.name)
      if (health === undefined) continue
      if (this.#deps.clock.monotonicMs() < health.notBeforeMs) {
        if (health.problem !== null) problems.push(`${channel.name}: ${health.problem}`)
        continue
      }
      const outcome = await this.attempt(channel, withProblems(message, channel, problems))
      this.#learn(channel, health, outcome)
      if (outcome.kind === 'sent') return true
      if (health.problem !== null) problems.push(`${channel.name}: ${health.problem}`)
    }
    return false
  }

  /** One channel, once. */
  async attempt(channel: Channel, message: Message): Promise<Outcome> {
    const { send, timeoutMs, clock } = this.#deps
    const sent = await send(channel.build(message, clock.now()), timeoutMs)
    if (sent.kind === 'unreachable') return { kind: 'failed', text: sent.error }
    return channel.read(sent.answer, clock.now())
  }

  #learn(channel: Channel, health: Health, outcome: Outcome): void {
    const { clock, log, observer } = this.#deps
    const nowMs = clock.monotonicMs()
    const name = channel.name
    observer.delivery(name, outcome.kind)
    switch (outcome.kind) {
      case 'sent':
        if (health.problem !== null) log.log('info', 'an alert channel works again', { name })
        Object.assign(health, { notBeforeMs: -Infinity, failures: 0, problem: null })
        return
      case 'wait':
        Object.assign(health, { notBeforeMs: nowMs + outcome.ms, problem: 'asks for patience' })
        log.log('warn', 'an alert channel asks for patience', { name, ms: outcome.ms })
        return
      case 'failed': {
        const waitMs = Math.min(backoffMsFirst * 2 ** Math.min(health.failures, 10), backoffMsMax)
        const failures = health.failures + 1
        Object.assign(health, { notBeforeMs: nowMs + waitMs, failures, problem: outcome.text })
        log.log('warn', 'an alert could not be delivered', { name, error: outcome.text })
      }
    }
  }
}

/** A message that takes another way says so: a broken channel is news too. */
function withProblems(message: Message, channel: Channel, problems: readonly string[]): Message {
  if (problems.length === 0) return message
  return { ...message, body: `${message.body}\nsent by ${channel.name}; ${problems.join('; ')}` }
}
