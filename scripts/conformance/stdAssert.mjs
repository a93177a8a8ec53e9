// The assertions of Deno's library that the suite uses, on those of Node.
import nodeAssert from 'node:assert/strict'

export function assert(value, message) {
  nodeAssert.ok(value, message)
}

export function assertEquals(actual, expected, message) {
  nodeAssert.deepEqual(actual, expected, message)
}

export function assertExists(value, message) {
  nodeAssert.ok(value !== null && value !== undefined, message)
}

export function assertIsError(error, kind, part) {
  nodeAssert.ok(error instanceof (kind ?? Error), `another error: ${String(error)}`)
  nodeAssert.ok(
    part === undefined || error.message.includes(part),
    `not "${part}": ${error.message}`,
  )
}

export async function assertRejects(run, kind, part) {
  let error
  try {
    await run()
  } catch (thrown) {
    error = thrown
  }
  nodeAssert.ok(
    error !== undefined,
    `was not refused${part === undefined ? '' : ` with "${part}"`}`,
  )
  assertIsError(error, kind, part)
  return error
}
