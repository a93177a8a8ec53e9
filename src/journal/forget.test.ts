import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventIndex, IndexRow } from './eventIndex.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

const any = { kinds: null, code: null, fromMs: null, untilMs: null }
const rows = [1, 2, 3, 4].map((seq): IndexRow => ({
  ...{ seq, segment: 1, offset: seq * 10, length: 9, atMs: seq, kind: 'decision', code: null },
  ...{ nonce: seq, client: null, decision: null, coins: ['BTC'] },
  ...{ cloids: [], isPassed: true },
}))

const kinds: readonly [string, (directory: string) => EventIndex | Promise<EventIndex>][] = [
  ['in memory', () => new MemoryIndex()],
  ['on disk', openSqliteIndex],
]
test.each(kinds)('an index %s forgets what is not kept, and nothing else', async (_, open) => {
  const directory = mkdtempSync(join(tmpdir(), 'guard-index-'))
  const index = await open(directory)
  try {
    await index.add(rows, { seq: 4, hash: 'h' })
    await index.forget(2)
    expect(index.head).toEqual({ seq: 4, hash: 'h' })
    const positions = await Promise.all([1, 2, 3, 4].map((seq) => index.position(seq)))
    expect(positions.map((position) => position?.offset)).toEqual([undefined, undefined, 30, 40])
    expect(await index.decision(2, null)).toBeNull()
    expect((await index.decision(3, null))?.seq).toBe(3)
    for (const coin of [null, 'BTC']) {
      const page = await index.page(0, 10, { ...any, coin })
      expect(page.map(({ seq }) => seq)).toEqual([3, 4])
    }
  } finally {
    await index.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
