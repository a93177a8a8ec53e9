// The process in which the suite runs: Deno's test runner as far as the suite needs it, and the live
// venue's addresses led to the simulator. Each test's result is one line of JSON on stdout.
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const settings = JSON.parse(process.env.CONFORMANCE)
/** Tests that run at once: most of them only wait for frames. */
const atOnce = { info: 4, subscription: 7, exchange: 4 }[settings.kind]
const tests = []

globalThis.Deno = {
  args: [],
  env: { get: (name) => (name === 'PRIVATE_KEY' ? settings.privateKey : undefined) },
  test(name, ...rest) {
    const options = rest.length > 1 ? rest[0] : {}
    tests.push({ name, ignore: options.ignore === true, run: rest.at(-1) })
  },
}

const liveHost = /^(https?|wss?):\/\/(api|rpc)\.hyperliquid(-testnet)?\.xyz/
const realFetch = globalThis.fetch
globalThis.fetch = (url, init) => realFetch(String(url).replace(liveHost, settings.http), init)
const { WebSocket } = createRequire(join(settings.root, 'package.json'))('ws')
globalThis.WebSocket = class extends WebSocket {
  constructor(url, protocols) {
    super(String(url).replace(/^.*$/, settings.ws), protocols ?? [])
  }
}
// Node 20 has no global of this name; browsers and Deno do.
globalThis.CloseEvent ??= class CloseEvent extends Event {
  constructor(type, init = {}) {
    super(type)
    Object.assign(this, { code: init.code ?? 0, reason: init.reason ?? '', wasClean: false })
  }
}

const folder = join(settings.suite, 'tests', 'api', settings.kind)
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => settings.method === null || file === `${settings.method}.test.ts`)
for (const file of files.sort()) {
  const method = file.slice(0, -'.test.ts'.length)
  const before = tests.length
  try {
    await import(pathToFileURL(join(folder, file)).href)
  } catch (error) {
    tell({ method, error: problemOf(error) })
  }
  for (const test of tests.slice(before)) test.method = method
}
const waiting = [...tests]
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) await runOne(test)
  }),
)
process.exit(0)

async function runOne({ method, ignore, run }) {
  if (ignore) return tell({ method, isSkipped: true })
  const steps = []
  const context = {
    step: async (name, body) => {
      try {
        await body(context)
        steps.push({ name, error: null })
      } catch (error) {
        steps.push({ name, error: problemOf(error) })
      }
    },
  }
  let error = null
  try {
    await run(context)
  } catch (thrown) {
    error = problemOf(thrown)
  }
  tell({ method, steps: steps.length > 0 ? steps : [{ name: '', error }], after: error })
}

/** The kind of an error and what it says; `missing` are parts of a schema that no sample showed. */
function problemOf(error) {
  const { name, message } = error
  const missing = Array.isArray(error.issues) ? error.issues.map(({ path }) => path) : null
  const status = error.response?.status ?? null
  return { name, message: String(message), missing, status }
}

function tell(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
