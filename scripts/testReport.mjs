// What vitest's JSON report says: how many tests passed and failed, and where the time went.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

const slowestShown = 10
/** Folders that take less, in seconds, are told as one. */
const folderSecondsMin = 2

/** A file that does not load holds tests nobody counted: it is one that failed. */
export function readReport(path) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    const tests = testResults.flatMap((file) => file.assertionResults)
    const failed = tests.filter((test) => test.status === 'failed').length
    const broken = testResults.filter(
      (file) =>
        file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    ).length
    const files = testResults.map(({ name, startTime, endTime }) => ({
      name,
      seconds: (endTime - startTime) / 1_000,
    }))
    return { passed: numPassedTests, failed: failed + broken, files }
  } catch {
    return { passed: 0, failed: 1, files: [] }
  }
}

/** Lines that tell how long each run took, and which folders and files it spent its time in. */
export function timesOf(runs, root) {
  const files = runs.flatMap((run) => run.files)
  const named = files.map(({ name, seconds }) => ({ name: relative(root, name), seconds }))
  const folders = new Map()
  for (const { name, seconds } of named) {
    const folder = name.split(sep).slice(0, -1).slice(0, 2).join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + seconds)
  }
  const rows = [...folders].map(([name, seconds]) => ({ name, seconds })).sort(bySeconds)
  const small = rows.filter(({ seconds }) => seconds < folderSecondsMin)
  const rest = { name: 'all others', seconds: small.reduce((sum, each) => sum + each.seconds, 0) }
  return [
    'time: how long each run took',
    ...runs.map(({ name, wallMs }) => line({ name, seconds: wallMs / 1_000 })),
    'time: how long the tests of each folder took, several at once',
    ...[...rows.filter((row) => !small.includes(row)), rest].map(line),
    'time: the slowest files',
    ...named.sort(bySeconds).slice(0, slowestShown).map(line),
  ]
}

function bySeconds(left, right) {
  return right.seconds - left.seconds
}

function line({ name, seconds }) {
  return `${seconds.toFixed(1).padStart(8)} s  ${name}`
}
