import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { readOwnerFile } from './ownerFile.ts'

const directory = mkdtempSync(join(tmpdir(), 'guard-owner-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})
const inside = (name: string): string => join(directory, name)

function problem(path: string): string {
  try {
    return `read ${readOwnerFile(path).length}`
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

test('a file of up to a mebibyte is read whole', () => {
  writeFileSync(inside('some'), 'mode = "paper" # ü\n')
  expect(readOwnerFile(inside('some'))).toBe('mode = "paper" # ü\n')
  writeFileSync(inside('most'), '#'.repeat(limits.ownerFileBytesMax))
  expect(readOwnerFile(inside('most'))).toHaveLength(limits.ownerFileBytesMax)
  expect(readOwnerFile('/proc/self/status')).toContain('Pid:')
})

test('what is no file, or has no end, is refused at once', () => {
  execFileSync('mkfifo', [inside('pipe')])
  symlinkSync('/dev/zero', inside('endless'))
  writeFileSync(inside('large'), '')
  truncateSync(inside('large'), 2 ** 40)
  expect(problem(inside('pipe'))).toBe('it is no regular file')
  expect(problem(inside('endless'))).toBe('it is no regular file')
  expect(problem(directory)).toBe('it is no regular file')
  expect(problem(inside('large'))).toBe('it is longer than 1048576 bytes')
  expect(problem(inside('nothing'))).toBe('ENOENT')
})
