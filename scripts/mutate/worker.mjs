// Runs the tests of the workshop in one thread, with one mutant active at a time.
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { home, files, count, first } = workerData
const reached = new Uint8Array(count + 1)
let active = first

/** Whether this mutant is the active one; asking is reaching it. */
const is = (id) => {
  reached[id] = 1
  return active === id
}
Object.assign(globalThis, {
  $value: (id, to, from) => (is(id) ? to : from),
  $if: (yes, no) => {
    const isYes = is(yes)
    return is(no) ? false : isYes ? true : undefined
  },
  $not: (id, value) => (is(id) ? value : !value),
  $and: (id, left, right) => (is(id) ? left || right() : left && right()),
  $or: (id, left, right) => (is(id) ? left && right() : left || right()),
  $same: (id, left, right) => (is(id) ? left !== right : left === right),
  $other: (id, left, right) => (is(id) ? left === right : left !== right),
  $less: (id, left, right) => (is(id) ? left <= right : left < right),
  $most: (id, left, right) => (is(id) ? left < right : left <= right),
  $more: (id, left, right) => (is(id) ? left >= right : left > right),
  $least: (id, left, right) => (is(id) ? left > right : left >= right),
  $plus: (id, left, right) => (is(id) ? left - right : left + right),
  $minus: (id, left, right) => (is(id) ? left + right : left - right),
  $times: (id, left, right) => (is(id) ? left / right : left * right),
})

const tests = []
/** Null when the code does not load with the mutant active: that is noticed too. */
let loaded = null
try {
  const { queue } = await import(pathToFileURL(join(home, 'node_modules/vitest/index.js')).href)
  for (const file of files) {
    await import(pathToFileURL(file).href)
    while (queue.length > 0) tests.push({ file, ...queue.shift() })
  }
  loaded = tests.map(({ file, name }) => ({ file, name }))
} catch (error) {
  if (first === 0) throw error
}
parentPort.postMessage({ kind: 'loaded', loaded, reached: reachedIds() })

function reachedIds() {
  const ids = []
  reached.forEach((isReached, id) => {
    if (isReached === 1) ids.push(id)
  })
  reached.fill(0)
  return ids
}

parentPort.on('message', async ({ mutant, order }) => {
  active = mutant
  for (const nth of order) {
    const from = performance.now()
    let failure = null
    try {
      await tests[nth].run()
    } catch (error) {
      failure = String(error?.message ?? error).slice(0, 2_000)
    }
    const ids = mutant === 0 ? reachedIds() : []
    const ms = performance.now() - from
    if (mutant === 0 || failure !== null) {
      parentPort.postMessage({ kind: 'ran', nth, ms, failure, reached: ids })
    }
    if (failure !== null && mutant !== 0) return
  }
  parentPort.postMessage({ kind: 'done' })
})
