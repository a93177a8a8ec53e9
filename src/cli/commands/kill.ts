import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { killFileIn } from '../../system/killFile.ts'
import { failed } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, findStateDir, homeOf, runningOn } from '../homeConfig.ts'
import { fileOutcome, killFileWaitMs, toldWithoutFile } from '../killDelivery.ts'
import type { SignalOutcome } from '../killDelivery.ts'
import { killAll } from '../killAll.ts'
import { waited, writeKillFile } from '../killFileWriting.ts'
import { signalGuard } from '../killSignal.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { releaseCommand } from './killRelease.ts'
import { checkedReason } from '../killReason.ts'

interface KillOptions extends CommonOptions {
  readonly all?: boolean
  readonly reason?: string
}

export function killCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('kill')
    .description('pull the kill switch: nothing opens any more, everything is closed')
    .option('--reason <text>', 'why, 1 to 200 characters; it is recorded')
    .option('--all', 'every Guard that this host has had, and wait until the running ones are flat')
    .action(async (options: KillOptions) => {
      if (options.all === true) await killAll(options, checkedReason(options.reason), terminal)
      else await pull(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    ['guard kill --reason "the bot went mad"', 'guard kill --all --reason "the feed is wrong"'],
    'guard status shows the positions closing; guard kill release undoes it, with Guard stopped',
  )
  releaseCommand(command, terminal)
}

async function pull(options: KillOptions, terminal: Terminal): Promise<void> {
  const reason = checkedReason(options.reason)
  const home = homeOf(options, terminal)
  const stateDir = findStateDir(home)
  const wasLatched = killFileIn(stateDir).seen() !== null
  const writing = writeKillFile(stateDir, `${reason} (command line)`)
  const outcome = await fileOutcome(writing, waited(killFileWaitMs))
  if (!existsSync(home.configFile)) {
    terminal.err(`guard: there is no guard.toml in ${home.path}: is this the home of your Guard?\n`)
  }
  if (outcome.kind !== 'written') {
    const signal = await signalled(options, terminal)
    const isSeen = await isSeenByGuard(options, terminal)
    const told = toldWithoutFile(outcome, signal, isSeen, stateDir)
    if (!told.isPulled) throw failed(told.text, told.details)
    const killed = { reason, already: wasLatched, state_dir: stateDir }
    if (options.json === true) {
      printJson(terminal, { killed: { ...killed, durable: false, seen_by_guard: true } })
      return
    }
    terminal.out(`${paint('red', 'Kill switch pulled.')} ${told.text}\n`)
    for (const detail of told.details) terminal.out(`  ${detail}\n`)
    return
  }
  const isSeen = await isSeenByGuard(options, terminal)
  if (options.json === true) {
    printJson(terminal, {
      killed: {
        reason,
        already: wasLatched,
        state_dir: stateDir,
        durable: true,
        seen_by_guard: isSeen,
      },
    })
    return
  }
  terminal.out(
    wasLatched
      ? 'The kill switch was latched already; it stays latched.\n'
      : `${paint('red', 'Kill switch pulled.')} It is on disk in ${stateDir}.\n`,
  )
  terminal.out(
    isSeen
      ? 'The running Guard has latched: nothing opens, and it closes what is open. Watch it with: guard status\n'
      : 'No running Guard has confirmed it. One that runs on this home latches within a second; a stopped one latches when it starts, and positions stay open until then.\n',
  )
}

async function signalled(options: KillOptions, terminal: Terminal): Promise<SignalOutcome> {
  try {
    return await signalGuard(configOf(options, terminal), homeOf(options, terminal))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'none', why }
  }
}

const confirmTries = 10
const confirmEveryMs = 200

/** Whether a Guard on this home says that it is latched; nothing of the latch depends on it. */
async function isSeenByGuard(options: KillOptions, terminal: Terminal): Promise<boolean> {
  try {
    const guard = runningOn(configOf(options, terminal))
    for (let tries = 0; tries < confirmTries; tries++) {
      const status = (await guard.get('/guard/status')) as { kill?: { latched?: boolean } }
      if (status.kill?.latched === true) return true
      await new Promise((resolve) => setTimeout(resolve, confirmEveryMs))
    }
  } catch {
    // No Guard answers, or the configuration does not say where: the file is what counts.
  }
  return false
}
