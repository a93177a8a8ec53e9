import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../src/cli/cli.fixture.ts'
import { alertsTestOutput, doctorOutput, errorOutput } from './outputSchemas.fixture.ts'
import { redteamListOutput } from './outputSchemas.fixture.ts'
import { labCommands } from '../../lab/commands/labCommands.ts'
import { createProgram } from '../../src/cli/program.ts'
import { processTerminal } from '../../src/cli/terminal.ts'
import { rows } from './commandRows.fixture.ts'
import type { Refusal } from './commandRows.fixture.ts'
import { built, buildTimeoutMs, guard } from './program.fixture.ts'
import { Stage, takenPort } from './stage.fixture.ts'

/** Every command that does something, by its path in the tree. */
function leavesOf(command: Command, path: readonly string[] = []): string[] {
  const own = command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]))
  const isLeaf = command.commands.length === 0 || command.name() === 'kill'
  return isLeaf ? [path.join(' '), ...own] : own
}

/** These take `--home` only so that a script may give it to every command. */
const homeless = ['demo', 'fleet demo', 'sim', 'redteam', 'bench', 'completion']
const noHome: Refusal = ['no home', () => ['--home', ''], 2, 'It must name a directory']

let stage: Stage
beforeAll(async () => {
  await built()
  stage = await Stage.open()
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await stage.close()
})

test('every command has a row, and every row a command', () => {
  expect(Object.keys(rows).sort()).toEqual(
    leavesOf(createProgram(processTerminal, labCommands)).sort(),
  )
})

describe.each(Object.entries(rows))(
  'guard %s',
  (path, { refusals, success, schema, isLines, needs = [], isSkipped = false }) => {
    const words = path.split(' ')
    const usual: (typeof refusals)[number][] = [
      ['a flag nobody knows', () => [...needs, '--frobnicate'], 2, "unknown option '--frobnicate'"],
      ...(homeless.includes(path) ? [] : [noHome]),
    ]

    test.each([...refusals, ...usual])('refuses: %s', async (_why, args, code, text) => {
      const told = await stage.run([...words, ...args(stage)])
      expect(told.err).toContain(text)
      expect(told.err).toMatch(/^guard: \S/)
      expect(told.code).toBe(code)
      // The same on standard output, as the one JSON document that was asked for.
      expect(errorOutput.parse(told.json()).error.code).toBe(code)
    })

    test.skipIf(isSkipped)('does what it is for, in JSON of its schema', async () => {
      const done = await success(stage)
      expect(done.err).toBe('')
      expect(done.code).toBe(0)
      const documents = isLines === true ? done.out.trim().split('\n') : [done.out]
      expect(documents.length).toBeGreaterThan(0)
      for (const text of documents) schema.parse(JSON.parse(text))
    })
  },
)

test('a failed check prints its findings as one document', async () => {
  const bad = await ask(['doctor', '--json', '--home', '/nonexistent'])
  expect(bad.code).toBe(1)
  expect(doctorOutput.parse(bad.json()).ok).toBe(false)
})

test('an alert that does not arrive is told as one document', async () => {
  const { bench } = stage
  const home = bench.path('silent')
  const { code } = await ask(bench.initArgs('silent'))
  expect(code).toBe(0)
  bench.secret(
    'silent/guard.toml',
    `mode = "paper"\naccount = "${bench.account}"\n[alerts.ntfy]\ntopic = "x"\nbase_url = "http://127.0.0.1:9"\n`,
  )
  const failed = await ask(['alerts', 'test', '--json', '--home', home])
  expect(failed.code).toBe(1)
  expect(alertsTestOutput.parse(failed.json())).toMatchObject([{ channel: 'ntfy', ok: false }])
})

test('the attacks are listed without a Guard', async () => {
  const listed = redteamListOutput.parse((await ask(['redteam', '--list', '--json'])).json())
  expect(listed.length).toBeGreaterThan(400)
})

test('redteam leaves mainnet alone', async () => {
  const url = `http://127.0.0.1:${await takenPort()}`
  const key = stage.bench.path('home.client')
  const told = await ask(['redteam', '--url', url, '--client-key-file', key, '--json'])
  expect(told).toMatchObject({ code: 2, err: expect.stringContaining('mainnet') })
})

test('a taken port gives exit code 1 and the way out', async () => {
  const port = await takenPort()
  const told = await guard(['sim', '--port', port])
  expect(told).toMatchObject({ code: 1 })
  expect(told.err).toContain(`port ${port} is taken`)
  expect(told.err).toContain('--port PORT')
})
