import { millis } from '../core/values/millis.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

/** A process that opens a journal, writes one record, and says what became of both. */
const [directory = '', text = ''] = process.argv.slice(2)
const after = (ms: number, task: () => void) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}
const { journal } = await openJournal({
  directory,
  identity: { account: '0x1111111111111111111111111111111111111111', network: 'testnet' },
  key: null,
  clock: { now: () => millis(Date.now()), monotonicMs: () => performance.now() },
  timers: { after, every: after },
  io: nodeIo,
  log: { log: () => undefined },
  openIndex: openSqliteIndex,
})
const durable = await journal.append({ kind: 'error', text }, 'now').durable.catch(String)
const head = journal.lastSeq
await journal.close().catch(() => undefined)
process.stdout.write(JSON.stringify({ durable, head }))
process.exit(0)
