/**
 * Lets one task run at a time, in the order they came, with a turn of the loop between two: however
 * many ask for long work at once, whoever asks for little waits for one piece of it at most.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  take(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task)
    this.#last = done.then(nextTurn, nextTurn)
    return done
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
