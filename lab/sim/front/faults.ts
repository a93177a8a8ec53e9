import type { Json } from '../../../src/core/protocol/action.ts'

export type FaultWhere = 'exchange' | 'info' | 'ws'

const requestKinds = [
  ...(['drop_request', 'drop_reply', 'delay'] as const),
  ...(['http_500', 'http_429', 'http_408', 'garbage', 'reply'] as const),
]
const orderKinds = ['refuse', 'refuse_stop', 'status'] as const
/** An answer that is not true; and a share of all questions that fail. */
const readKinds = ['lie', 'fail_share'] as const
const socketKinds = [
  ...(['delay', 'silence', 'disconnect'] as const),
  ...(['stale', 'duplicate', 'reorder', 'lie'] as const),
]

type FaultKind =
  | (typeof requestKinds)[number]
  | (typeof orderKinds)[number]
  | (typeof readKinds)[number]
  | (typeof socketKinds)[number]

/** Which kinds fit where. */
export const faultKinds: { readonly [Where in FaultWhere]: readonly FaultKind[] } = {
  exchange: [...requestKinds, ...orderKinds],
  info: [...requestKinds, ...readKinds],
  ws: socketKinds,
}

interface FaultSpec {
  readonly where: FaultWhere
  readonly kind: FaultKind
  /** An action's or question's type, a stream's type; a coin it names. Null fits everything. */
  readonly type: string | null
  readonly coin: string | null
  /** The dex that is asked about or told of, the main one with an empty name. Null fits everything. */
  readonly dex: string | null
  /** How often; 0 is until cleared. */
  readonly count: number
  readonly ms: number | null
  readonly text: string | null
  /** For `reply`: whether what was asked is done before the answer that takes its place. */
  readonly executed: boolean
  /** For `lie`: what is laid over the answer. */
  readonly patch: Json
  /** For `fail_share`: which part of the questions fails, from 0 to 1. */
  readonly share: number
}

/** What a fault is matched with: all the names something goes by. */
export interface FaultSubject {
  readonly types: readonly string[]
  readonly coins: readonly string[]
  /** The dex that it is about; left out where it is about none, or about several. */
  readonly dex?: string
}

export interface ArmedFault extends FaultSpec {
  readonly id: number
  left: number
  /** Silence and staleness end by themselves; infinity until cleared. */
  readonly untilMs: number
}

function fits(fault: ArmedFault, subject: FaultSubject): boolean {
  return (
    (fault.type === null || subject.types.includes(fault.type)) &&
    (fault.coin === null || subject.coins.includes(fault.coin)) &&
    (fault.dex === null || subject.dex === fault.dex)
  )
}

/** The faults that are armed, oldest first; each use of one counts down. */
export class FaultBoard {
  #armed: ArmedFault[] = []
  #lastId = 0
  #questions = 0
  /** Where in the row of questions those that fail begin, from 0 to 1. */
  #shift = 0

  arm(spec: FaultSpec, nowMs: number): ArmedFault {
    const untilMs = spec.ms === null ? Number.POSITIVE_INFINITY : nowMs + spec.ms
    const fault: ArmedFault = { ...spec, id: ++this.#lastId, left: spec.count, untilMs }
    this.#armed.push(fault)
    return fault
  }

  /** Another seed, other questions that meet a share. */
  seed(seed: number): void {
    this.#questions = 0
    this.#shift = (seed * 0.7548776662466927) % 1
  }

  clear(): number {
    const count = this.#armed.length
    this.#armed = []
    return count
  }

  /** Uses up one of the first armed fault of these kinds that fits. */
  take(where: FaultWhere, kinds: readonly FaultKind[], subject: FaultSubject): ArmedFault | null {
    const fault = this.peek(where, kinds, subject)
    if (fault !== null) this.use(fault)
    return fault
  }

  peek(where: FaultWhere, kinds: readonly FaultKind[], subject: FaultSubject): ArmedFault | null {
    const found = this.#armed.find(
      (each) => each.where === where && kinds.includes(each.kind) && fits(each, subject),
    )
    return found ?? null
  }

  use(fault: ArmedFault): void {
    if (fault.count === 0) return
    fault.left -= 1
    if (fault.left <= 0) this.#armed = this.#armed.filter((each) => each !== fault)
  }

  /** Whether the share that fails is met by this question: by the seed, the same every time. */
  meetsShare(subject: FaultSubject): ArmedFault | null {
    const fault = this.peek('info', ['fail_share'], subject)
    if (fault === null) return null
    // Steps of the golden ratio: any part of the row of questions holds the share that was asked for.
    this.#questions += 1
    const place = (this.#shift + this.#questions * 0.6180339887498949) % 1
    return place < fault.share ? fault : null
  }

  /** Whether a fault that lasts, silence or staleness, holds for this now. */
  isActive(kind: 'silence' | 'stale', subject: FaultSubject, nowMs: number): boolean {
    if (this.#armed.length === 0) return false
    this.expire(nowMs)
    return this.peek('ws', [kind], subject) !== null
  }

  /** The single dexes that are silent, or stand still, in a stream that tells of several. */
  dexesUnder(kind: 'silence' | 'stale', subject: FaultSubject, nowMs: number): readonly string[] {
    if (this.#armed.length === 0) return []
    this.expire(nowMs)
    return this.#armed.flatMap((each) => {
      const isIt = each.where === 'ws' && each.kind === kind && each.dex !== null
      return isIt && fits({ ...each, dex: null }, subject) ? [each.dex] : []
    })
  }

  /** Forgets what lasted its time. */
  expire(nowMs: number): void {
    this.#armed = this.#armed.filter(
      (each) => (each.kind !== 'silence' && each.kind !== 'stale') || each.untilMs > nowMs,
    )
  }

  list(nowMs: number): Json {
    this.expire(nowMs)
    return this.#armed.map(renderFault)
  }
}

/** A fault as the control interface shows it; `count` is what is left of it. */
export function renderFault(fault: ArmedFault): Json {
  return {
    id: fault.id,
    where: fault.where,
    kind: fault.kind,
    match: {
      ...(fault.type === null ? {} : { type: fault.type }),
      ...(fault.coin === null ? {} : { coin: fault.coin }),
      ...(fault.dex === null ? {} : { dex: fault.dex }),
    },
    count: fault.left,
    ms: fault.ms,
    text: fault.text,
    executed: fault.executed,
    ...(fault.kind === 'lie' ? { patch: fault.patch } : {}),
    ...(fault.kind === 'fail_share' ? { share: String(fault.share) } : {}),
  }
}
