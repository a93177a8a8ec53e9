import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { watchClients } from './watchClients.ts'

const path = mkdtempSync(join(tmpdir(), 'guard-watch-'))
const configFile = join(path, 'guard.toml')
let stop: (() => void) | null = null
afterEach(() => {
  stop?.()
  rmSync(path, { recursive: true, force: true })
})

test('a pipe in the place of guard.toml is told and changes nothing, and what replaces it is read', async () => {
  const text = `mode = "paper"\naccount = "0x${'a'.repeat(40)}"\n[venue]\nnetwork = "testnet"\n`
  writeFileSync(configFile, text)
  const clients: number[] = []
  const said: string[] = []
  const log = { log: (_level: string, message: string) => said.push(message) }
  stop = watchClients(
    { path, configFile },
    { setClients: (list) => clients.push(list.length) },
    log,
  )
  expect([clients, said]).toEqual([[0], []])
  rmSync(configFile)
  execFileSync('mkfifo', [configFile])
  process.emit('SIGHUP')
  expect(said).toContain('guard.toml changed and cannot be read; nothing was taken over')
  expect(clients).toEqual([0])
  rmSync(configFile)
  writeFileSync(configFile, `${text}[clients]\n"0x${'b'.repeat(40)}" = { name = "bot" }\n`)
  process.emit('SIGHUP')
  expect(clients.at(-1)).toBe(1)
})
