import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { passingOrder } from './orders.ts'
import { bar, whole } from './report.ts'
import type { PartReport } from './report.ts'
import { unexpected } from './unexpected.ts'
import type { BenchWorld } from './world.ts'

/** The venue's own request weight a minute. */
export const venueWeight = 1_200

const everyMs = 50

/**
 * Entries of one bot that pass in a minute while Guard keeps within the venue's weight: it asks
 * twenty times a second, which is all the venue would take with nobody else asking.
 */
export async function measureEntries(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const guard = await world.startGuard(of)
  const line = await HttpLine.open(guard.url)
  const [bot] = of.bots
  await line.post('/exchange', bot.sign(passingOrder()))
  let asked = 0
  let passed = 0
  let refused = 0
  const begun = performance.now()
  const lastMs = counts.entryMinutes * 60_000
  for (let dueMs = 0; dueMs < lastMs; dueMs += everyMs) {
    const waitMs = dueMs - (performance.now() - begun)
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    asked += 1
    const reply = await line.post('/exchange', bot.sign(passingOrder()))
    if (reply.includes('could not immediately match')) passed += 1
    else if (reply.includes('rate_limited')) refused += 1
    else throw unexpected('an entry of the benchmark', reply)
  }
  line.close()
  const minutes = Math.max(counts.entryMinutes, (performance.now() - begun) / 60_000)
  const perMinute = passed / minutes
  const note = counts.entryMinutes < 1 ? ' Measured for less than a minute and scaled up.' : ''
  return {
    name: 'entries',
    title: 'Entries a minute for one bot',
    notes: [
      `In real time, with the venue's limit of ${whole(venueWeight)} a minute on both sides, Guard's own reads included, leverage already set.${note}`,
    ],
    tables: [
      {
        title: '',
        columns: ['asked', 'passed', 'held back for the weight', 'entries a minute'],
        rows: [[asked, passed, refused, perMinute].map(whole)],
      },
    ],
    bars: [bar('entries a minute, one bot', 'at least 600', whole(perMinute), perMinute >= 600)],
    figures: { asked, passed, refused, perMinute },
  }
}
