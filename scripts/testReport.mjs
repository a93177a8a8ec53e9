// What vitest's JSON report says: how many tests passed, which failed, and where the time went.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

const slowestShown = 10
/** Folders that take less, in seconds, are told as one. */
const folderSecondsMin = 2
const messageCharsMax = 2_000

/** A file that does not load holds tests nobody counted: it is one that failed. */
export function readReport(path) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    const failed = testResults.flatMap((file) =>
      file.assertionResults
        .filter(isFailed)
        .map((test) => failure(file.name, test.fullName, test.failureMessages.join('\n'))),
    )
    const broken = testResults
      .filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed))
      .map((file) => failure(file.name, 'the file itself', file.message))
    const files = testResults.map(({ name, startTime, endTime }) => ({
      name,
      seconds: (endTime - startTime) / 1_000,
    }))
    return { passed: numPassedTests, failures: [...failed, ...broken], files }
  } catch (error) {
    return { passed: 0, failures: [failure(path, 'the report', String(error))], files: [] }
  }
}

/** Lines that name each failure with its message, for the end of a long output. */
export function failuresOf(runs, root) {
  return runs.flatMap(({ failures }) =>
    failures.flatMap(({ file, test, message }) => [
      `failed: ${relative(root, file)} > ${test}`,
      ...message
        .slice(0, messageCharsMax)
        .split('\n')
        .map((each) => `    ${each}`),
    ]),
  )
}

function isFailed(test) {
  return test.status === 'failed'
}

function failure(file, test, message) {
  return { file, test, message }
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
