import { expect, test } from 'vitest'
import { failSafe } from './failSafe.ts'
import type { HttpReply, HttpRequest } from './front/transport.ts'
import type { SimulatorCore } from './simulatorOptions.ts'

const request: HttpRequest = {
  ...{ method: 'POST', url: '/info', contentType: 'application/json' },
  ...{ isObserver: false, ip: '127.0.0.1', body: '{}' },
}
const ill = (): never => {
  throw new RangeError('a lot is broken')
}
const core = (own: Partial<SimulatorCore>): SimulatorCore => ({
  venue: null as never,
  http: (_, answer) => {
    answer(null)
  },
  connect: () => ({ receive: ill, closed: () => undefined }),
  advance: () => undefined,
  nextAt: () => 0,
  weightUsed: () => 0,
  ...own,
})
const told = { status: 500, body: '{"error":"the simulator failed: a lot is broken"}' }

test('an error in a request is its answer, and everybody hears of it after', async () => {
  const safe = failSafe(() => core({ http: ill }))
  const replies: (HttpReply | null)[] = []
  safe.core.http(request, (reply) => replies.push(reply))
  safe.core.http(request, (reply) => replies.push(reply))
  expect(replies).toMatchObject([told, told])
  expect((await safe.failed).message).toBe('a lot is broken')
})

test('an error while time passes does not leave the timer', async () => {
  const safe = failSafe(() => core({ advance: ill }))
  safe.core.advance()
  expect((await safe.failed).message).toBe('a lot is broken')
  expect(safe.check).toThrow('a lot is broken')
  const replies: (HttpReply | null)[] = []
  safe.core.http(request, (reply) => replies.push(reply))
  expect(replies).toMatchObject([told])
})

test('an error in a message ends its socket; one that comes after the answer changes nothing', () => {
  const safe = failSafe(() => core({}))
  let drops = 0
  const link = { ip: '', isObserver: false, send: ill, drop: () => void drops++ }
  safe.core.connect(link).receive('{}')
  expect(drops).toBe(1)
  const late = failSafe(() =>
    core({
      http: (_, answer) => {
        answer(null)
        ill()
      },
    }),
  )
  const replies: (HttpReply | null)[] = []
  late.core.http(request, (reply) => replies.push(reply))
  expect(replies).toEqual([null])
})
