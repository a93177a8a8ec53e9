const kept: object[] = []

/**
 * Keeps one object of a kind. When V8 tidies up in a quiet minute it drops the optimised code of every
 * kind of which nothing is left, and a Guard without a request in hand holds none of what a request
 * is judged with: the next thousand orders were then judged by code that had to be compiled anew, by
 * 0.07 ms slower, and one in ten was answered 0.7 ms later (docs/adr/0013).
 *
 * For what is made anew with every request. It must have every field from its constructor on, or
 * the one that is kept is of another kind than those that are used.
 */
export function keepOptimised(one: object): void {
  kept.push(one)
}
