import { Account } from '../../core/account/account.ts'
import { openingOf } from '../../core/account/reservation.ts'
import type { Reservation } from '../../core/account/reservation.ts'
import { twapPlanRecord } from '../../core/account/twapRecord.ts'
import type { DecisionBody, Internal } from '../../core/events/guardEvent.ts'
import { actionsOf } from '../../core/judge/decision.ts'
import type { Decision, JudgeInput } from '../../core/judge/decision.ts'
import type { ReasonCode } from '../../core/judge/codes.ts'
import { AccountWithRequest } from '../../core/judge/accountWithRequest.ts'
import { OrderIds } from '../../core/judge/orderIds.ts'
import { judge } from '../../core/judge/judge.ts'
import { recordLease } from './recordedLease.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { Json, JsonObject, Order } from '../../core/protocol/action.ts'
import { ordersOf } from '../../core/protocol/actionReply.ts'
import { assetKind } from '../../core/protocol/assetId.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { guardCloidTailBytes, makeGuardCloid } from '../../core/protocol/guardCloid.ts'
import type { CloidMint } from '../../core/protocol/guardCloid.ts'
import type { Rules, RulesFor } from '../../core/rules/rules.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { keepOptimised } from '../../core/values/keepOptimised.ts'
import type { Asker } from './authenticate.ts'
import type { Random } from '../ports.ts'
import { recordReads } from './recordedView.ts'
import { coveringJson } from '../stopRows.ts'
import { tightened } from './tightened.ts'
import type { Promised } from './tightened.ts'
import { refusedRequest } from './refusedRequest.ts'

/** A decision, and everything it was made from. */
export interface Judgement {
  readonly decision: Decision
  readonly inputs: Json
  /** The stops that leave a position less to lose than it was promised, as they are recorded. */
  readonly covering: readonly Json[]
}

/** Judges, and writes down what was read, so that the same record gives the same decision again. */
export function judgeRecorded(promised: Promised, input: JudgeInput): Judgement {
  const account = recordReads(input.account)
  const cloids: string[] = []
  const rules: { [question: string]: Json } = {}
  const mint: CloidMint = (kind) => {
    const minted = input.mint(kind)
    cloids.push(minted)
    return minted
  }
  const rulesFor: RulesFor = (client, coin) => {
    const asked = input.rulesFor(client, coin)
    rules[`${client ?? ''}|${coin ?? ''}`] ??= changedRules(asked)
    return asked
  }
  const lease = input.lease === undefined ? null : recordLease(input.lease)
  const asked = { ...input, account: account.view, mint, rulesFor, lease: lease?.lease }
  const decision = judge(asked)
  const { risk } = input
  const inputs = {
    now: input.now,
    latched: input.latched,
    risk: {
      state: risk.state,
      holding: risk.holding,
      lastEquity: risk.lastEquity === null ? null : risk.lastEquity.toString(),
      ...(risk.doubt == null ? {} : { doubt: risk.doubt }),
      ...(risk.unseen == null ? {} : { unseen: risk.unseen }),
      ...(risk.detail == null ? {} : { detail: { ...risk.detail } }),
    },
    entries_last_minute: input.entriesLastMinute,
    ...(input.withheld === undefined ? {} : { withheld: { ...input.withheld } }),
    ...(lease === null ? {} : { lease: lease.asked }),
    builders: [...input.builders],
    cloids,
    rules,
    reads: account.reads(),
  }
  // What is refused relies on nothing.
  const covering = decision.verdict === 'veto' ? [] : tightened(promised).map(coveringJson)
  return { decision, inputs, covering }
}

/** Rules change with the configuration alone: what differs is worked out once for each of them. */
const knownChanges = new WeakMap<ReturnType<RulesFor>, Json>()

/** Only what differs from the defaults, which are part of the program. */
function changedRules(rules: ReturnType<RulesFor>): Json {
  const known = knownChanges.get(rules)
  if (known !== undefined) return known
  const changed: { [field: string]: Json } = {}
  for (const [field, value] of Object.entries(rules)) {
    const usual = JSON.stringify(defaultRules[field as keyof typeof defaultRules])
    const json = JSON.stringify(value)
    if (json !== usual) changed[field] = JSON.parse(json) as Json
  }
  knownChanges.set(rules, changed)
  return changed
}

/** Ids that nobody can guess. */
export function randomMint(random: Random): CloidMint {
  return (kind) => makeGuardCloid(kind, random.bytes(guardCloidTailBytes))
}

/** The same request, refused for a reason outside the judge. */
export function vetoed(decision: Decision, { code, text }: Refusal): Decision {
  return {
    ...decision,
    verdict: 'veto',
    code,
    text,
    changes: [],
    changeRecords: [],
    pre: [],
    forward: null,
    forwardMore: [],
    post: [],
    exits: [],
    reservations: [],
    needs: [],
    entryCount: 0,
  }
}

