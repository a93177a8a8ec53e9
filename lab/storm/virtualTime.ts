import { millis } from '../../src/core/values/millis.ts'
import type { Millis } from '../../src/core/values/millis.ts'
import type { Clock, Timers } from '../../src/engine/ports.ts'

interface Task {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** The world's time: it passes only from task to task, and equal times keep the order they came in. */
export class VirtualTime {
  readonly startMs: number
  #elapsed = 0
  #order = 0
  #heap: Task[] = []

  constructor(startMs: number) {
    this.startMs = startMs
  }

  /** Milliseconds since the world began. */
  get elapsed(): number {
    return this.#elapsed
  }

  /** The true time, which the venue goes by. */
  get now(): number {
    return this.startMs + this.#elapsed
  }

  at(elapsed: number, run: () => void): void {
    this.#put({ at: Math.max(elapsed, this.#elapsed), order: this.#order++, run })
  }

  /**
   * A task again and again until a moment. Each of them has its place among others of the same time as if
   * all had been put in now, and only the next one waits: a week has millions.
   */
  everyUntil(everyMs: number, end: number, run: () => void): void {
    let order = this.#order
    this.#order += Math.ceil(Math.max(0, end - this.#elapsed) / everyMs)
    const next = (at: number): void => {
      if (at >= end) return
      this.#put({
        ...{ at, order: order++ },
        run: () => {
          next(at + everyMs)
          run()
        },
      })
    }
    next(this.#elapsed + everyMs)
  }

  #put(task: Task): void {
    this.#heap.push(task)
    siftUp(this.#heap, this.#heap.length - 1)
  }

  after(ms: number, run: () => void): void {
    this.at(this.#elapsed + ms, run)
  }

  /** When the next task is due, by elapsed time; infinity when there is none. */
  nextAt(): number {
    return this.#heap[0]?.at ?? Infinity
  }

  /** Moves on to a moment that is not beyond the next task. */
  moveTo(elapsed: number): void {
    this.#elapsed = Math.max(this.#elapsed, elapsed)
  }

  /** Runs the first task that is due by now; false when none is. */
  runDue(): boolean {
    const first = this.#heap[0]
    if (first === undefined || first.at > this.#elapsed) return false
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last
      siftDown(this.#heap)
    }
    first.run()
    return true
  }
}

/** The clock and timers of one process: they end with it, and its wall clock may be wrong. */
export class ProcessTime implements Clock, Timers {
  readonly #time: VirtualTime
  readonly #offsetMs: () => number
  #isAlive = true

  constructor(time: VirtualTime, offsetMs: () => number) {
    this.#time = time
    this.#offsetMs = offsetMs
  }

  end(): void {
    this.#isAlive = false
  }

  now(): Millis {
    return millis(this.#time.now + this.#offsetMs())
  }

  monotonicMs(): number {
    return this.#time.elapsed
  }

  after(ms: number, task: () => void): () => void {
    let isWanted = true
    this.#time.after(Math.max(0, ms), () => {
      if (isWanted && this.#isAlive) task()
    })
    return () => {
      isWanted = false
    }
  }

  every(ms: number, task: () => void): () => void {
    return again(this, ms, task)
  }
}

/** Runs a task again and again by timers that know only of a next time; what it returns ends that. */
export function again(timers: Pick<Timers, 'after'>, ms: number, task: () => void): () => void {
  let cancel = (): void => undefined
  const next = (): void => {
    cancel = timers.after(ms, () => {
      next()
      task()
    })
  }
  next()
  return () => {
    cancel()
  }
}

function isBefore(left: Task | undefined, right: Task | undefined): boolean {
  if (left === undefined || right === undefined) return left !== undefined
  return left.at < right.at || (left.at === right.at && left.order < right.order)
}

function swap(heap: Task[], left: number, right: number): void {
  const kept = heap[left]
  const other = heap[right]
  if (kept === undefined || other === undefined) return
  heap[left] = other
  heap[right] = kept
}

function siftUp(heap: Task[], from: number): void {
  let place = from
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!isBefore(heap[place], heap[parent])) return
    swap(heap, place, parent)
    place = parent
  }
}

function siftDown(heap: Task[]): void {
  let place = 0
  for (;;) {
    const left = place * 2 + 1
    const right = left + 1
    const least = right < heap.length && isBefore(heap[right], heap[left]) ? right : left
    if (least >= heap.length || !isBefore(heap[least], heap[place])) return
    swap(heap, place, least)
    place = least
  }
}
