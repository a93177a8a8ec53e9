import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { limits } from '../../core/values/limits.ts'
import { roomFor } from '../../journal/diskSpace.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { homeOf } from '../homeConfig.ts'
import type { Terminal } from '../terminal.ts'
import { mayDumpCore, ownLimits } from '../safeProcess.ts'
import { bad, fine, look } from './finding.ts'
import type { Finding } from './finding.ts'

const syncMsGood = 20
const syncRounds = 20

/** Home, disk and kill switch. */
export async function* examineMachine(
  options: CommonOptions,
  config: GuardConfigFile,
  terminal: Terminal,
): AsyncGenerator<Finding> {
  const home = homeOf(options, terminal)
  yield permissions(home.path)
  yield stateDirectory(config.stateDir)
  yield await freeSpace(config.stateDir)
  yield await syncSpeed(config.stateDir)
  yield mayDumpCore(ownLimits())
    ? look(
        'core dumps',
        'on in this shell',
        'ulimit -c 0 before guard run; the service unit has it',
      )
    : fine('core dumps', 'off')
  if (config.emergencyDir !== null) yield await secondPlace(config.emergencyDir, config.stateDir)
  yield existsSync(join(config.stateDir, 'kill'))
    ? look('kill switch', 'latched', 'nothing opens; guard kill release, with Guard stopped')
    : fine('kill switch', 'not latched')
}

function permissions(path: string): Finding {
  const mode = statSync(path).mode & 0o777
  return (mode & 0o077) === 0
    ? fine('home', path)
    : look('home', `${path} is open to others (mode ${mode.toString(8)})`, `chmod 700 ${path}`)
}

function stateDirectory(path: string): Finding {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return fine('state', path)
  } catch {
    return bad(
      'state',
      `${path} cannot be written`,
      'Guard records everything there before it sends',
    )
  }
}

/** The second place for emergency records: it is of use where it can be written and the journal's disk fails. */
async function secondPlace(path: string, stateDir: string): Promise<Finding> {
  const name = 'emergency_dir'
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const why = 'while the journal’s disk fails, closes are recorded in fewer places'
    return bad(name, `${path} cannot be written`, why)
  }
  if (statSync(path).dev === statSync(stateDir).dev) {
    const text = `${path} is on the same disk as the journal`
    return look(name, text, 'name a directory on another disk: one that fails takes both')
  }
  const free = await nodeIo.freeBytes(path)
  const text = `${path}, ${Math.floor(free / 1_048_576)} MiB free`
  return free >= limits.emergencyReserveBytes
    ? fine(name, text)
    : look(name, text, 'there is no room for emergency records')
}

async function freeSpace(path: string): Promise<Finding> {
  const free = await nodeIo.freeBytes(path)
  const text = `${Math.floor(free / 1_048_576)} MiB free`
  return roomFor(free, 'enough') === 'enough'
    ? fine('disk space', text)
    : look('disk space', text, 'keep 1 GiB free; on a full disk nothing opens')
}

/** The median of a few syncs: it is on the path of every order. */
async function syncSpeed(path: string): Promise<Finding> {
  const probe = join(path, `.sync-${process.pid}`)
  const file = await open(probe, 'w', 0o600)
  const times: number[] = []
  try {
    for (let round = 0; round < syncRounds; round++) {
      await file.write(Buffer.alloc(600), 0, 600, round * 600)
      const started = performance.now()
      await file.datasync()
      times.push(performance.now() - started)
    }
  } finally {
    await file.close()
    await unlink(probe)
  }
  const median = times.sort((a, b) => a - b)[syncRounds / 2] ?? 0
  const text = `${median.toFixed(2)} ms for a sync`
  return median <= syncMsGood
    ? fine('disk sync', text)
    : look('disk sync', text, 'every order waits for one sync: use a local SSD')
}
