import { leaseTimes, writerTimes } from '../../src/fleet/leaseTimes.ts'
import { budgetKey, centsOf, emptyState, leaseKey, scopesOf, textOf } from './storeState.ts'
import type { BudgetRow, Cents, LeaseRow, MemberRow, StoreState } from './storeState.ts'
import { keepWriter, noticed, streamOf } from './writerModel.ts'

/** The store said no, and nothing was done. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Row = Readonly<Record<string, string | number | boolean | null>>
type Values = readonly (string | number | boolean | null)[]

interface Ask {
  readonly scope: string
  readonly kind: string
  readonly used: string
  readonly want: string
  readonly keep: string
}

interface CopiedRow {
  readonly seq: number
  readonly hash: string
  readonly prev: string
}

const { heldMs, signedMs } = writerTimes

/**
 * What the store of a fleet does with what it is asked, in memory, each question at once and whole. It is
 * written from what the fleet needs of a store; a test compares it with the real one.
 */
export class StoreModel {
  state: StoreState = emptyState()
  readonly #now: () => number

  /** `now`: the server's clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  get nowMs(): number {
    return this.#now()
  }

  /** What a replica has that takes over: what it had heard, under a timeline of its own. */
  failOver(heard: StoreState): void {
    const timeline = this.state.timeline + 1
    const startedMs = this.#now()
    this.state = structuredClone(heard)
    Object.assign(this.state, { timeline, startedMs })
  }

