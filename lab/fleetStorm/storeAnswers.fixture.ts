import type { Answer } from './realStore.fixture.ts'
import { Refusal } from './storeModel.ts'
import { centsOf } from './storeState.ts'
import type { StoreState } from './storeState.ts'

export type ModelRow = Readonly<Record<string, string | number | boolean | null>>
export type Told = readonly ModelRow[] | { readonly refused: string | null }

export function told(task: () => readonly ModelRow[]): Told {
  try {
    return task()
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code }
    throw error
  }
}

export function textOrNull(epoch: number | null): readonly ModelRow[] {
  return [{ epoch: epoch === null ? null : String(epoch) }]
}

/** Money is compared as cents; where a host is, which the model has no use for, is not. */
export function normal(answer: Told | Answer): unknown {
  if ('refused' in answer) return answer
  const money = new Set(['held', 'budget', 'target'])
  const unmodelled = new Set(['host', 'left_host'])
  return answer.flatMap((row) => {
    const fields = Object.entries(row).filter(([name]) => !unmodelled.has(name))
    // A function that answers nothing is a row without a word in it.
    const isNothing = fields.every(([, value]) => value === '' || value === null)
    if (isNothing && !('epoch' in row)) return []
    return [
      Object.fromEntries(
        fields.map(([name, value]) => [
          name,
          money.has(name) && value !== null ? centsOf(String(value)) : value,
        ]),
      ),
    ]
  })
}

/** The model's state in the shape in which `RealStore.state` reads it, so that the two can be compared. */
export function shapeOf(state: StoreState): unknown {
  const isLiving = (name: string): boolean => state.members.get(name)?.retiredMs === null
  const sorted = (rows: readonly unknown[][]): unknown =>
    [...rows].sort((a, b) => (spaced(a) < spaced(b) ? -1 : 1))
  const members = [...state.members.values()]
  return {
    members: sorted(
      members.map((m) => [
        ...[m.name, m.account, m.group, m.retiredMs, m.obeyed, m.writerEpoch, m.leaseTurn],
      ]),
    ),
    budgets: sorted([...state.budgets.values()].map((b) => [b.scope, b.kind, b.set, b.leased])),
    leases: sorted(
      [...state.leases.values()].map((l) => [
        ...[l.member, l.scope, l.kind, l.held, l.used, l.reported, l.want, l.renewedMs],
      ]),
    ),
    control: sorted(
      [...state.control].map(([scope, { epoch, isKilled, reason }]) => [
        ...[scope, epoch, isKilled, reason],
      ]),
    ),
    acks: sorted(
      [...state.acks]
        .map(([key, { epoch, isFlat }]) => [key.split(' ')[0] ?? '', epoch, isFlat] as const)
        .filter(([name]) => isLiving(name))
        .map((each) => [...each]),
    ),
    writers: sorted(
      [...state.writers].map(
        ([name, { epoch, instance, run, untilMs, word, isTold, left, answers }]) => [
          ...[name, epoch, instance, run, untilMs, word, isTold],
          ...[left?.word ?? null, left?.isKnown ?? null, answers],
        ],
      ),
    ),
    leasing: leasingShape(state),
    streams: sorted(
      [...state.streams].map(([key, { instance, hashes }]) => [
        ...[key.split(' ')[0], Number(key.split(' ')[1]), instance, hashes.length],
      ]),
    ),
  }
}

function leasingShape({ leasing }: StoreState): unknown {
  const { timeline, sinceMs, startedMs, isRestart, isPutBack, begun } = leasing
  const since = Number.isFinite(sinceMs) ? sinceMs : null
  return [timeline, since, startedMs, isRestart, isPutBack, begun]
}

/** A list in JSON with a space behind each comma, as PostgreSQL writes it. */
function spaced(row: readonly unknown[]): string {
  return `[${row.map((each) => JSON.stringify(each)).join(', ')}]`
}
