// Mutation testing without a framework: changes one operator, constant or condition at a time in a
// copy of the sources, runs the tests that reach it, and counts what nobody noticed.
//
// A mutant is killed when a test fails, hangs or no longer loads. Survivors are printed with their
// place, so that a test can be written for those that matter. All mutants of all files are in one
// copy behind switches; a first run without any of them notes which test reaches which, so a mutant
// costs only the tests that can notice it: those first that noticed most in the same file, then the
// quickest. Tests over thousands of states (*.property.test.ts) are asked only with --properties, and
// only for what the others let live.
import { rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { workshop } from './mutate/workshop.mjs'
import { refuse, toolOptions } from './toolOptions.mjs'

const root = resolve(import.meta.dirname, '..')
const usage = `npm run mutate -- [options] [path...]

Changes one operator, condition, constant or word at a time in these files and folders
(src/core/judge and src/core/safety) and tells which changes no test notices.

  --sample N       so many mutants, drawn by chance; 0 for all (0)
  --seed S         of the chance (1)
  --minutes M      stops after so long (60)
  --properties     also asks the tests over thousands of states
  --quick MS       asks no test that takes longer than this by itself; 0 for all (0)
  --count          says how many mutants and tests there are, and changes nothing
  --json           every mutant and its fate, as one JSON document`
const kinds = {
  sample: { least: 0, usual: 0 },
  seed: { least: 0, usual: 1 },
  minutes: { least: 0.01, usual: 60, isWhole: false },
  properties: 'flag',
  quick: { least: 0, usual: 0 },
  count: 'flag',
  json: 'flag',
}
const { values, paths } = toolOptions(usage, kinds, process.argv.slice(2), true)
const folders = paths.length > 0 ? paths : ['src/core/judge', 'src/core/safety']
/** A mutant that makes a test take this much longer than it does is one that hangs. */
const patience = 20
const leastPatienceMs = 10_000
/** After so many mutants the tests are run without any: one may have left something behind. */
const cleanEvery = 250

function shuffled(list, seed) {
  let state = seed >>> 0
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % below
  }
  const out = [...list]
  for (let at = out.length - 1; at > 0; at--) {
    const other = next(at + 1)
    ;[out[at], out[other]] = [out[other], out[at]]
  }
  return out
}

/** A thread with the tests loaded; `mutant` is active from the first line on, 0 for none. */
class Bench {
  #worker
  #waiting = null

  constructor(shop, mutant, files = shop.tests) {
    this.#worker = new Worker(new URL('./mutate/worker.mjs', import.meta.url), {
      workerData: { home: shop.home, files, count: shop.mutants.length, first: mutant },
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
      stdout: true,
      stderr: true,
    })
    this.loaded = new Promise((done) => {
      this.#waiting = { done, ran: [] }
    })
    this.#worker.on('message', (message) => this.#take(message))
    this.#worker.on('error', (error) => this.#end({ kind: 'broken', failure: String(error) }))
  }

  #take(message) {
    if (message.kind === 'ran') {
      this.#waiting?.ran.push(message)
      if (message.failure === null || this.#waiting?.isClean === true) return
    }
    this.#end(message)
  }

  #end(message) {
    const waiting = this.#waiting
    this.#waiting = null
    clearTimeout(waiting?.timer)
    waiting?.done({ ...message, ran: waiting.ran })
  }

  /** Runs tests with a mutant active, up to the first that fails; without one, all of them. */
  run(mutant, order, ms) {
    return new Promise((done) => {
      const timer = setTimeout(() => this.#end({ kind: 'hangs' }), ms)
      this.#waiting = { done, ran: [], timer, isClean: mutant === 0 }
      this.#worker.postMessage({ mutant, order })
    })
  }

  close() {
    return this.#worker.terminate()
  }
}

/** Which tests reach which mutant, how long each takes, and what is decided while the code loads. */
async function survey(bench) {
  const { loaded, reached, failure } = await bench.loaded
  if (loaded === undefined) throw new Error(`the tests do not load: ${failure}`)
  const order = loaded.map((_, nth) => nth)
  const { ran } = await bench.run(0, order, 1_800_000)
  for (const { nth, failure } of ran) {
    if (failure !== null) throw new Error(`"${loaded[nth].name}" fails by itself: ${failure}`)
  }
  const tests = loaded.map((test, nth) => ({ ...test, ...ran[nth], isLong: isLong(test.file) }))
  return { tests, atLoad: new Set(reached) }
}

/** The tests, loaded and not run. */
async function counted(shop) {
  const bench = new Bench(shop, 0)
  const found = await bench.loaded
  await bench.close()
  rmSync(shop.home, { recursive: true, force: true })
  return found
}

function nthOf({ nth }) {
  return nth
}

function isLong(file) {
  return file.includes('.property.')
}

/**
 * The tests that can notice a mutant: those that noticed most of its file's first, then the quickest,
 * those over thousands of states last.
 */
function ordered(tests, noticed = new Map()) {
  const had = ({ nth }) => noticed.get(nth) ?? 0
  return [...tests]
    .sort(
      (left, right) => left.isLong - right.isLong || had(right) - had(left) || left.ms - right.ms,
    )
    .map(({ nth }) => nth)
}