export function decisionBody(
  asker: Asker,
  via: 'http' | 'ws',
  { decision, inputs, covering }: Judgement,
  isPaper: boolean,
): DecisionBody & Internal {
  const { code, text, verdict } = decision
  const request = verdict === 'veto' ? refusedRequest(asker.request) : asker.request
  const unjudged = bodyOf(asker, via, code, text, request)
  // A refusal whose request is not on record whole cannot be judged again: it needs no inputs.
  if (request !== asker.request) return unjudged
  return {
    ...unjudged,
    verdict,
    changes: decision.changes,
    change_records: decision.changeRecords,
    pre: decision.pre.map(encodeAction),
    forward: decision.forward === null ? null : encodeAction(decision.forward),
    forward_more: decision.forwardMore.map(encodeAction),
    post: decision.post.map(encodeAction),
    _: {
      in: inputs,
      // What this decision relies on is on disk with it: a crash must not forget it.
      ...(isPaper || covering.length === 0 ? {} : { covering }),
      ...(isPaper ? { paper: true } : { plans: plannedStops(decision), ...plannedTwaps(decision) }),
    },
  }
}

/** The event of a request that was refused before it could be judged. */
export function unjudgedBody(
  asker: Asker,
  via: 'http' | 'ws',
  code: ReasonCode,
  text: string,
): DecisionBody {
  return bodyOf(asker, via, code, text, refusedRequest(asker.request))
}

function bodyOf(
  asker: Asker,
  via: 'http' | 'ws',
  code: ReasonCode,
  text: string,
  request: Json,
): DecisionBody {
  return {
    kind: 'decision',
    via,
    client: asker.client,
    signed_as: asker.signedAs,
    nonce: asker.nonce,
    action: asker.type,
    verdict: 'veto',
    code,
    text,
    changes: [],
    change_records: [],
    request,
    pre: [],
    forward: null,
    forward_more: [],
    post: [],
  }
}

/** The stops that a decision's orders stand for, as a next start reads them: id, is it an entry, where, whose Guard keeps. */
function plannedStops(decision: Decision): readonly Json[] {
  return decision.reservations.flat().flatMap((item): readonly Json[] => {
    if (item.kind === 'entry') {
      const kept = item.watched === undefined ? [] : [item.watched.stopBy]
      return [[item.cloid, true, item.stop.toString(), ...kept]]
    }
    return item.kind === 'stop' ? [[item.cloid, false, item.trigger.toString()]] : []
  })
}

/** Its TWAPs, each with the place of its action: a TWAP has no id that the venue would know. */
function plannedTwaps(decision: Decision): JsonObject {
  const twaps = decision.reservations.flatMap((items, place) =>
    items.flatMap((item): readonly Json[] =>
      item.kind === 'twap' ? [[place, { ...twapPlanRecord(item) }]] : [],
    ),
  )
  return twaps.length === 0 ? {} : { twaps }
}

/** What opens and what only reduces, in one request that becomes an action for each of them. */
export function isMixed(decision: Decision): boolean {
  const places = actionsOf(decision).map((_, place) => place)
  const { slots } = decision.reply
  const exits = slots.filter((slot) => slot.kind === 'status' && !opens(decision, slot.action))
  return exits.length > 0 && places.some((place) => opens(decision, place))
}

/** Whether the action at a place can open or enlarge a position. */
export function opens(decision: Decision, place: number): boolean {
  return decision.reservations[place]?.some((each) => openingOf(each) !== null) ?? false
}

export function opensAnything(decision: Decision): boolean {
  return actionsOf(decision).some((_, place) => opens(decision, place))
}

/**
 * Whether it goes also while Guard does not know what became of earlier sends: it closes, takes back,
 * tightens or adds margin. A leverage may have been changed since it was seen, and where positions may
 * be on cross margin what is added to one may be missing behind the others.
 */
export function onlyLowersRisk(decision: Decision, { margin }: Pick<Rules, 'margin'>): boolean {
  if (decision.verdict === 'veto' || decision.lane === 'entry') return false
  const isSettled = ({ kind }: Reservation): boolean =>
    kind !== 'leverage' && (kind !== 'margin' || margin !== 'cross')
  return !opensAnything(decision) && decision.reservations.flat().every(isSettled)
}

/** Whether it is no way out of anything: what opens, and what trades tokens. It needs the journal itself. */
export function needsJournal(decision: Decision): boolean {
  const places = actionsOf(decision).map((_, place) => place)
  return opensAnything(decision) || places.some((place) => sellsTokens(decision, place))
}

/** Whether the action at a place trades tokens: nobody sells any after a kill or a halt. */
export function sellsTokens(decision: Decision, place: number): boolean {
  const action = actionsOf(decision)[place]
  const isSpot = ({ asset }: Order): boolean => assetKind(asset) === 'spot'
  return action !== undefined && ordersOf(action).some(isSpot)
}

const nothing = new Account()
keepOptimised(recordReads(nothing))
keepOptimised(new AccountWithRequest(nothing))
keepOptimised(new OrderIds(randomMint({ bytes: (count) => new Uint8Array(count) }), () => null))
