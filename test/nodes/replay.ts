import { createHash } from 'node:crypto'
import type { DecisionBody, Internal } from '../../src/core/events/guardEvent.ts'
import { encodeAction } from '../../src/core/protocol/encodeAction.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { replayDecision } from '../../src/engine/view/replayDecision.ts'
import { exportJournal } from '../../src/journal/inspect.ts'
import { readRecord } from '../../src/journal/record.ts'

/**
 * Judges every decision of a recorded journal again on this Node, from its record alone, and prints
 * how many there were, how many came out as recorded, and a hash over all of them.
 */

/** What was judged in full and refused afterwards, for the disk or the venue's weight. */
const refusedLater = ['rate_limited', 'journal']

function judgedAgain(record: DecisionBody & Internal): string | null {
  const again = refusedLater.includes(record.code) ? null : replayDecision(record)
  if (again === null) return null
  return JSON.stringify([
    ...[again.verdict, again.code, again.text, again.changes, again.pre.map(encodeAction)],
    again.forward === null ? null : encodeAction(again.forward),
    ...[again.forwardMore.map(encodeAction), again.post.map(encodeAction)],
  ])
}

function recorded(record: DecisionBody): string {
  const { verdict, code, text, changes, pre, forward, forward_more: more, post } = record
  return JSON.stringify([verdict, code, text, changes, pre, forward, more, post])
}

const [source = ''] = process.argv.slice(2)
const hash = createHash('sha256')
let decisions = 0
let different = 0
let events = 0
// Read from outside, as it is on disk: to open it would take the key it was written with.
for await (const line of exportJournal(source, 1, Infinity, 'stored')) {
  events += 1
  const body = readRecord(Buffer.from(line))?.body
  if (body?.kind !== 'decision') continue
  const again = judgedAgain(body)
  if (again === null) continue
  decisions += 1
  if (again !== recorded(body)) different += 1
  hash.update(`${again}\n`)
}
const { name: curve } = await loadCrypto()
const { version, arch } = process
const digest = hash.digest('hex')
console.log(JSON.stringify({ node: version, arch, curve, events, decisions, different, digest }))
process.exitCode = different === 0 && decisions > 0 ? 0 : 1
