interface Cell {
  readonly fault: string
  readonly column: string
}

/** Coverage as it is told to another process. */
export interface CoverageCounts {
  readonly met: readonly (readonly [string, number])[]
  readonly faults: readonly (readonly [string, number])[]
}

/** What a fault is to be met by: what bots ask for, what leaves for the venue, Guard's states. */
const columns: readonly string[] = [
  ...['bot order', 'bot cancel', 'bot cancelByCloid', 'bot modify', 'bot batchModify'],
  ...['bot updateLeverage', 'bot updateIsolatedMargin', 'bot scheduleCancel', 'bot withdraw3'],
  ...['sends order', 'sends cancel', 'sends cancelByCloid', 'sends updateLeverage'],
  ...['sends updateIsolatedMargin', 'serving', 'killed', 'disk broken', ...rareStates()],
]

/** States that a world has to be led into, and that the fault itself may keep it from. */
export function rareStates(): readonly string[] {
  return ['halted_for_day', 'stopped', 'recovering', 'dead']
}

/** A latch ends serving and is told before a halt; after either no leverage is set for an entry. */
function cannotMeet(fault: string, column: string): boolean {
  const isLatch = fault.startsWith('kill_')
  if (/^(serving|halted_for_day|stopped)$/.test(column)) return isLatch
  return column === 'sends updateLeverage' && (isLatch || /^(ruin|day_of_loss)$/.test(fault))
}

/** Which faults met which kinds of action, and in which state of Guard. */
export class Coverage {
  readonly #counts = new Map<string, number>()
  readonly #faults = new Map<string, number>()

  /** A fault struck. */
  struck(fault: string): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
  }

  /** An action was under way while these faults were near. */
  met(faults: Iterable<string>, action: string, state: string): void {
    for (const fault of faults) {
      const key = `${fault}|${action}|${state}`
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
  }

  add(other: Coverage): void {
    this.addCounts(other.toJSON())
  }

  addCounts({ met, faults }: CoverageCounts): void {
    for (const [key, count] of met) this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
    for (const [fault, count] of faults) {
      this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + count)
    }
  }

  toJSON(): CoverageCounts {
    return { met: [...this.#counts], faults: [...this.#faults] }
  }

  /** What each of these faults has not met, as `fault x what bots do, what leaves, or a state`. */
  missing(faults: readonly string[]): readonly Cell[] {
    const met = new Set<string>()
    for (const key of this.#counts.keys()) {
      const [fault = '', action = '', state = ''] = key.split('|')
      met.add(`${fault}|${action}`).add(`${fault}|${state}`)
    }
    return faults.flatMap((fault) =>
      columns
        .filter((column) => !met.has(`${fault}|${column}`) && !cannotMeet(fault, column))
        .map((column) => ({ fault, column })),
    )
  }

  /** How often each fault struck. */
  faults(): ReadonlyMap<string, number> {
    return this.#faults
  }

  /** One line a fault: how often it struck, and how often it met each action and each state. */
  table(): string {
    const actions = new Set<string>()
    const states = new Set<string>()
    const cells = new Map<string, number>()
    for (const [key, count] of this.#counts) {
      const [fault = '', action = '', state = ''] = key.split('|')
      actions.add(action)
      states.add(state)
      for (const cell of [`${fault}|${action}`, `${fault}|${state}`]) {
        cells.set(cell, (cells.get(cell) ?? 0) + count)
      }
    }
    const columns = [...[...actions].sort(), ...[...states].sort()]
    const head = ['fault', 'struck', ...columns]
    const rows = [...this.#faults]
      .sort()
      .map(([fault, count]) => [
        fault,
        String(count),
        ...columns.map((column) => String(cells.get(`${fault}|${column}`) ?? 0)),
      ])
    const widths = head.map((name, at) =>
      Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
    )
    const line = (row: readonly string[]): string =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  ')
    return [head, ...rows].map(line).join('\n')
  }
}