  /** The server was started again: `heard` is all that it has, where it was put back to a copy of its disk. */
  restart(heard: StoreState = this.state): void {
    const { timeline } = this.state
    this.state = structuredClone(heard)
    Object.assign(this.state, { timeline, startedMs: this.#now() })
  }

  add(name: string, account: string, group: string): void {
    this.state.members.set(name, {
      ...{ name, account, group, retiredMs: null, obeyed: 0, writerEpoch: 0, leaseTurn: 0 },
    })
  }

  /** Retires a member; false where there is none of this name, or it was retired before. */
  retire(name: string): boolean {
    const { members, leases, budgets, writers } = this.state
    const gone = members.get(name)
    if (gone?.retiredMs !== null) return false
    gone.retiredMs = this.#now()
    for (const [key, lease] of leases) {
      if (lease.member !== name) continue
      leases.delete(key)
      const budget = budgets.get(budgetKey(lease.scope, lease.kind))
      if (budget !== undefined) budget.leased -= lease.held
    }
    writers.delete(name)
    return true
  }

  setLimit(scope: string, kind: string, usd: Cents): void {
    this.#checkScope(scope)
    const key = budgetKey(scope, kind)
    const known = this.state.budgets.get(key)
    if (known === undefined) this.state.budgets.set(key, { scope, kind, set: usd, leased: 0 })
    else known.set = usd
  }

  /** How many held something of it; null where there is no such budget. */
  removeLimit(scope: string, kind: string): number | null {
    if (!this.state.budgets.delete(budgetKey(scope, kind))) return null
    const { leases } = this.state
    const gone = [...leases].filter(([, lease]) => lease.scope === scope && lease.kind === kind)
    for (const [key] of gone) leases.delete(key)
    return gone.length
  }

  /** By the same request it is raised once. */
  kill(scope: string, reason: string, request: string | null = null): number {
    this.#checkScope(scope)
    const known = this.state.control.get(scope)
    if (known?.isKilled === true && request !== null && known.request === request) {
      return known.epoch
    }
    const { control, members, timeline, startedMs, leasing } = this.state
    const isNoticed = leasing.timeline === timeline && leasing.startedMs === startedMs
    const begun = isNoticed ? leasing.begun : Math.floor(this.#now())
    const first = begun > 0 ? timeline * 1e13 + begun : timeline * 1e6
    const raised = [...control.values()].map(({ epoch }) => epoch)
    const obeyed = [...members.values()].map((member) => member.obeyed)
    const epoch = Math.max(first, ...raised, ...obeyed) + 1
    control.set(scope, { epoch, isKilled: true, reason, request })
    return epoch
  }

  /** The epoch that was cleared; null where nothing was killed there. */
  clear(scope: string): number | null {
    const known = this.state.control.get(scope)
    if (known?.isKilled !== true) return null
    known.isKilled = false
    return known.epoch
  }

  /** What a member's question is answered with; throws a `Refusal`. */
  answer(name: string, text: string, values: Values): readonly Row[] {
    const asked = /guard\.(\w+)\(/.exec(text)?.[1] ?? 'listen'
    if (asked === 'listen') return []
    const member = this.state.members.get(name)
    if (member?.retiredMs !== null) throw new Refusal('GF001', `${name} is no member of this fleet`)
    const answers = this.#answers[asked]
    if (answers === undefined) throw new Error(`the model knows nothing of ${asked}`)
    return answers(member, values)
  }

  readonly #answers: Readonly<Record<string, (member: MemberRow, values: Values) => Row[]>> = {
    join_fleet: (member, values) => {
      member.obeyed = Math.max(member.obeyed, Number(values[5]))
      return [{ name: member.name, group_name: member.group }]
    },
    beat: (member) => this.#killsFor(member),
    acknowledge: (member, [epoch, , flat]) => {
      const key = `${member.name} ${Number(epoch)}`
      const known = this.state.acks.get(key)
      const isFlat = known?.isFlat === true || flat !== null
      this.state.acks.set(key, { epoch: Number(epoch), isFlat })
      member.obeyed = Math.max(member.obeyed, Number(epoch))
      return []
    },
    report: () => [],
    tell_head: () => [],
    begin_leases: (member) => {
      member.leaseTurn += 1
      return [{ turn: String(member.leaseTurn) }]
    },
    renew_leases: (member, [turn, asks]) => {
      if (member.leaseTurn !== Number(turn)) {
        throw new Refusal('GF005', 'another connection of this Guard asks for its leases')
      }
      return this.#renew(member, JSON.parse(String(asks)) as Ask[])
    },
    keep_writer: (member, [instance, run, epoch, holds, heeded, word, answer]) => [
      keepWriter(this.state, this.#now(), member, {
        ...{ instance: String(instance), run: String(run), epoch: Number(epoch) },
        ...{ holds: holds === true, heeded: heeded === true, word: String(word) },
        answer: Number(answer),
      }),
    ],
    leave_writer: (member, [run, epoch, word]) => {
      const writer = this.state.writers.get(member.name)
      if (writer === undefined || writer.run !== run || writer.epoch !== Number(epoch)) return []
      writer.untilMs = this.#now()
      writer.word = String(word)
      writer.isTold = true
      return []
    },
    copied_by: (member, [instance]) => {
      this.#checkInstance(member, instance)
      return [{ last_seq: String(streamOf(this.state, member)?.hashes.length ?? 0) }]
    },
    copy_events: (member, [instance, rows, isGone]) => {
      this.#checkInstance(member, instance)
      if (isGone === true) throw new Error('no journal of a world forgets anything')
      return [this.#copy(member, String(instance), JSON.parse(String(rows)) as CopiedRow[])]
    },
  }

  /** Somebody has to be in it. */
  #checkScope(scope: string): void {
    const living = [...this.state.members.values()].filter(({ retiredMs }) => retiredMs === null)
    if (scope === 'fleet' || living.some((each) => scopesOf(each).includes(scope))) return
    throw new Refusal('GF002', `no member of this fleet is in ${scope}`)
  }

  #killsFor(member: MemberRow): Row[] {
    const scopes = scopesOf(member)
    return [...this.state.control]
      .filter(([scope, { isKilled }]) => isKilled && scopes.includes(scope))
      .sort(([, left], [, right]) => left.epoch - right.epoch)
      .map(([scope, { epoch, reason }]) => ({ scope, epoch: String(epoch), reason }))
  }

  #renew(member: MemberRow, asks: readonly Ask[]): Row[] {
    noticed(this.state, this.#now())
    const scopes = scopesOf(member)
    const budgets = [...this.state.budgets.values()]
      .filter(({ scope }) => scopes.includes(scope))
      .sort((a, b) => (budgetKey(a.scope, a.kind) < budgetKey(b.scope, b.kind) ? -1 : 1))
    return budgets.map((budget) => {
      const ask = asks.find(({ scope, kind }) => scope === budget.scope && kind === budget.kind)
      const { scope, kind } = budget
      const told = { scope, kind, budget: textOf(budget.set) }
      const known = this.state.leases.get(leaseKey(member.name, scope, kind))
      const old = known?.held ?? 0
      if (ask === undefined) return { ...told, held: textOf(old), target: null, was_asked: false }
      const { granted, target } = this.#grant(member, budget, old, ask)
      budget.leased += granted - old
      this.#keepLease(member, budget, granted, ask)
      return { ...told, held: textOf(granted), target: textOf(target), was_asked: true }
    })
  }

  #grant(
    member: MemberRow,
    budget: BudgetRow,
    old: Cents,
    ask: Ask,
  ): { readonly granted: Cents; readonly target: Cents } {
    const [used, want, keep] = [centsOf(ask.used), centsOf(ask.want), centsOf(ask.keep)]
    const others = this.#leasesOf(budget).filter((lease) => lease.member !== member.name)
    const counted = others.reduce((sum, each) => sum + Math.max(each.held, each.reported), 0)
    const room = Math.max(budget.set - counted, 0)
    /** The most that it could hold without anybody else holding less. */
    const most = Math.max(old, room)
    const covered = Math.min(used, most)
    const spare = Math.min(Math.max(want - used, 0), this.#fairPart(member, budget, covered))
    const target = covered + Math.max(Math.min(spare, room - covered), 0)
    let granted = Math.max(target, Math.min(keep, most))
    // What a server remembers that has lost something may have been given to another since.
    if (this.#isFrozen(budget)) granted = Math.min(granted, Math.max(covered, keep))
    if (this.#wasRetired(budget.scope)) granted = Math.min(granted, Math.max(old, keep))
    return { granted, target }
  }

  #leasesOf({ scope, kind }: BudgetRow): readonly LeaseRow[] {
    return [...this.state.leases.values()].filter(
      (lease) => lease.scope === scope && lease.kind === kind,
    )
  }

  /** Whether nothing new is leased of it: who held what is not known for certain. */
  #isFrozen(budget: BudgetRow): boolean {
    const { sinceMs, isRestart, isPutBack } = this.state.leasing
    const nowMs = this.#now()
    if (nowMs >= sinceMs + leaseTimes.spareMs) return false
    if (!isRestart || nowMs < sinceMs + heldMs + signedMs) return true
    if (!isPutBack) return false
    const heard = new Set(
      this.#leasesOf(budget)
        .filter(({ renewedMs }) => renewedMs >= sinceMs)
        .map(({ member }) => member),
    )
    return [...this.state.members.values()].some(
      (each) =>
        each.retiredMs === null &&
        this.state.writers.has(each.name) &&
        scopesOf(each).includes(budget.scope) &&
        !heard.has(each.name),
    )
  }

  #keepLease(member: MemberRow, { scope, kind }: BudgetRow, held: Cents, ask: Ask): void {
    const used = centsOf(ask.used)
    const row: LeaseRow = {
      ...{ member: member.name, scope, kind, held, used: Math.min(used, held) },
      ...{ reported: used, want: centsOf(ask.want), renewedMs: this.#now() },
    }
    this.state.leases.set(leaseKey(member.name, scope, kind), row)
  }

  /** What one may have to spare while another has less than its part; infinity while none has. */
  #fairPart(member: MemberRow, budget: BudgetRow, used: Cents): Cents {
    const others = this.#leasesOf(budget).filter((lease) => lease.member !== member.name)
    const isHeard = (lease: LeaseRow): boolean =>
      lease.renewedMs > this.#now() - leaseTimes.silentMs
    const taken = others.reduce(
      (sum, each) => sum + (isHeard(each) ? each.reported : Math.max(each.held, each.reported)),
      used,
    )
    const heard = others.filter(isHeard)
    const part = Math.floor(Math.max(budget.set - taken, 0) / (1 + heard.length))
    const isShort = heard.some(
      (each) => each.held - each.used < Math.min(each.want - each.reported, part),
    )
    return isShort ? part : Infinity
  }

