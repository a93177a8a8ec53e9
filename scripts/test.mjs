// Runs the tests, the client suite among them, and says at the end where the time went, what failed
// and, in one plain line, how many passed and failed.
//
//   npm test [-- what vitest takes]      with arguments, only the tests without clients
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { failuresOf, readReport, timesOf } from './testReport.mjs'

const root = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'guard-test-'))
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const given = process.argv.slice(2)
/** The tables of judge and safety, counted: every branch of them is taken, and not by luck. */
const tables = [
  ...['--project=tables', '--coverage.enabled', '--coverage.reporter=text-summary'],
  ...['--coverage.include=src/core/judge/**', '--coverage.include=src/core/safety/**'],
]
const suites =
  given.length > 0
    ? [{ name: 'tests', args: given }]
    : [
        { name: 'tests', args: ['--project=!tables'] },
        { name: 'clients', args: ['-c', 'test/clients/vitest.config.ts'] },
        { name: 'tables of judge and safety, with coverage', args: tables },
      ]

// Guard serves its page from the build; an install makes it, a bare checkout has none.
run(['scripts/build.mjs', '--if-stale'])
rmSync(join(root, 'tmp', 'clients'), { recursive: true, force: true })
const runs = suites.map((suite, nth) => runSuite(suite, join(directory, `${String(nth)}.json`)))
rmSync(directory, { recursive: true, force: true })
let passed = runs.reduce((sum, each) => sum + each.passed, 0)
let failed = runs.reduce((sum, each) => sum + each.failed, 0)
if (given.length === 0) {
  // The page of what the clients see has to be what the suite just found.
  if (run(['scripts/clients-matrix.mjs']) === 0) passed += 1
  else failed += 1
}
for (const line of [...timesOf(runs, root), ...failuresOf(runs, root)]) console.log(line)
console.log(`tests: ${String(passed)} passed, ${String(failed)} failed`)
process.exit(failed === 0 ? 0 : 1)

function run(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function runSuite({ name, args }, report) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const startedAt = Date.now()
  const status = run([vitest, 'run', ...reporters, ...args])
  const wallMs = Date.now() - startedAt
  const { passed, failures, files } = readReport(report)
  // A run that fails without a test that failed counts as one: an error beside the tests, no test
  // at all, or a branch of judge or safety that no test takes.
  const isWhole = status === 0 && passed > 0
  const failed = isWhole ? failures.length : Math.max(failures.length, 1)
  return { name, wallMs, files, passed, failed, failures }
}
