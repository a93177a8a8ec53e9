// Runs the takeovers.
import { bundled } from './bundled.mjs'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run takeovers -- [options]

Two Guards of one account as real processes, one of them a standby, with a simulator and a real
PostgreSQL: the one that acts is killed (kill -9) in the middle of requests, again and again, and the
other takes over. The built program is run: npm run build comes first.

  --count N        takeovers (200)
  --seed S         of the moments and the requests (1)
  --seconds T      begin no further one after so long (86400)
  --real           wait each lease out; otherwise nine seconds of it are skipped in the store`

const { values } = toolOptions(usage, {
  count: { least: 1, usual: 200 },
  seed: { least: 0, usual: 1 },
  seconds: { least: 1, usual: 86_400 },
  real: 'flag',
})
const { takeovers } = await bundled('test', 'takeovers', 'main.ts')
process.exit(await takeovers({ ...values, real: values.real === true }))