const shop = workshop(root, folders, (file) => values.properties || !isLong(file))
if (shop.mutants.length === 0) {
  rmSync(shop.home, { recursive: true, force: true })
  refuse(usage, `there is nothing to change in ${folders.join(', ')}`)
}
if (values.count) {
  const { loaded, failure } = await counted(shop)
  if (loaded === undefined) throw new Error(`the tests do not load: ${failure}`)
  console.log(`${shop.mutants.length} mutants, ${loaded.length} tests`)
  process.exit(0)
}
const { sample } = values
const chosen = sample > 0 ? shuffled(shop.mutants, values.seed).slice(0, sample) : shop.mutants
const until = Date.now() + values.minutes * 60_000
const results = []
let bench = new Bench(shop, 0)
try {
  const { tests, atLoad } = await survey(bench)
  const timeOf = (order) =>
    Math.max(leastPatienceMs, patience * order.reduce((sum, nth) => sum + tests[nth].ms, 0))
  const reaching = new Map(shop.mutants.map(({ id }) => [id, []]))
  const asked = tests.filter(({ ms }) => values.quick === 0 || ms <= values.quick)
  for (const test of asked) for (const id of test.reached) reaching.get(id).push(test)
  const clean = ordered(asked.filter(({ isLong: long }) => !long))

  const renew = async () => {
    await bench.close()
    bench = new Bench(shop, 0)
    await bench.loaded
  }
  /** Loads some files of tests with a mutant active from the beginning, and runs them. */
  const tryLoading = async (mutant, files) => {
    const own = new Bench(shop, mutant.id, files)
    const { loaded } = await own.loaded
    const known = files.flatMap((file) => tests.filter((test) => test.file === file))
    const mine = known.map(({ nth, ms, isLong: long }, at) => ({
      nth: at,
      ms,
      isLong: long,
      of: nth,
    }))
    const order = ordered(mine.filter(({ of }) => asked.includes(tests[of])))
    const ms = timeOf(order.map((at) => mine[at].of))
    const outcome =
      loaded?.length === known.length ? await own.run(mutant.id, order, ms) : { kind: 'broken' }
    await own.close()
    const ran = (outcome.ran ?? []).map((each) => ({ ...each, nth: mine[each.nth].of }))
    return { ...outcome, ran }
  }
  /**
   * Decided while the code loads, too, and what is made then is as it was while the tests run: a fresh
   * load shows the rest. The file of tests that noticed most of its file's is asked before all others.
   */
  const tryAtLoad = async (mutant) => {
    const counts = filesNoticing.get(mutant.file) ?? new Map()
    filesNoticing.set(mutant.file, counts)
    const files = shop.tests.filter((file) => shop.sourcesOf(file).has(mutant.file))
    const beside = (file) => (file.endsWith(mutant.file.replace(/ts$/, 'test.js')) ? 0.5 : 0)
    const score = (file) => (counts.get(file) ?? 0) + beside(file)
    const [best, ...others] = [...files].sort((left, right) => score(right) - score(left))
    if (best === undefined) return { kind: 'done', ran: [] }
    let outcome = await tryLoading(mutant, [best])
    if (outcome.kind === 'done' && others.length > 0) outcome = await tryLoading(mutant, others)
    const [killer] = outcome.ran
    const file = killer === undefined ? best : tests[killer.nth].file
    if (outcome.kind !== 'done') counts.set(file, (counts.get(file) ?? 0) + 1)
    return outcome
  }
  /** By file, how many of its mutants each test has noticed, and each file of tests by a load. */
  const noticedIn = new Map()
  const filesNoticing = new Map()
  const tryRunning = async (mutant, order) => {
    const noticed = noticedIn.get(mutant.file) ?? new Map()
    noticedIn.set(mutant.file, noticed)
    const outcome = await bench.run(mutant.id, ordered(order, noticed), timeOf(order.map(nthOf)))
    if (outcome.kind === 'hangs' || outcome.kind === 'broken') await renew()
    const [killer] = outcome.ran
    if (killer !== undefined) noticed.set(killer.nth, (noticed.get(killer.nth) ?? 0) + 1)
    return outcome
  }
  const tryOne = async (mutant) => {
    const able = reaching.get(mutant.id)
    const outcome = able.length === 0 ? { kind: 'done' } : await tryRunning(mutant, able)
    return outcome.kind === 'done' && atLoad.has(mutant.id) ? tryAtLoad(mutant) : outcome
  }
  let since = 0
  for (const mutant of chosen) {
    if (Date.now() > until) break
    const { kind, ran } = await tryOne(mutant)
    const isReached = atLoad.has(mutant.id) || reaching.get(mutant.id).length > 0
    const killer = kind === 'ran' ? tests[ran[0].nth].name : kind
    results.push({ ...mutant, killed: kind !== 'done', isReached, killer })
    if (kind === 'done' && !values.json) {
      const place = `${relative('.', join(root, mutant.file))}:${mutant.line}`
      const how = isReached ? '' : ' (no test reaches it)'
      console.log(`survived ${place} ${mutant.what}: ${mutant.from} -> ${mutant.to}${how}`)
    }
    since += 1
    if (since < cleanEvery) continue
    since = 0
    const { ran: again } = await bench.run(0, clean, timeOf(clean))
    const broken = again.find(({ failure }) => failure !== null)
    if (broken !== undefined) {
      throw new Error(`"${tests[broken.nth].name}" fails after mutants: ${broken.failure}`)
    }
  }
} finally {
  await bench.close()
  rmSync(shop.home, { recursive: true, force: true })
}
const killed = results.filter((each) => each.killed).length
const score = results.length === 0 ? 0 : (100 * killed) / results.length
const mutants = shop.mutants.length
if (values.json) {
  console.log(JSON.stringify({ mutants, tried: results.length, killed, results }))
} else {
  console.log(`${killed} of ${results.length} killed (${score.toFixed(1)}%); ${mutants} mutants`)
}
