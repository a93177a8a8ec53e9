import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

function run(tool: string, ...args: readonly string[]): { code: number | null; said: string } {
  const script = join(root, 'scripts', `${tool}.mjs`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { code: status, said: `${stdout}${stderr}` }
}

test.each(['storm', 'fuzz', 'mutate', 'sbom'])('%s says what it takes', (tool) => {
  const { code, said } = run(tool, '--help')
  expect(said).toMatch(new RegExp(`^npm run ${tool} -- `))
  expect(code).toBe(0)
})

test('mutate finds mutants, and tests that load', () => {
  const { code, said } = run('mutate', '--count', 'src/core/account', 'src/core/judge')
  expect(said).toMatch(/^[1-9]\d{3} mutants, [1-9]\d{3} tests\n$/)
  expect(code).toBe(0)
})

// A tool that finds nothing to do must not say that nothing failed.
test.each([
  ['storm', ['--seeds', 'many'], '--seeds must be a whole number of at least 1, not "many"'],
  ['storm', ['--seeds', '0'], '--seeds must be a whole number of at least 1, not "0"'],
  ['storm', ['--seed', ''], '--seed must be a whole number of at least 0, not ""'],
  ['storm', ['--seconds', 'x'], '--seconds must be a number of at least 0.001, not "x"'],
  ['storm', ['--focus', 'each,nothing'], 'not "each"'],
  ['storm', ['--sed', '1'], "Unknown option '--sed'"],
  ['fuzz', ['--inputs', '1.5'], '--inputs must be a whole number of at least 1, not "1.5"'],
  ['fuzz', ['--only', 'nothing'], 'not "nothing"'],
  ['mutate', ['src/core/nothing'], 'there is nothing to change in src/core/nothing'],
  ['mutate', ['--minutes', '0'], '--minutes must be a number of at least 0.01, not "0"'],
])('%s refuses %j', (tool, args, problem) => {
  const { code, said } = run(tool, ...args)
  expect(said).toContain(problem)
  expect(said).toContain(`npm run ${tool} -- `)
  expect(code).toBe(2)
})
