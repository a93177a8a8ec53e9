interface Task {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** What is to happen later, by the clock the caller moves; equal times run in the order given. */
export class TaskQueue {
  #tasks: Task[] = []
  #order = 0

  add(at: number, run: () => void): void {
    const task: Task = { at, order: this.#order++, run }
    const before = this.#tasks.findIndex((each) => each.at > at)
    this.#tasks.splice(before === -1 ? this.#tasks.length : before, 0, task)
  }

  /** When the first task is due; infinity when there is none. */
  nextAt(): number {
    return this.#tasks[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Runs what is due, also what running adds. */
  run(nowMs: number): void {
    for (let task = this.#tasks[0]; task !== undefined && task.at <= nowMs; task = this.#tasks[0]) {
      this.#tasks.shift()
      task.run()
    }
  }

  clear(): void {
    this.#tasks = []
  }
}
