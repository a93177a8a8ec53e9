import type { DecisionBody, Internal } from '../../src/core/events/guardEvent.ts'
import { encodeAction } from '../../src/core/protocol/encodeAction.ts'
import { replayDecision } from '../../src/engine/view/replayDecision.ts'
import { journalStats } from '../../src/journal/inspect.ts'
import type { JournalIo } from '../../src/journal/journalIo.ts'
import { journalDirectory, openStormJournal, secondDirectory } from './guardProcess.ts'
import type { JournalAccess } from './guardProcess.ts'
import { checkProofs } from './proofCheck.ts'
import { Violation } from './violation.ts'
import { ProcessTime } from './virtualTime.ts'
import { keys, user } from './keys.ts'
import type { World } from './world.ts'

/**
 * Verifies a world's journal and judges every decision of it again, from its record alone; how many
 * there were.
 */
export async function replayJournal(world: World): Promise<number> {
  const parts = journalAccess(world, world.disk.io)
  await checkProofs(parts)
  await checkJoined(parts)
  const opened = await openStormJournal(parts, new ProcessTime(world.time, () => 0))
  let count = 0
  for await (const { seq, body } of opened.replay(0)) {
    if (body.kind !== 'decision') continue
    if (isSame(seq, body)) count += 1
  }
  await opened.journal.close()
  world.disk.kill()
  return count
}

/** What somebody at the fake machine opens the journal of its Guard with. */
export function journalAccess({ plan }: World, io: JournalIo): JournalAccess {
  return {
    ...{ account: user, network: 'testnet', apiKey: keys.api, isKeyed: plan.isKeyed },
    ...{ hasSecondDisk: plan.hasSecondDisk, io, log: { log: () => undefined } },
  }
}

/** By now the disks have worked for a while: what went to an emergency file is in the journal. */
async function checkJoined({ io, hasSecondDisk }: JournalAccess): Promise<void> {
  const second = hasSecondDisk ? secondDirectory : null
  const { emergency } = await journalStats(journalDirectory, io, second)
  if (emergency === 0) return
  throw new Violation('durable', `${emergency} emergency records have not joined the journal`)
}

/** False for a request that was refused before it could be judged. */
export function isSame(seq: number, record: DecisionBody & Internal): boolean {
  const again = replayDecision(record)
  if (again === null) return false
  // What the weight of the venue or the disk refused was judged before, and its inputs stay.
  if (record.code === 'rate_limited' || record.code === 'journal') return false
  const before = JSON.stringify([
    ...[record.verdict, record.code, record.text, record.changes],
    ...[record.pre, record.forward, record.forward_more, record.post],
  ])
  const after = JSON.stringify([
    ...[again.verdict, again.code, again.text, again.changes, again.pre.map(encodeAction)],
    again.forward === null ? null : encodeAction(again.forward),
    ...[again.forwardMore.map(encodeAction), again.post.map(encodeAction)],
  ])
  if (before !== after) {
    throw new Violation('replay', `record ${seq} replays to ${after}, it was ${before}`)
  }
  return true
}
