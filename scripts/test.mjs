// Runs the tests and says at the end, in one plain line, how many passed and failed.
//
//   npm test [-- what vitest takes]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'guard-test-'))
const report = join(directory, 'report.json')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [
    ...[vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
)
const counted = read()
rmSync(directory, { recursive: true, force: true })
console.log(`tests: ${counted.passed} passed, ${counted.failed} failed`)
process.exit(status === 0 && counted.failed === 0 && counted.passed > 0 ? 0 : 1)

/** A file that does not load holds tests nobody counted: it is one that failed. */
function read() {
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