  /** Whoever was retired lately may still open by what it held. */
  #wasRetired(scope: string): boolean {
    return [...this.state.members.values()].some(
      (gone) =>
        gone.retiredMs !== null &&
        gone.retiredMs > this.#now() - heldMs - signedMs &&
        scopesOf(gone).includes(scope),
    )
  }

  /** Only the records of the home that may act, or was the last to, are the account's: never of two. */
  #checkInstance(member: MemberRow, instance: Values[number] | undefined): void {
    const acting = this.state.writers.get(member.name)?.instance ?? instance
    const copied = streamOf(this.state, member)?.instance ?? instance
    if (acting !== instance || copied !== instance) {
      throw new Refusal('GF006', 'another Guard has the right to act for this account')
    }
  }

  #copy(member: MemberRow, instance: string, rows: readonly CopiedRow[]): Row {
    const known = streamOf(this.state, member) ?? { instance, hashes: [] }
    this.state.streams.set(`${member.name} ${member.writerEpoch}`, known)
    const stream = known.hashes
    const isFork = rows.some(
      ({ seq, hash, prev }) =>
        (seq <= stream.length && stream[seq - 1] !== hash) ||
        (seq === stream.length + 1 && seq > 1 && stream[seq - 2] !== prev),
    )
    if (isFork) return { outcome: 'fork', last_seq: String(stream.length) }
    if ((rows[0]?.seq ?? 0) > stream.length + 1) {
      return { outcome: 'hole', last_seq: String(stream.length) }
    }
    for (const { seq, hash } of rows) if (seq === stream.length + 1) stream.push(hash)
    return { outcome: 'kept', last_seq: String(stream.length) }
  }
}
