import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { childProgram } from '../system/childProgram.fixture.ts'
import type { ChildProgram } from '../system/childProgram.fixture.ts'
import { newStateDir, say, startService } from './alerts.fixture.ts'
import { cursorPath } from './cursorFile.ts'

const rounds = 8
let program: ChildProgram

beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, 'killed.fixture.ts'))
  return program.remove
})

test('killed around a delivery, it repeats a message at most once and loses none', async () => {
  const stateDir = newStateDir()
  writeFileSync(cursorPath(stateDir), '{"version":1,"seq":0,"lasting":[],"waiting":[],"sentAt":[]}')
  const begun = Date.now()
  let child: ChildProcess | null = null
  let victim: string | null = null
  let kills = 0
  const taken: { readonly id: string; readonly text: string }[] = []
  const service = await startService(({ text, json }, response) => {
    const take = (): void => {
      taken.push({ id: json.id, text })
      say(response, 200, 'ok')
    }
    const kill = (): void => {
      kills += 1
      child?.kill('SIGKILL')
    }
    const isVictim = victim !== null && text.includes(victim)
    if (!isVictim) {
      take()
      return
    }
    victim = null
    // Before the answer, with it, and in the moments in which the cursor is written.
    const stage = kills % 4
    if (stage === 0) kill()
    else take()
    if (stage === 1) kill()
    if (stage === 2) response.on('finish', kill)
    if (stage === 3) response.on('finish', () => setImmediate(kill))
  })
  const run = (count: number): Promise<number | null> =>
    new Promise((resolve) => {
      const args = [program.path, stateDir, service.url, String(count), String(begun)]
      child = spawn(process.execPath, args, { stdio: 'inherit' })
      child.on('exit', resolve)
    })
  onTestFinished(() => void child?.kill('SIGKILL'))
  for (let round = 1; round <= rounds; round += 1) {
    victim = `round ${round}.`
    await run(round)
    expect(await run(round)).toBe(0)
  }
  expect(kills).toBe(rounds)
  const before = service.received.length
  expect(await run(rounds)).toBe(0)
  expect(service.received).toHaveLength(before)
  for (let round = 1; round <= rounds; round += 1) {
    const copies = taken.filter(({ text }) => text.includes(`round ${round}.`))
    expect([1, 2], `round ${round}`).toContain(copies.length)
    // The second copy can be told by its number.
    expect(new Set(copies.map(({ id }) => id)).size).toBe(1)
  }
})
