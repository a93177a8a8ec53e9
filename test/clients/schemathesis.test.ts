import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Rig } from './rig.fixture.ts'

const root = resolve(import.meta.dirname, '..', '..')
const program =
  process.env['GUARD_SCHEMATHESIS'] ?? join(root, '.venv-schemathesis', 'bin', 'schemathesis')
const skipped =
  'needs schemathesis: run scripts/clients-schemathesis.sh, or name it in GUARD_SCHEMATHESIS'

function isThere(): boolean {
  if (!existsSync(program)) return false
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** It asks for everything the file allows and for what it forbids, the same in every run. */
async function findings(rig: Rig): Promise<string> {
  const options = ['--phases', 'examples,coverage,fuzzing', '--max-examples', '60']
  const steady = ['--seed', '1', '--workers', '1', '--generation-database', 'none']
  const quiet = [
    '--no-color',
    '--request-timeout',
    '10',
    '--warnings',
    'off',
    '--no-shrink',
    '--continue-on-failure',
  ]
  const config = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')]
  const args = [
    ...config,
    'run',
    `${rig.url}/openapi.json`,
    '--url',
    rig.url,
    ...options,
    ...steady,
    ...quiet,
  ]
  try {
    await promisify(execFile)(program, args, { cwd: rig.home, maxBuffer: 64 * 1024 * 1024 })
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error)
  }
}

if (!isThere()) test.skip(`the port and its OpenAPI file: ${skipped}`, () => undefined)
else
  test('the port does what its OpenAPI file says, and nothing else', async () => {
    const rig = await Rig.start()
    try {
      expect(await findings(rig)).toBe('')
    } finally {
      await rig.close()
    }
  })
