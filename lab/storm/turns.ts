/** How many turns of the loop are asked for at once: between any two of them microtasks run dry. */
const turnsAhead = 64
const waiting: (() => void)[] = []
let ahead = 0

/**
 * Every microtask that is ready has run once the next turn begins. Turns are asked for by the
 * dozen, because a visit of the operating system between any two of them costs more than a step.
 */
export function drained(): Promise<void> {
  if (ahead === 0) {
    for (; ahead < turnsAhead; ahead += 1) setImmediate(turn)
  }
  return new Promise((resolve) => waiting.push(resolve))
}

function turn(): void {
  ahead -= 1
  waiting.shift()?.()
}
