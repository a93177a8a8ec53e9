import { Decimal } from '../../src/core/values/decimal.ts'
import { dayMs } from '../../src/core/values/millis.ts'
import { JournalError } from '../../src/journal/journalError.ts'
import type { CrashMode } from '../fakes/fakeFile.ts'
import { pickAt } from './chance.ts'
import type { FaultKind } from './faultKinds.ts'
import { openStormJournal, stateDirectory } from './guardProcess.ts'
import type { Dice } from './step.ts'
import { turnBit } from './turnedBit.ts'
import { Violation } from './violation.ts'
import { keys } from './keys.ts'
import type { World } from './world.ts'

/** As the command line has it. */
const drainMs = 6_000

/** What happens to the process and to the machine it runs on. */
export function strikeProcess(world: World, fault: FaultKind, dice: Dice): void {
  const [, first, second] = dice
  switch (fault) {
    case 'crash_lost':
    case 'crash_kept':
    case 'crash_torn':
    case 'process_killed':
      world.die(modeOf(world, fault))
      return
    case 'crash_at_disk_operation':
      world.trouble.crashAfter(
        1 + Math.floor(first * 12),
        second < 0.5 ? 'crash_before' : 'crash_after',
      )
      return
    case 'crash_at_send':
    case 'crash_at_answer': {
      const mode = first < 0.5 ? 'killed' : () => world.chance.next()
      world.dieAt = { when: fault === 'crash_at_send' ? 'send' : 'answer', mode }
      return
    }
    case 'bit_flip':
      turnBit(world, dice)
      return
    case 'clean_restart':
      stopCleanly(world)
      return
    case 'double_start':
      startTwice(world)
      return
    case 'rules_changed':
      changeRules(world, first)
      stopCleanly(world)
      return
    case 'clients_changed':
      world.clientKeys = first < 0.5 ? [keys.first] : [keys.first, keys.second]
      world.clientsChangedAt = world.time.elapsed
      world.life?.guard?.setClients(world.clients)
      return
    case 'clock_back':
      world.clockOffsetMs -= clockStepMs(first, second)
      return
    case 'clock_forward':
      world.clockOffsetMs += clockStepMs(first, second)
      return
    default:
      pullSwitch(world, fault)
  }
}

/** Mostly some seconds; now and then about an hour, and days, as where a clock was wrong for long. */
function clockStepMs(first: number, second: number): number {
  if (second > 0.93) return Math.floor(first * 4 * dayMs)
  return Math.floor(first * (second > 0.8 ? 4_000_000 : 20_000))
}

function modeOf(world: World, fault: FaultKind): CrashMode | 'killed' {
  if (fault === 'crash_lost') return 'lost'
  if (fault === 'crash_kept') return 'kept'
  return fault === 'process_killed' ? 'killed' : () => world.chance.next()
}

/** A person stops Guard and starts it again. */
function stopCleanly(world: World): void {
  const { life } = world
  if (life?.guard == null) return
  if (life.isStopping) return
  life.isStopping = true
  void life.gateway?.close(drainMs)
  life.guard.stop('SIGTERM').then(
    () => {
      if (life.isDead) return
      world.trace.say(`life ${life.number} has stopped`)
      world.end(life)
      world.disk.kill()
      world.time.after(300, () => {
        world.start()
      })
    },
    (error: unknown) => {
      world.guarded(() => {
        throw new Violation('stop', `stop() threw: ${String(error)}`)
      })
    },
  )
}

/** A second process on the same state: it must be refused, and must not disturb the first. */
function startTwice(world: World): void {
  const { life } = world
  if (life?.opened == null) return
  const parts = { ...world.partsOf(life), io: world.disk.io }
  openStormJournal(parts, life.time).then(
    () => {
      if (life.isDead || world.life !== life) return
      world.guarded(() => {
        throw new Violation('double_start', 'two processes opened one journal')
      })
    },
    (error: unknown) => {
      if (error instanceof JournalError && error.code === 'locked') return
      if (life.isDead || world.oracle.isDiskBad) return
      world.guarded(() => {
        throw new Violation('double_start', `the second start failed by ${String(error)}`)
      })
    },
  )
}

function changeRules(world: World, at: number): void {
  const risk = pickAt(['0.005', '0.01', '0.02'], at)
  const open = pickAt(['0.06', '0.03', '0.1'], (at * 7) % 1)
  const stop = pickAt(['attach', 'refuse'] as const, (at * 13) % 1)
  world.rules = {
    ...world.rules,
    riskPerTrade: Decimal.of(risk),
    openRisk: Decimal.of(open),
    stop,
  }
}

function pullSwitch(world: World, fault: FaultKind): void {
  const { life } = world
  if (fault === 'kill_file') {
    world.disk.put(`${stateDirectory}/kill`, Buffer.from('by hand\n'))
    world.killFileAt ??= world.time.elapsed
    for (const changed of world.killWatchers) changed()
    return
  }
  if (life?.guard == null) return
  if (fault === 'kill_command') {
    life.guard.kill('enough (command line)').then(
      () => {
        if (!life.isDead) world.acknowledgeKill()
      },
      () => undefined,
    )
    return
  }
  world.bots.kill()
}
