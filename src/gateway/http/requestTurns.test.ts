import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { RequestTurns } from './requestTurns.ts'

/** A loop whose turns the test gives; each lets all microtasks run dry. */
function openTurns() {
  const asked: (() => void)[] = []
  const heard: string[] = []
  const turns = new RequestTurns((task) => asked.push(task))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    heard,
    ask: async (connection: object, name: string, body: Json, status = 200) => {
      void turns.exchange(connection, () => {
        heard.push(name)
        return Promise.resolve({ status, body })
      })
      await settle()
    },
    /** One turn of the loop. */
    turn: async () => {
      asked.shift()?.()
      await settle()
    },
  }
}

const through = { status: 'ok', verdict: 'allow' }
const veto = { status: 'err', verdict: 'veto' }

test('of strangers one is heard in each turn, in the order they came', async () => {
  const { ask, turn, heard } = openTurns()
  for (const name of ['a', 'b', 'c']) await ask({}, name, veto)
  expect(heard).toEqual([])
  await turn()
  expect(heard).toEqual(['a'])
  await turn()
  await turn()
  expect(heard).toEqual(['a', 'b', 'c'])
})

test('a connection that trades is heard before all strangers, at once', async () => {
  const { ask, turn, heard } = openTurns()
  const bot = {}
  await ask(bot, 'first', through)
  await turn()
  for (const name of ['a', 'b']) await ask({}, name, veto)
  await ask(bot, 'second', { ...through, verdict: 'resize' })
  await ask(bot, 'third', through)
  expect(heard).toEqual(['first', 'second', 'third'])
  await turn()
  expect(heard).toEqual(['first', 'second', 'third', 'a'])
})

test.each([
  ['refused', veto, 200],
  ['shed', null, 429],
  ['answered by nobody', through, 500],
  ['no decision', 'text', 200],
])('what was %s makes no connection a trading one', async (_, body, status) => {
  const { ask, turn, heard } = openTurns()
  const other = {}
  await ask(other, 'first', body, status)
  await turn()
  await ask(other, 'second', body, status)
  expect(heard).toEqual(['first'])
  await turn()
  expect(heard).toEqual(['first', 'second'])
})

test('on a trading connection only one request is ahead of others until it is answered', async () => {
  const asked: (() => void)[] = []
  const turns = new RequestTurns((task) => asked.push(task))
  const bot = {}
  const first = turns.exchange(bot, () => Promise.resolve({ status: 200, body: through }))
  asked.shift()?.()
  await first
  const heard: string[] = []
  for (const name of ['second', 'third']) {
    void turns.exchange(bot, () => {
      heard.push(name)
      return new Promise(() => undefined)
    })
  }
  expect(heard).toEqual(['second'])
  asked.shift()?.()
  await Promise.resolve()
  expect(heard).toEqual(['second', 'third'])
})

test('nothing overtakes an earlier request of its own connection that waits', async () => {
  const asked: (() => void)[] = []
  const turns = new RequestTurns((task) => asked.push(task))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const heard: string[] = []
  const bot = {}
  const ask = (connection: object, name: string, answered = Promise.resolve()) =>
    void turns.exchange(connection, async () => {
      heard.push(name)
      await answered
      return { status: 200, body: through }
    })
  ask(bot, 'first')
  asked.shift()?.()
  await settle()
  let answer = (): void => undefined
  ask(bot, 'order', new Promise((resolve) => (answer = resolve)))
  for (const name of ['a', 'b']) ask({}, name)
  ask(bot, 'another order')
  // By its answer the connection is one that trades again, while its next request waits behind others.
  answer()
  await settle()
  ask(bot, 'its cancel')
  for (let turn = 0; turn < 4; turn += 1) {
    asked.shift()?.()
    await settle()
  }
  expect(heard).toEqual(['first', 'order', 'a', 'b', 'another order', 'its cancel'])
  // With nothing of its own in the line it is heard at once again.
  ask(bot, 'at once')
  expect(heard.at(-1)).toBe('at once')
})
