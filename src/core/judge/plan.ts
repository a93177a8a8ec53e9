import type { Reservation } from '../account/reservation.ts'
import type { Action } from '../protocol/action.ts'
import { change } from './changes.ts'
import type { Change } from './changes.ts'
import type {
  Decision,
  DecisionLane,
  EntryDecision,
  ExitDecision,
  ReplyPlan,
  ReplySlot,
} from './decision.ts'
import type { Refusal } from './refusal.ts'

/** One action to be sent, what it holds meanwhile, and what must have gone well before it. */
export interface Step {
  readonly action: Action
  readonly reservations: readonly Reservation[]
  readonly needs: readonly Step[]
}

export function step(
  action: Action,
  reservations: readonly Reservation[],
  needs: readonly Step[] = [],
): Step {
  return { action, reservations, needs }
}

/** Where the answer for one item of the request comes from, before places are numbered. */
export type Slot =
  /** `pieces` of them from `index` on are one order of the bot's; left out: one. */
  | { readonly step: Step; readonly index: number; readonly pieces?: number }
  /** A stop that Guard keeps for the order at `index` and places once that fills. */
  | { readonly waitsFor: Step; readonly index: number }
  | { readonly veto: Refusal }
  /** Answered by Guard as the venue would answer it: nothing of it is sent. */
  | { readonly told: string }

interface Plan {
  readonly pre: readonly Step[]
  readonly main: readonly Step[]
  readonly post: readonly Step[]
  readonly lane: DecisionLane
  readonly changes: readonly Change[]
  readonly entries: readonly EntryDecision[]
  readonly exits: readonly ExitDecision[]
  readonly slots: readonly Slot[]
  readonly reply: Pick<ReplyPlan, 'kind' | 'responseType'>
  readonly stripCloids: readonly string[]
  /** The sentence when nothing was changed. */
  readonly text: string
  /** Forwarded without the account: said only when nothing was changed. */
  readonly isUnjudged: boolean
}

/** How a veto reads wherever it stands for a reply. */
function vetoText(refusal: Refusal): string {
  return `Guard veto [${refusal.code}]: ${refusal.text}`
}

/** A decision that forwards nothing. */
export function vetoed(refusal: Refusal, entries: readonly EntryDecision[] = []): Decision {
  return {
    verdict: 'veto',
    code: refusal.code,
    text: refusal.text,
    changes: [],
    changeRecords: [],
    pre: [],
    forward: null,
    forwardMore: [],
    post: [],
    entries,
    exits: [],
    reservations: [],
    needs: [],
    lane: 'entry',
    entryCount: 0,
    reply: { kind: 'pass', responseType: 'default', slots: [], stripCloids: [] },
  }
}

/** Numbers the steps of a plan and says its verdict. */
export function decided(plan: Plan): Decision {
  const steps = [...plan.pre, ...plan.main, ...plan.post]
  const placeOf = (each: Step): number => steps.indexOf(each)
  const changes = [...plan.changes, ...leftBehind(plan)]
  const isChanged = changes.length > 0
  const actions = plan.main.map((each) => each.action)
  return {
    verdict: isChanged ? 'resize' : 'allow',
    code: isChanged ? 'resized' : plan.isUnjudged ? 'exit_unjudged' : 'allowed',
    text: isChanged ? changes.map((each) => each.text).join('; ') : plan.text,
    changes: changes.map((each) => each.text),
    changeRecords: changes.map((each) => each.record),
    pre: plan.pre.map((each) => each.action),
    forward: actions[0] ?? null,
    forwardMore: actions.slice(1),
    post: plan.post.map((each) => each.action),
    entries: plan.entries,
    exits: plan.exits,
    reservations: steps.map((each) => each.reservations),
    needs: steps.map((each) => each.needs.map(placeOf)),
    lane: plan.lane,
    entryCount: plan.entries.filter((entry) => entry.verdict !== 'veto').length,
    reply: {
      kind: plan.reply.kind,
      responseType: plan.reply.responseType,
      slots: plan.slots.map((slot) => numbered(slot, placeOf)),
      stripCloids: plan.stripCloids,
    },
  }
}

/** What of the request is refused in its place while the rest goes: a change like any other. */
function leftBehind(plan: Plan): readonly Change[] {
  const entries = plan.entries
    .filter((entry) => entry.verdict === 'veto')
    .map(({ side, coin, code, text }) => notSent(`${side} ${coin} `, { code, text }))
  const told = new Set(plan.entries.map(({ text }) => text))
  const others = plan.slots
    .flatMap((slot) => ('veto' in slot && !told.has(slot.veto.text) ? [slot.veto] : []))
    .map((refusal) => notSent('', refusal))
  return [...entries, ...others]
}

function notSent(what: string, { code, text }: Pick<EntryDecision, 'code' | 'text'>): Change {
  return change(`${what}not sent [${code}]: ${text}`, 'order', 'asked', null, code)
}

function numbered(slot: Slot, placeOf: (each: Step) => number): ReplySlot {
  if ('veto' in slot) return { kind: 'veto', text: vetoText(slot.veto) }
  if ('told' in slot) return { kind: 'veto', text: slot.told }
  if ('waitsFor' in slot) {
    return { kind: 'waiting', action: placeOf(slot.waitsFor), index: slot.index }
  }
  const { step: sent, index, pieces = 1 } = slot
  const split = pieces > 1 ? { pieces } : {}
  return { kind: 'status', action: placeOf(sent), index, ...split }
}
