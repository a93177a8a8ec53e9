import { cancelEverything } from './cancelAction.ts'
import { feedMs, renewMarks } from './dex/markEngine.ts'
import { endAggressive } from './dex/capRefusal.ts'
import { hourMs, samplePremium, settleFunding } from './funding.ts'
import { checkLiquidations } from './liquidation.ts'
import { stepMarket } from './makers.ts'
import { publishLedger } from './money.ts'
import { setMark } from './pricing.ts'
import { sellDust } from './spot/dust.ts'
import { nextUnstakeMs, runUnstakes } from './staking.ts'
import { nextTriggersMs, runTriggers } from './triggers.ts'
import { endTwapsAfter, nextSliceMs, runTwaps } from './twaps.ts'
import type { World } from './world.ts'

const dayMs = 86_400_000
export const stepMs = 1000
/** The further a jump still goes the larger are the markets' steps: a day takes a second or two. */
const longSteps: readonly { readonly beyondMs: number; readonly everyMs: number }[] = [
  { beyondMs: 30 * dayMs, everyMs: 1_800_000 },
  { beyondMs: 3 * dayMs, everyMs: 300_000 },
  { beyondMs: 2 * hourMs, everyMs: 30_000 },
]
/** The venue renews marks about every three seconds. */
const markMs = 3000

/** When something is due next, at or before `limit`; null when nothing is. */
export function nextDue(world: World, limit: number): number | null {
  let due = Infinity
  const at = (time: number | null | undefined): void => {
    if (time !== null && time !== undefined && time < due) due = time
  }
  if (!world.frozen) at(world.nextStepMs)
  at(world.nextFundingMs)
  at(world.nextFeedMs)
  at(world.nextLiquidationMs)
  at(nextSliceMs(world))
  at(nextTriggersMs(world))
  for (const { dueMs } of world.pendingLedger) at(dueMs)
  for (const account of world.accounts.values()) {
    at(account.scheduledCancel)
    at(nextUnstakeMs(account))
  }
  return due <= limit ? Math.max(due, world.nowMs) : null
}

function longStepMs(world: World, target: number): number | null {
  return longSteps.find(({ beyondMs }) => target - world.nowMs > beyondMs)?.everyMs ?? null
}

/** Does what is due now. */
export function runDue(world: World, target: number): void {
  runSchedules(world)
  runLedger(world)
  runUnstakes(world)
  runTwaps(world)
  if (!world.frozen && world.nextStepMs <= world.nowMs) runStep(world, target)
  if (world.nextFeedMs !== null && world.nextFeedMs <= world.nowMs) runFeeds(world, target)
  if (world.nextFundingMs <= world.nowMs) {
    settleFunding(world)
    sellDust(world)
    world.nextFundingMs += hourMs
    checkLiquidations(world)
  }
  if (world.nextLiquidationMs !== null && world.nextLiquidationMs <= world.nowMs) {
    checkLiquidations(world)
  }
  runTriggers(world)
}

function runStep(world: World, target: number): void {
  const length = longStepMs(world, target) ?? stepMs
  const isMarkDue = Math.floor(world.nowMs / markMs) !== Math.floor((world.nowMs - length) / markMs)
  for (const market of world.everyMarket) {
    samplePremium(world, market)
    stepMarket(world, market, length / stepMs)
    if (isMarkDue && market.builder === null) setMark(world, market, market.mid, market.mid)
  }
  world.nextStepMs = world.nowMs + length
  runTriggers(world)
  if (!isMarkDue) return
  checkLiquidations(world)
  runTwaps(world)
}

function runFeeds(world: World, target: number): void {
  world.nextFeedMs = world.nowMs + (longStepMs(world, target) ?? feedMs)
  renewMarks(world)
  endAggressive(world)
  runTriggers(world)
  checkLiquidations(world)
  runTwaps(world)
}

function runSchedules(world: World): void {
  const today = Math.floor(world.nowMs / dayMs)
  for (const account of world.accounts.values()) {
    if (account.scheduledCancel === null || account.scheduledCancel > world.nowMs) continue
    account.scheduledCancel = null
    const { day, count } = account.scheduleFired
    account.scheduleFired = { day: today, count: day === today ? count + 1 : 1 }
    cancelEverything(world, account, 'scheduledCancel')
    endTwapsAfter(world, account, 'scheduleCancel')
  }
}

function runLedger(world: World): void {
  if (world.pendingLedger.length === 0) return
  const due = world.pendingLedger.filter(({ dueMs }) => dueMs <= world.nowMs)
  world.pendingLedger = world.pendingLedger.filter(({ dueMs }) => dueMs > world.nowMs)
  for (const { account, row } of due) publishLedger(world, account, row)
}
