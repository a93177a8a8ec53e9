import { expect } from 'vitest'
import type { Bot, Driver, Seen } from './bot.ts'
import type { Rig, Trace } from './rig.fixture.ts'

interface Row {
  readonly step: string
  readonly bot: string
  readonly guard: string
  readonly venue: string
}

type Traced = Seen & { readonly trace: Trace }

/** Drives one bot through everything, and keeps what happened for the matrix. */
export class Run {
  readonly rig: Rig
  readonly driver: Driver
  readonly bot: Bot
  readonly rows: Row[] = []
  /** What the client sent by itself, and what it was refused with. */
  readonly unasked = new Map<string, string>()

  constructor(rig: Rig, driver: Driver, bot: Bot) {
    this.rig = rig
    this.driver = driver
    this.bot = bot
  }

  /** The decisions a bot caused by asking, without what its client sends by itself. */
  asked({ decisions }: Pick<Trace, 'decisions'>): any[] {
    return decisions.filter(({ action }) => !this.driver.unasked.includes(action))
  }

  async traced(step: () => Promise<Seen>, isTold?: (decisions: any[]) => boolean): Promise<Traced> {
    const done = await this.rig.during(step, isTold)
    this.noteUnasked(done.trace)
    return done
  }

  noteUnasked({ decisions }: Trace): void {
    for (const { action, code, verdict } of decisions) {
      if (!this.driver.unasked.includes(action)) continue
      expect(verdict).toBe('veto')
      this.unasked.set(action, code)
    }
  }

  /** A step that is forwarded: what the bot sees, Guard's decision, and the venue's log. */
  async accepted(
    step: string,
    ask: () => Promise<Seen>,
    code: string,
    actions: string[],
  ): Promise<Traced> {
    const done = await this.traced(ask)
    expect(done.refused, `${step}: what the bot was told`).toBeUndefined()
    const decisions = this.asked(done.trace)
    expect(decisions.map((each) => each.code)).toEqual([code])
    expect(decisions[0].signed_as).toBe(this.driver.signedAs)
    const [{ action, via }] = decisions
    if (!this.driver.overHttp.includes(action)) expect(via).toBe(this.driver.via)
    expect(this.got(done.trace)).toEqual(actions)
    this.keep(step, done)
    return done
  }

  /** A step that Guard refuses: the bot reads the code, the event has it, the venue got nothing. */
  async refused(step: string, ask: () => Promise<Seen>, code: string): Promise<Traced> {
    // A veto waits for a slow disk only so long: its record may come after its answer.
    const isTold = (decisions: any[]) => this.asked({ decisions }).length > 0
    const done = await this.traced(ask, isTold)
    expect(done.refused, `${step}: what the bot was told`).toContain(`Guard veto [${code}]`)
    expect(this.asked(done.trace).map((each) => each.code)).toEqual([code])
    expect(this.got(done.trace)).toEqual([])
    this.keep(step, done)
    return done
  }

  /** What the venue was sent for the bot's requests; Guard's own protection is not among it. */
  got(trace: Trace): string[] {
    const own = new Set(
      trace.events
        .filter(({ kind }) => kind === 'protect' || kind === 'flatten')
        .map(({ seq }) => seq),
    )
    const nonces = new Set(
      trace.events
        .filter(({ kind, decision }) => kind === 'sent' && own.has(decision))
        .map(({ nonce }) => nonce),
    )
    return trace.venue
      .filter(({ nonce }) => !nonces.has(nonce))
      .map(({ action }) => summary(action))
  }

  keep(step: string, done: Traced): void {
    const decisions = this.asked(done.trace)
    this.rows.push({
      step,
      bot: told(done),
      guard:
        decisions.map(({ verdict, code }) => `${verdict} \`${code}\``).join(', ') || 'no decision',
      venue: this.got(done.trace).join('; ') || 'nothing',
    })
  }

  /** Notes a step that the client cannot take, with the reason. */
  lacks(wish: string, step: string): boolean {
    const why = this.driver.lacks[wish]
    if (why !== undefined) this.note(step, why, 'no decision', 'nothing')
    return why !== undefined
  }

  note(step: string, bot: string, guard: string, venue: string): void {
    this.rows.push({ step, bot, guard, venue })
  }
}

function told(done: Traced): string {
  if (done.refused !== undefined) return `${done.as} with the text`
  const parts = done.orders.map(({ id, filled, error }) => {
    if (error !== undefined) return 'an error in its place'
    if (filled !== undefined && filled > 0) return 'filled'
    return id === undefined ? 'accepted' : 'resting'
  })
  return parts.join(', ') || 'accepted'
}

/** An action in a few words: `order ETH buy + sl`. */
export function summary(action: any): string {
  if (action.type !== 'order') return action.type
  const parts = action.orders.map((order: any) => {
    const side = order.b ? 'buy' : 'sell'
    if (order.t.trigger !== undefined)
      return order.r ? order.t.trigger.tpsl : `${side} on a trigger`
    return order.r ? `${side} reduce-only` : side
  })
  return `order ${parts.join(' + ')}`
}
