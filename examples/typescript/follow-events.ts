// Follows a Guard: every event in order, without missing one, also over restarts of either side.
// Ends by itself after COUNT events, or never.
import { createClient } from 'guard/client'

const guard = createClient({ baseUrl: process.env['GUARD_URL'] ?? 'http://127.0.0.1:8547' })
const count = Number(process.env['COUNT'] ?? Infinity)

let seen = 0
for await (const event of guard.follow(0)) {
  const text = event.kind === 'decision' ? `${event.verdict} [${event.code}] ${event.text}` : ''
  console.log(event.seq, event.kind, text)
  seen += 1
  if (seen >= count) break
}
