import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('tasks run one at a time, in order, and others come in between', async () => {
  const turns = new Turns()
  const said: string[] = []
  let running = 0
  const task = (name: string) => async (): Promise<void> => {
    running += 1
    expect(running).toBe(1)
    said.push(name)
    await Promise.resolve()
    running -= 1
  }
  const all = ['a', 'b', 'c'].map((name) => turns.take(task(name)))
  setImmediate(() => said.push('someone else'))
  await Promise.all(all)
  expect(said).toEqual(['a', 'someone else', 'b', 'c'])
})

test('a task that fails fails alone', async () => {
  const turns = new Turns()
  const failed = turns.take(() => Promise.reject(new Error('no')))
  const next = turns.take(() => Promise.resolve())
  await expect(failed).rejects.toThrow('no')
  await expect(next).resolves.toBe(undefined)
})
