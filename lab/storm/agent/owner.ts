import { guardCloidKind } from '../../../src/core/protocol/guardCloid.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { closeByHand } from '../faultDesk.ts'
import { openStormJournal, stateDirectory } from '../guardProcess.ts'
import { keys, user } from '../keys.ts'
import { isBeyondStops } from '../poolOracle.ts'
import { checkProofs } from '../proofCheck.ts'
import { journalAccess } from '../replayJournal.ts'
import { ProcessTime } from '../virtualTime.ts'
import { equityOf } from '../wholeAccount.ts'
import type { World } from '../world.ts'

/** What has to be reviewed at the machine before Guard opens anything again. */
interface Halt {
  readonly isLatched: boolean
  readonly isStopped: boolean
}

/** What only a person can end; null where Guard goes on by itself. */
export function haltOf({ life }: World): Halt | null {
  const status = life?.guard?.status()
  if (status === undefined) return null
  const isLatched = status.kill.latched
  const isStopped = status.risk.state === 'stopped'
  return isLatched || isStopped ? { isLatched, isStopped } : null
}

/** With Guard stopped, as `guard kill release` and `guard resume` do: the record, then the file. */
export async function review(world: World, { isLatched, isStopped }: Halt): Promise<void> {
  const { oracle, sim } = world
  const io = world.watched.watch(world.disk.io)
  oracle.isOpening = true
  const time = new ProcessTime(world.time, () => 0)
  const { journal } = await openStormJournal(journalAccess(world, io), time)
  oracle.onOpened(journal.lastSeq, journal.error === null)
  const reason = 'the owner has looked at it'
  if (isLatched) {
    const body = { kind: 'reviewed', what: 'kill', reason, equity: null } as const
    await journal.append(body, 'now').durable
    await io.remove(`${stateDirectory}/kill`)
    oracle.killedAt = null
    world.killFileAt = null
  }
  if (isStopped) {
    const equity = equityOf(sim.venue, user).toString()
    await journal.append({ kind: 'reviewed', what: 'stopped', reason, equity }, 'now').durable
  }
  await journal.close()
  world.disk.kill()
}

/**
 * A start reads the journal from its last snapshot on: a bit that turned in an older segment is found by
 * whoever verifies all of it. Then it is put back, and all of it verifies.
 */
export async function putBackBits(world: World): Promise<void> {
  if (world.putBack.length === 0) return
  for (const undo of world.putBack.reverse()) undo()
  world.putBack = []
  await checkProofs(journalAccess(world, world.disk.io))
}

/** What the account is filled up or emptied to, and when. */
const [usual, least, most] = [Decimal.whole(10_000), Decimal.whole(6_000), Decimal.whole(40_000)]

/** The owner puts in order what people did meanwhile; whether anything had to be done. */
export function tidyUp(world: World): boolean {
  const isClosed = isBeyondStops(world) && closeEverything(world)
  const equity = equityOf(world.sim.venue, user)
  const isFilled = equity.lt(least) || equity.gt(most)
  if (isFilled) {
    const amount = usual.minus(equity).rounded(2, 'down').toString()
    world.control('flow', { user, amount })
  }
  return isClosed || isFilled
}

/** Everything is as at first: nothing that was done before is an excuse for what comes. */
export function beginAnew(world: World): void {
  world.isTraded = false
  world.recent.clear()
  world.isHealed = false
  if (world.clientKeys.includes(keys.agent)) return
  world.clientKeys = [keys.first, keys.agent, keys.second]
  world.clientsChangedAt = world.time.elapsed
  world.life?.guard?.setClients(world.clients)
}

/** Positions and all orders but Guard's stops, which it takes away itself. */
function closeEverything(world: World): boolean {
  const { venue } = world.sim
  const { positions } = venue.perpState(user)
  const orders = venue.openOrders(user).filter(({ cloid }) => guardCloidKind(cloid) === null)
  if (positions.length + orders.length === 0) return false
  for (const position of positions) closeByHand(world, position)
  for (let at = 0; at < orders.length; at += 100) {
    const cancels = orders.slice(at, at + 100).map(({ asset, oid }) => ({ a: asset, o: oid }))
    world.venueSide.byHand(() => {
      world.control('act', { user, action: { type: 'cancel', cancels } })
    })
  }
  return true
}
