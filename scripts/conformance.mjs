// Runs the test suite of `@nktkas/hyperliquid` against a simulator and prints, method by method, what
// came of it. That suite is written for Deno and the live venue: it is taken from a checkout as it is,
// and nothing of it is kept here.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { laterFields } from './conformance/later.mjs'
import { judge, printReport } from './conformance/report.mjs'
import { suitePackages } from './conformance/specifiers.mjs'
import { venueStarter } from './conformance/venue.mjs'
import { refuse, toolOptions } from './toolOptions.mjs'

const usage = `npm run conformance -- --suite PATH [options]

The tests of @nktkas/hyperliquid, from a checkout of it at PATH, against a simulator on a free port.
Changed are the address, the pauses between tests, and the names of builder dexes (the simulator is
started with those that the tests ask for). Its packages are installed into tmp/conformance.

  --suite PATH   a checkout of the client's repository
  --only KIND    info, subscription or exchange (all three)
  --method NAME  this method alone
  --json         the report as JSON`

const kinds = ['info', 'subscription', 'exchange']
const { values } = toolOptions(usage, {
  suite: 'text',
  only: 'text',
  method: 'text',
  json: 'flag',
})
if (values.suite === undefined) refuse(usage, '--suite is missing')
if (values.only !== undefined && !kinds.includes(values.only)) {
  refuse(usage, `--only must be one of ${kinds.join(', ')}, not "${values.only}"`)
}
const suite = resolve(values.suite)
if (!existsSync(join(suite, 'deno.json')) || !existsSync(join(suite, 'tests', 'api'))) {
  refuse(usage, `${values.suite} is no checkout of that client`)
}

const root = resolve(import.meta.dirname, '..')
const packages = installPackages(join(root, 'tmp', 'conformance'))
const startVenue = await venueStarter(suite)
const results = []
for (const kind of values.only === undefined ? kinds : [values.only]) {
  // A fresh venue for each kind: what one kind trades is not in the answers of the next.
  const venue = await startVenue()
  const found = await runKind(kind, venue, values.method ?? null)
  await venue.close()
  for (const result of found) results.push(await withLater(kind, result))
}
process.exitCode = printReport(results, values.json) ? 0 : 1

/** The suite's own packages, installed once and again when it asks for others. */
function installPackages(folder) {
  const wanted = suitePackages(suite)
  const list = join(folder, 'installed.json')
  const text = JSON.stringify(wanted)
  if (!existsSync(list) || readFileSync(list, 'utf8') !== text) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    // The suite names a newer Node than its code needs.
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--engine-strict=false']
    const done = spawnSync('npm', [...args, ...wanted], { cwd: folder, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) refuse(usage, `the suite's packages could not be installed`)
    writeFileSync(list, text)
  }
  return folder
}

/** Whether a method is different only by fields that the suite is too old for. */
async function withLater(kind, result) {
  if (judge(result).verdict !== 'different') return result
  const venue = await startVenue()
  const known = laterFields(result.method, venue.dexes.length)
  if (known !== null) await venue.lie(result.method, known.patch)
  const again = known === null ? [] : await runKind(kind, venue, result.method)
  await venue.close()
  const isOlder = again.length > 0 && again.every((each) => judge(each).verdict === 'conforming')
  return isOlder ? { ...result, later: known.fields } : result
}

/** Runs all tests of a kind, or those of one method, in one process of their own; its lines of JSON are the results. */
async function runKind(kind, venue, method) {
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--import', join(import.meta.dirname, 'conformance', 'hooks.mjs')].concat([
      join(import.meta.dirname, 'conformance', 'runTests.mjs'),
    ]),
    {
      stdio: ['ignore', 'pipe', 2],
      env: {
        ...process.env,
        CONFORMANCE: JSON.stringify({
          ...{ suite, kind, packages, root, method },
          dexes: venue.dexes,
          ...{ http: venue.url, ws: venue.wsUrl, privateKey: venue.privateKey },
        }),
      },
    },
  )
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  const code = await new Promise((ended) => child.on('close', ended))
  const lines = out.split('\n').filter((line) => line.startsWith('{"method"'))
  if (code !== 0 && lines.length === 0) throw new Error(`the ${kind} tests ended with ${code}`)
  return lines.map((line) => ({ kind, ...JSON.parse(line) }))
}
