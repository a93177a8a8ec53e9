import { Decimal } from '../values/decimal.ts'

type Method = (this: unknown, ...args: readonly unknown[]) => unknown

/** Where a loop over many things takes its next one. */
const iterators: readonly object[] = [
  Object.getPrototypeOf(new Set().values()) as object,
  Object.getPrototypeOf(new Map().values()) as object,
  Object.getPrototypeOf([].values()) as object,
  Object.getPrototypeOf(
    (function* () {
      yield 0
    })(),
  ) as object,
].map((each) => ('next' in each && Object.hasOwn(each, 'next') ? each : generatorNext(each)))

/** Generators keep their `next` two steps up. */
function generatorNext(each: object): object {
  let found = each
  while (!Object.hasOwn(found, 'next')) found = Object.getPrototypeOf(found) as object
  return found
}

/** What an array does by walking through all of itself, in one call. */
const walks = [
  ...['map', 'filter', 'find', 'findLast', 'findIndex', 'findLastIndex', 'some', 'every'],
  ...['reduce', 'flatMap', 'forEach', 'sort', 'includes', 'indexOf'],
] as const

const sums = ['plus', 'minus', 'times', 'cmp', 'over'] as const

/**
 * How many operations a task takes: steps of exact arithmetic, and visits of anything that is held in
 * a set, a map, an array or a generator. The count does not depend on how fast the machine is.
 */
export function operations(task: () => void): number {
  let count = 0
  const undo: (() => void)[] = []
  const patch = (on: object, name: string, by: (self: unknown) => number): void => {
    const holder = on as Record<string, Method>
    const original = holder[name] as Method
    holder[name] = function (this: unknown, ...args) {
      count += by(this)
      return Reflect.apply(original, this, args) as unknown
    }
    undo.push(() => {
      holder[name] = original
    })
  }
  for (const name of sums) patch(Decimal.prototype, name, () => 1)
  for (const each of iterators) patch(each, 'next', () => 1)
  for (const name of walks) patch(Array.prototype, name, (self) => (self as unknown[]).length)
  count = 0
  try {
    task()
    return count
  } finally {
    for (const each of undo.reverse()) each()
  }
}
