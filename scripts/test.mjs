// Runs the tests, the client suite among them, and says at the end, in one plain line, how many
// passed and failed.
//
//   npm test [-- what vitest takes]      with arguments, only the tests without clients
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'guard-test-'))
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const given = process.argv.slice(2)
const suites = given.length > 0 ? [given] : [[], ['-c', 'test/clients/vitest.config.ts']]
/** The tables of judge and safety, counted: every branch of them is taken, and not by luck. */
const decisions = [
  ...['src/core/judge', 'src/core/safety', '--exclude=**/*.property.test.ts'],
  ...['--coverage.enabled', '--coverage.reporter=text-summary', '--reporter=dot'],
  ...['--coverage.include=src/core/judge/**', '--coverage.include=src/core/safety/**'],
]

// Guard serves its page from the build; an install makes it, a bare checkout has none.
run(['scripts/build.mjs', '--if-missing'])
rmSync(join(root, 'tmp', 'clients'), { recursive: true, force: true })
const runs = suites.map((more, nth) => runSuite(more, join(directory, `${String(nth)}.json`)))
rmSync(directory, { recursive: true, force: true })
let passed = runs.reduce((sum, each) => sum + each.passed, 0)
let failed = runs.reduce((sum, each) => sum + each.failed, 0)
if (given.length === 0) {
  // The page of what the clients see has to be what the suite just found, and nothing that
  // decides may be left out by it.
  for (const args of [['scripts/clients-matrix.mjs'], [vitest, 'run', ...decisions]]) {
    if (run(args) === 0) passed += 1
    else failed += 1
  }
}
console.log(`tests: ${String(passed)} passed, ${String(failed)} failed`)
const isWhole = runs.every(({ status, passed: some }) => status === 0 && some > 0)
process.exit(isWhole && failed === 0 ? 0 : 1)

function run(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function runSuite(more, report) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const status = run([vitest, 'run', ...reporters, ...more])
  return { status, ...read(report) }
}

/** A file that does not load holds tests nobody counted: it is one that failed. */
function read(report) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const tests = testResults.flatMap((file) => file.assertionResults)
    const failed = tests.filter((test) => test.status === 'failed').length
    const broken = testResults.filter(
      (file) =>
        file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    ).length
    return { passed: numPassedTests, failed: failed + broken }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
