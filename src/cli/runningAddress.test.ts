import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceAddress, announcedAddress } from './runningAddress.ts'

const url = 'http://127.0.0.1:8547'

test('an address is there until it is taken back', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'guard-address-'))
  const undo = announceAddress(stateDir, url, { log: () => undefined })
  expect(announcedAddress(stateDir)).toBe(url)
  undo()
  expect(announcedAddress(stateDir)).toBeNull()
  rmSync(stateDir, { recursive: true })
})

test('where it cannot be written it is said, and nothing fails', () => {
  const said: string[] = []
  const log = { log: (level: string, message: string) => void said.push(`${level} ${message}`) }
  const undo = announceAddress(join(tmpdir(), 'guard-nowhere', 'state'), url, log)
  expect(said).toEqual([
    'warn where Guard listens could not be written down; other commands go by guard.toml',
  ])
  undo()
})
