import { Decimal } from '../../core/values/decimal.ts'
import type { FleetAlert } from '../../monitor/fleetState.ts'
import type { Picture } from './readFleet.ts'

/** What a person is told when it begins, and when it is over. */
export interface AlertChange {
  readonly phase: 'began' | 'over'
  readonly alert: FleetAlert
}

/** A store that is away for less is told to nobody. */
const storeGraceMs = 10_000
/** Guards hear a kill within a second; who has not latched by then does not. */
const heedMs = 10_000
/** Of the server's queue of notifications: nobody in a fleet leaves so much unread. */
const queueMost = 0.5

interface StoreWords {
  readonly state: 'up' | 'down'
  readonly sinceMs: number
  readonly error: string | null
}

type Wanted = Omit<FleetAlert, 'since_ms'>

/** What holds now, and since when: an alert keeps its beginning for as long as it lasts. */
export class FleetAlerts {
  readonly #lasting = new Map<string, FleetAlert>()

  get all(): readonly FleetAlert[] {
    return [...this.#lasting.values()]
  }

  /** While the store is away nothing that it would say begins or ends. */
  look(picture: Picture | null, store: StoreWords, nowMs: number, more: readonly Wanted[]) {
    const wanted = [
      ...storeAlerts(store, nowMs),
      ...(picture === null || store.state === 'down'
        ? this.#kept()
        : [...pictureAlerts(picture), ...sharedAlerts(picture)]),
      ...more,
    ]
    const changes: AlertChange[] = []
    const holds = new Map(wanted.map((each) => [keyOf(each), each]))
    for (const [key, alert] of this.#lasting) {
      if (holds.has(key)) continue
      this.#lasting.delete(key)
      changes.push({ phase: 'over', alert })
    }
    for (const [key, each] of holds) {
      const known = this.#lasting.get(key)
      const alert = { ...each, since_ms: known?.since_ms ?? nowMs }
      this.#lasting.set(key, alert)
      if (known === undefined) changes.push({ phase: 'began', alert })
    }
    return changes as readonly AlertChange[]
  }

  #kept(): readonly Wanted[] {
    return this.all.filter(({ code }) => code !== 'store_down' && code !== 'loss_stop')
  }
}

function keyOf({ code, member }: Wanted): string {
  return `${code}:${member ?? ''}`
}

function storeAlerts({ state, sinceMs, error }: StoreWords, nowMs: number): readonly Wanted[] {
  if (state === 'up' || nowMs - sinceMs < storeGraceMs) return []
  const text = `the fleet’s store does not answer (${error ?? 'no reason known'}): nobody is watched, and a kill cannot be raised. At each machine: guard kill --all`
  return [{ code: 'store_down', member: null, text }]
}

function pictureAlerts({ members, kills, atMs }: Picture): readonly Wanted[] {
  const silent = members
    .filter(({ state }) => state === 'silent')
    .map(({ name, unheard_ms, host }): Wanted => {
      const seconds = Math.round((unheard_ms ?? 0) / 1_000)
      const text = `${name} is silent: unheard for ${seconds} s${host === null ? '' : `, last on ${host}`}. Its stops rest at the venue; whether it still watches is not known`
      return { code: 'member_silent', member: name, text }
    })
  const forked = members
    .filter(({ forks }) => forks > 0)
    .map(({ name }): Wanted => {
      const text = `${name} has offered records that contradict those the store keeps: guard fleet verify --guard ${name}`
      return { code: 'member_fork', member: name, text }
    })
  const unheeded = kills
    .filter(({ state, at_ms }) => state === 'killed' && atMs - at_ms >= heedMs)
    .flatMap(({ members: under, scope, epoch }) =>
      under
        .filter(({ state }) => state === 'silent')
        .map(({ name }): Wanted => {
          const text = `${name} has not latched by epoch ${epoch} of ${scope}. At its machine: guard kill --all`
          return { code: 'kill_unheeded', member: name, text }
        }),
    )
  return [...silent, ...forked, ...unheeded]
}

/** What is the fault of nobody by name. */
function sharedAlerts({ budgets, queueUsed }: Picture): readonly Wanted[] {
  const exceeded = budgets
    .filter(({ used_usd, limit_usd }) => Decimal.of(used_usd).gt(Decimal.of(limit_usd)))
    .map((each) => `${each.kind} of ${each.scope}: ${each.used_usd} of ${each.limit_usd} USD`)
  const over = `more is used than a shared limit allows (${exceeded.join('; ')}): nothing new opens on it, and nothing is closed by itself. Who uses what: guard fleet limit`
  const queue = `${Math.round((queueUsed ?? 0) * 100)}% of the store’s queue of notifications is taken: somebody listens and does not read. A kill is raised also when it is full, and is heard within a second. Who it is: pg_stat_activity; guard fleet retire ends a member`
  return [
    ...(exceeded.length > 0
      ? [{ code: 'budget_exceeded', member: null, text: over } as const]
      : []),
    ...((queueUsed ?? 0) > queueMost
      ? [{ code: 'store_queue', member: null, text: queue } as const]
      : []),
  ]
}
