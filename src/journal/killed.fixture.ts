import { millis } from '../core/values/millis.ts'
import { ChainKey } from './chainKey.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

/** A process that appends as fast as it can, and says which records it was told are on disk. */
const [directory = '', run = '', index = '', keyed = ''] = process.argv.slice(2)
const identity = { account: '0x1111111111111111111111111111111111111111', network: 'testnet' }
const after = (ms: number, task: () => void) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

const { journal } = await openJournal({
  directory,
  identity,
  key: keyed === 'keyed' ? ChainKey.of(Buffer.alloc(32, 7), identity) : null,
  clock: { now: () => millis(Date.now()), monotonicMs: () => performance.now() },
  timers: { after, every: after },
  io: nodeIo,
  log: { log: (_, message) => process.stderr.write(`${message}\n`) },
  openIndex: index === 'sqlite' ? openSqliteIndex : () => new MemoryIndex(),
  bounds: { segmentBytes: 20_000, reserveBytes: 4_096 },
})

for (let batch = 0; ; batch += 1) {
  const size = 1 + (batch % 5)
  const appended = Array.from({ length: size }, (_, i) =>
    journal.append({ kind: 'error', text: `${run}-${batch}-${i}` }, i % 2 === 0 ? 'now' : 'ride'),
  )
  for (const { durable, event } of appended) {
    const { seq } = await durable
    process.stdout.write(`${seq} ${event.kind === 'error' ? event.text : ''}\n`)
  }
}
