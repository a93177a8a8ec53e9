import type { GuardConfigFile } from '../../../config/readConfig.ts'
import { limits } from '../../../core/values/limits.ts'
import { err, ok } from '../../../core/values/result.ts'
import type { Result } from '../../../core/values/result.ts'
import { systemClock } from '../../../system/systemClock.ts'
import { createHttpTransport } from '../../../venue/httpTransport.ts'
import { askBeside } from '../../askBeside.ts'
import { askVenue } from './askVenue.ts'
import { historyPoints } from './historyPoints.ts'
import { marginPoints } from './marginPoints.ts'
import { orderPoints } from './orderPoints.ts'
import type { Point, Sight } from './point.ts'
import { Questions } from './questions.ts'
import { settingPoints } from './settingPoints.ts'

/** Everything that is looked at, in the order of the report. */
export const points: readonly Point[] = [
  ...settingPoints,
  ...marginPoints,
  ...orderPoints,
  ...historyPoints,
]

export interface VenueReport {
  /** Without what could be a secret in its address. */
  readonly venue: string
  readonly network: string
  /** Shortened. */
  readonly account: string
  readonly at: string
  readonly weight: { readonly used: number; readonly most: number }
  readonly points: readonly (Omit<Point, 'look'> & Sight)[]
  readonly unanswered: Questions['unanswered']
}

const questionMs = 10_000
const allMs = 60_000

/** Reads of the venue what it shows of each point; nothing is signed, and nothing is sent but reads. */
export async function venueReport(config: GuardConfigFile): Promise<Result<VenueReport>> {
  const { account, venue, mode } = config
  const transport = createHttpTransport(venue.url)
  const until = performance.now() + allMs
  try {
    const ask = await askBeside(config, transport, questionMs)
    const questions = new Questions(ask, () => performance.now() >= until)
    const told = await askVenue(questions, account)
    const [first] = questions.unanswered
    if (told.clock === null && told.markets === null && told.states === null) {
      return err(`${new URL(venue.url).host} cannot be reached: ${first?.why ?? 'no answer'}`)
    }
    return ok({
      venue: new URL(venue.url).host,
      network: mode,
      account: `${account.slice(0, 6)}…${account.slice(-4)}`,
      at: new Date(systemClock.now()).toISOString(),
      weight: { used: questions.weight, most: limits.examinedWeightMax },
      points: points.map((point) => {
        const { name, assumed, option } = point
        return { name, assumed, option, ...point.look(told) }
      }),
      unanswered: questions.unanswered,
    })
  } finally {
    transport.close()
  }
}
