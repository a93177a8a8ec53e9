import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSecretFile } from './secretFile.ts'

const directory = mkdtempSync(join(tmpdir(), 'guard-secret-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})

test('a pipe in the place of a secret is refused at once', () => {
  const pipe = join(directory, 'secret')
  execFileSync('mkfifo', ['-m', '600', pipe])
  const error = `${pipe}: must be a regular file`
  expect(readSecretFile(pipe)).toEqual({ ok: false, error })
})
