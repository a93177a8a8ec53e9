import { leaseTimes, writerTimes } from '../../src/fleet/leaseTimes.ts'
import type { LeasingRow, MemberRow, StoreState, StreamRow, WriterRow } from './storeState.ts'

const { heldMs, signedMs } = writerTimes
type Row = Readonly<Record<string, string | number | boolean | null>>

/** What a run says when it asks for the right to act. */
interface WriterAsk {
  readonly instance: string
  readonly run: string
  readonly epoch: number
  /** It has the right now, by its own clocks. */
  readonly holds: boolean
  /** It has heeded what the home before it left. */
  readonly heeded: boolean
  readonly word: string | null
  /** The number of the last answer by which it had the right. */
  readonly answer: number
}

/**
 * Since when this server answers; it notices at a question that it has begun anew, or is another one. A
 * start is known from another server by the timeline alone.
 */
export function noticed(state: StoreState, nowMs: number): LeasingRow {
  const { leasing, timeline, startedMs } = state
  if (leasing.timeline === timeline && leasing.startedMs === startedMs) return leasing
  const isSame = leasing.timeline === timeline
  const wasSettled = leasing.sinceMs < nowMs - leaseTimes.spareMs
  state.leasing = {
    ...{ timeline, startedMs, begun: Math.floor(nowMs) },
    isPutBack: leasing.isPutBack && leasing.sinceMs > nowMs - leaseTimes.spareMs,
    isRestart: isSame && (leasing.isRestart || wasSettled),
    sinceMs: isSame ? Math.max(leasing.sinceMs, startedMs) : nowMs,
  }
  return state.leasing
}

export function streamOf(
  state: StoreState,
  { name, writerEpoch }: MemberRow,
): StreamRow | undefined {
  return state.streams.get(`${name} ${writerEpoch}`)
}

/** Asks for the right to act, and tells a word with it. */
export function keepWriter(
  state: StoreState,
  nowMs: number,
  member: MemberRow,
  ask: WriterAsk,
): Row {
  const { writers } = state
  noticed(state, nowMs)
  if (ask.answer > (writers.get(member.name)?.answers ?? 0)) {
    state.leasing = { ...state.leasing, isPutBack: true }
  }
  const server = state.leasing
  const known = writers.get(member.name)
  const isOther = known !== undefined && known.run !== ask.run
  const isOwn = known === undefined || known.instance === ask.instance
  const nothing = { answer: null, left_word: null, left_known: null, left_host: null }
  const told = { is_own: isOwn, host: null, ...nothing }
  if (ask.epoch > 0 && isOther && known.epoch > ask.epoch) {
    return { outcome: 'lost', epoch: String(known.epoch), ...told, wait_ms: '0' }
  }
  const mayGoOn = server.isRestart && ask.holds && ask.epoch > 0
  const freeMs = Math.max(
    mayGoOn ? -Infinity : server.sinceMs + heldMs + signedMs,
    goneUntil(state, member),
    isOther ? known.untilMs + (isOwn ? 0 : signedMs) : -Infinity,
  )
  if (freeMs > nowMs) {
    if (isOther) learnEpoch(known, ask.epoch, server, nowMs)
    const waits = String(Math.ceil(freeMs - nowMs))
    return { outcome: 'waits', epoch: String(known?.epoch ?? 0), ...told, wait_ms: waits }
  }
  if (known === undefined || isOther) take(state, member, ask, known)
  const writer = writers.get(member.name)
  if (writer === undefined) throw new Error('it was just set')
  writer.untilMs = nowMs + heldMs
  writer.epoch = Math.max(writer.epoch, ask.epoch)
  writer.answers = Math.max(writer.answers, ask.answer) + 1
  writer.word = ask.word
  writer.isTold = true
  if (ask.heeded) writer.left = null
  const { left } = writer
  return {
    ...{ outcome: 'held', epoch: String(writer.epoch), is_own: true, host: null, wait_ms: '0' },
    answer: String(writer.answers),
    ...{ left_word: left?.word ?? null, left_known: left?.isKnown ?? null, left_host: null },
  }
}

/** One that had the right by what this server has lost: who was given it since is above that. */
function learnEpoch(known: WriterRow, epoch: number, server: LeasingRow, nowMs: number): void {
  const isSince = known.untilMs > nowMs && known.untilMs >= server.sinceMs + heldMs
  if (epoch <= known.epoch || !isSince) return
  known.epoch = epoch + 1
  // A contact without a word, unless its word came in this very moment.
  known.isTold &&= known.untilMs === nowMs + heldMs
}

function take(
  state: StoreState,
  member: MemberRow,
  { instance, run, epoch }: WriterAsk,
  known: WriterRow | undefined,
): void {
  const next = Math.max(epoch, member.writerEpoch, known?.epoch ?? 0) + 1
  const isOwn = known === undefined || known.instance === instance
  chooseChain(state, member, instance, next, isOwn)
  const lastWord =
    known === undefined ? null : { word: known.word, isKnown: known.isTold && known.word !== null }
  const left = isOwn ? (known?.left ?? null) : (known.left ?? lastWord)
  state.writers.set(member.name, {
    ...{ epoch: next, instance, run, untilMs: 0, word: null, isTold: false, left },
    answers: known?.answers ?? 0,
  })
}

/** A home goes on with its own chain of records; one that has none begins one, unless it is the first. */
function chooseChain(
  state: StoreState,
  member: MemberRow,
  instance: string,
  next: number,
  isOwn: boolean,
): void {
  const copied = streamOf(state, member)?.instance ?? instance
  if (isOwn && copied === instance) return
  const own = [...state.streams]
    .filter(([key, row]) => key.startsWith(`${member.name} `) && row.instance === instance)
    .map(([key]) => Number(key.split(' ')[1]))
  member.writerEpoch = own.length > 0 ? Math.max(...own) : next
}

/** Until when a member that was retired may act for the same account. */
function goneUntil({ members }: StoreState, { name, account }: MemberRow): number {
  const gone = [...members.values()].filter(
    (each) => each.account === account && each.name !== name && each.retiredMs !== null,
  )
  return Math.max(...gone.map((each) => (each.retiredMs ?? 0) + heldMs + signedMs), -Infinity)
}
