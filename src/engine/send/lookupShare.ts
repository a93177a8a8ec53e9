import type { Json } from '../../core/protocol/action.ts'
import { infoWeight, rowsWeight, rowsWeightMax } from '../../core/protocol/requestWeight.ts'
import { err } from '../../core/values/result.ts'
import type { Clock, Urgency, VenueHttp, WeightBudget } from '../ports.ts'

interface LookupShareDeps {
  readonly venue: Pick<VenueHttp, 'info'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly budget: Pick<WeightBudget, 'limit' | 'roomInMs'>
}

const minuteMs = 60_000

/** What questions of one lane may take of the minute's request weight, however many are in doubt. */
const sharePercent = 20
/** Where so much of the minute is left to a lane beside, nothing is shared out. */
const freePercent = 25
/** Of the weight that is kept for stops and closes; what finds no more is asked with that for looks. */
const safetyPercent = 5
/** Where the whole budget is small: one list of the open orders, and two orders. */
const shareMin = 24

interface Spent {
  readonly atMs: number
  /** What it can cost at most; once it is answered, what it did. */
  weight: number
}

/**
 * Asks the venue what became of orders, with a share of the request weight and no more: a bot whose
 * actions are all in doubt must not spend by these questions what exits, stops and looks at the
 * account need. What is not asked stays in doubt, and keeps its room until it is.
 */
export class LookupShare implements Pick<VenueHttp, 'info'> {
  readonly #deps: LookupShareDeps
  readonly #spent = new Map<Urgency, Spent[]>()

  constructor(deps: LookupShareDeps) {
    this.#deps = deps
  }

  readonly info: VenueHttp['info'] = async (request, wanted) => {
    const most = this.#most(request)
    const lane = wanted === 'safety' && this.#retryMs(wanted, most) > 0 ? 'watch' : wanted
    const retryMs = this.#retryMs(lane, most)
    if (retryMs > 0) {
      const text = 'the request weight for questions about single orders is spent'
      return err({ kind: 'no_weight', text, retryMs })
    }
    const spent = { atMs: this.#deps.clock.monotonicMs(), weight: most }
    this.#recent(lane).push(spent)
    const answer = await this.#deps.venue.info(request, lane)
    if (answer.ok) spent.weight = infoWeight(request) + rowsWeight(request, answer.value.body)
    else if (answer.error.kind === 'no_weight') spent.weight = 0
    return answer
  }

  /** What a question can cost with the rows of its answer; no more than a quarter of a small budget. */
  #most(request: Json): number {
    const question = infoWeight(request)
    const quarter = Math.floor(this.#deps.budget.limit / 4)
    return Math.max(Math.min(question + rowsWeightMax(request), quarter), question)
  }

  /** In how many milliseconds a lane may ask for so much; 0 when it may now. */
  #retryMs(lane: Urgency, most: number): number {
    const { budget, clock } = this.#deps
    // What protects is not held up by the budget: its own share bounds it.
    const budgetMs = lane === 'safety' ? 0 : budget.roomInMs(lane, most)
    if (budgetMs > 0) return budgetMs
    // While so much is left beside, nobody else lacks what these questions take.
    if (lane !== 'safety' && budget.roomInMs(lane, most + this.#freePart) === 0) return 0
    const spent = this.#recent(lane)
    const [first] = spent
    const sum = spent.reduce((total, { weight }) => total + weight, 0)
    if (first === undefined || sum + most <= this.#shareOf(lane)) return 0
    return first.atMs + minuteMs - clock.monotonicMs()
  }

  get #freePart(): number {
    return Math.floor((this.#deps.budget.limit * freePercent) / 100)
  }

  #shareOf(lane: Urgency): number {
    const percent = lane === 'safety' ? safetyPercent : sharePercent
    return Math.max(Math.floor((this.#deps.budget.limit * percent) / 100), shareMin)
  }

  /** What was asked in the last minute and costs something, the oldest first. */
  #recent(lane: Urgency): Spent[] {
    const nowMs = this.#deps.clock.monotonicMs()
    const known = this.#spent.get(lane) ?? []
    const recent = known.filter(({ atMs, weight }) => weight > 0 && nowMs - atMs < minuteMs)
    this.#spent.set(lane, recent)
    return recent
  }
}
