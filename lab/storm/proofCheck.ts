import { FakeDisk } from '../fakes/fakeDisk.ts'
import { forgedChain } from '../fakes/forgedChain.ts'
import { exportJournal, verifyJournal } from '../../src/journal/inspect.ts'
import { fileNames, markText, segmentNames } from '../../src/journal/layout.ts'
import { genesis } from '../../src/journal/record.ts'
import { readSmallFile } from '../../src/journal/segments.ts'
import { journalDirectory, stormKey } from './guardProcess.ts'
import type { JournalAccess } from './guardProcess.ts'
import { Violation } from './violation.ts'

/** The journal of a world that has ended verifies, by its key where it has one; a forged one does not. */
export async function checkProofs(access: JournalAccess): Promise<void> {
  const key = stormKey(access)
  const { problem, proofs, records } = await verifyJournal(
    journalDirectory,
    undefined,
    access.io,
    key,
  )
  if (problem !== null)
    throw new Violation('proven', `the journal does not verify: ${problem.text}`)
  if (key === null) return
  if (proofs?.from !== 1 || proofs.checked !== records) {
    const text = `${proofs?.checked ?? 0} of ${records} records are proven`
    throw new Violation('proven', text)
  }
  await checkForged(access, records)
}

/** Takes one record out, another one in each world that has another length, and chains the rest again. */
async function checkForged(access: JournalAccess, records: number): Promise<void> {
  // The last one alone can be taken without a trace: of that only the mark would tell.
  if (records < 2) return
  const without = 1 + ((records * 7) % (records - 1))
  const disk = await forgedDisk(access, without)
  const byHash = await verifyJournal(journalDirectory, undefined, disk.io)
  if (byHash.problem !== null) throw new Error(`it was forged badly: ${byHash.problem.text}`)
  const byKey = await verifyJournal(journalDirectory, undefined, disk.io, stormKey(access))
  if (byKey.problem === null) {
    throw new Violation('proven', `record ${without} was taken out, and the journal verifies`)
  }
}

async function forgedDisk({ io, account, network }: JournalAccess, without: number) {
  const lines: string[] = []
  for await (const line of exportJournal(journalDirectory, 1, Infinity, 'stored', io)) {
    lines.push(line)
  }
  lines.splice(without - 1, 1)
  const { text, last } = forgedChain(lines, genesis({ account, network }), true)
  const segment = segmentNames(await io.list(journalDirectory))[0]?.name ?? ''
  const identity = await readSmallFile(io, `${journalDirectory}/${fileNames.identity}`)
  const mark = markText({ ...last, segment, end: Buffer.byteLength(text) })
  const disk = new FakeDisk()
  disk.put(`${journalDirectory}/${fileNames.identity}`, identity ?? Buffer.alloc(0))
  disk.put(`${journalDirectory}/${segment}`, Buffer.from(text))
  disk.put(`${journalDirectory}/${fileNames.mark}`, Buffer.from(mark))
  return disk
}
