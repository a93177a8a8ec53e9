import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { claimOnHost } from './hostClaim.ts'

const holder = { pid: 42, home: '/var/lib/guard' }

test('a name is of one process, which says who it is, until it lets go', async () => {
  const name = randomUUID()
  const first = await claimOnHost(name, holder)
  expect(first.kind).toBe('held')
  expect(await claimOnHost(name, { pid: 43, home: '/x' })).toEqual({ kind: 'taken', by: holder })
  expect(await claimOnHost(`${name}-other`, holder)).toMatchObject({ kind: 'held' })
  if (first.kind === 'held') first.release()
  expect(await claimOnHost(name, holder)).toMatchObject({ kind: 'held' })
})

test('a stranger that has taken the name keeps nobody from starting', async () => {
  const name = randomUUID()
  const stranger = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('x'.repeat(100_000))
  })
  await new Promise<void>((resolve) => stranger.listen(`\0guard-${name}`, resolve))
  try {
    expect(await claimOnHost(name, holder)).toMatchObject({ kind: 'unknown' })
  } finally {
    stranger.close()
  }
})
